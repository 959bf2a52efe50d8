//! What is asked of poses: are they free, how near is everything, what collides.

use nalgebra::Isometry3;

use super::arrangement::Arrangement;
use super::chart::Chart;
use super::pairs::ScanOptions;
use super::{CollidingPair, GeneralizedError, Pose};
use crate::penetration::convex::ConvexOptions;
use crate::proximity::{collide, is_within};

impl Arrangement {
    /// Whether nothing overlaps, and everything is farther apart than `clearance` [m]. Limits of joints are not looked at.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn is_free(&self, poses: &[Pose], clearance: f64) -> Result<bool, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        let touches = self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            self.touches(&workspace.frames, clearance, &mut workspace.scan)
        });
        if touches {
            return Ok(false);
        }
        if self.mesh_pairs.is_empty() {
            return Ok(true);
        }
        let bodies = self.body_poses(poses)?;
        Ok(!self.mesh_pairs.iter().any(|&pair| self.models_within(pair, &bodies, clearance)))
    }

    /// Least gap of any two parts that may not overlap [m], as far as it is below `horizon` [m]; minus the depth of the
    /// deepest pair of convex pieces where they overlap. Parts known by their triangles alone are left out.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn clearance(&self, poses: &[Pose], horizon: f64) -> Result<f64, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        Ok(self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            let options = ScanOptions { target: 0.0, horizon, convex: ConvexOptions::default() };
            let mut rows = Vec::new();
            self.scan(&workspace.frames, &options, &mut workspace.scan, &mut rows).least
        }))
    }

    /// The pairs that overlap, in a fixed order.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn colliding(&self, poses: &[Pose]) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        let mut found = self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            let options = ScanOptions { target: 0.0, horizon: 0.0, convex: ConvexOptions::default() };
            let mut rows = Vec::new();
            self.scan(&workspace.frames, &options, &mut workspace.scan, &mut rows);
            let mut found = Vec::new();
            for pair in &self.pairs {
                let mut depth = None;
                self.near_pieces(
                    pair,
                    0.0,
                    &mut workspace.scan,
                    |_, _, distance, _| {
                        if !(distance.value > 0.0) {
                            depth = Some(depth.unwrap_or(0.0_f64).max(-distance.value));
                        }
                        true
                    },
                    &ConvexOptions::default(),
                );
                found.extend(depth.map(|depth| self.colliding_pair(pair.bodies, depth)));
            }
            found
        });
        let bodies = self.body_poses(poses)?;
        let meshes = self.mesh_pairs.iter().filter(|&&pair| self.models_within(pair, &bodies, 0.0));
        found.extend(meshes.map(|&pair| self.colliding_pair(pair, f64::NAN)));
        found.sort_by_key(|pair| pair.parts);
        Ok(found)
    }

    fn colliding_pair(&self, bodies: [u32; 2], depth: f64) -> CollidingPair {
        CollidingPair { parts: bodies.map(|body| self.bodies[body as usize].part), depth }
    }

    /// Whether the models of two bodies come nearer than a clearance [m].
    pub(crate) fn models_within(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>], clearance: f64) -> bool {
        let [a, b] = [a as usize, b as usize];
        match (&self.bodies[a].model, &self.bodies[b].model) {
            (Some(first), Some(second)) if clearance > 0.0 => {
                is_within(first, &poses[a], second, &poses[b], clearance)
            }
            (Some(first), Some(second)) => collide(first, &poses[a], second, &poses[b]),
            _ => false,
        }
    }
}
