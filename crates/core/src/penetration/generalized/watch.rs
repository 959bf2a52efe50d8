//! What collides while few things move: a pair of which neither has moved keeps its answer.

use nalgebra::Isometry3;

use super::arrangement::{Arrangement, BodyPair};
use super::error::GeneralizedError;
use super::part::CollidingPair;
use super::pose::Pose;
use super::workspace::Workspace;
use crate::penetration::convex::options::ConvexOptions;

/// What is known of the pairs of one arrangement at the last poses that were asked.
#[derive(Debug, Clone, Default)]
pub struct CollisionWatch {
    /// Pose of every body, body to world.
    bodies: Vec<Isometry3<f64>>,
    /// How deep each pair of unions of convex pieces overlaps [m], where it does.
    depths: Vec<Option<f64>>,
    /// Whether each of the other pairs collides.
    collides: Vec<bool>,
}

impl Arrangement {
    /// The pairs that overlap, in a fixed order, as [`Arrangement::colliding`] tells them: only pairs of which a body has moved
    /// since the watch was last used are looked at. A watch belongs to one arrangement.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn colliding_since(
        &self,
        poses: &[Pose],
        watch: &mut CollisionWatch,
    ) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.check(poses)?;
        let bodies = self.body_poses(poses)?;
        let is_new = watch.bodies.len() != bodies.len()
            || watch.depths.len() != self.pairs.len()
            || watch.collides.len() != self.mesh_pairs.len();
        if is_new {
            watch.depths = vec![None; self.pairs.len()];
            watch.collides = vec![false; self.mesh_pairs.len()];
        }
        let moved: Vec<bool> =
            bodies.iter().enumerate().map(|(body, pose)| is_new || watch.bodies[body] != *pose).collect();
        let has_moved = |pair: &[u32; 2]| pair.iter().any(|&body| moved[body as usize]);
        self.with_workspace(|workspace| {
            workspace.frames.bodies.clone_from(&bodies);
            workspace.scan.forget();
            workspace.scan.place(self, &workspace.frames);
            for (pair, depth) in self.pairs.iter().zip(&mut watch.depths) {
                if has_moved(&pair.bodies) {
                    *depth = self.depth(pair, workspace);
                }
            }
        });
        for (&pair, collides) in self.mesh_pairs.iter().zip(&mut watch.collides) {
            if has_moved(&pair) {
                *collides = self.models_within(pair, &bodies, 0.0);
            }
        }
        watch.bodies = bodies;
        let deep =
            self.pairs.iter().zip(&watch.depths).filter_map(|(pair, depth)| Some((pair.bodies, (*depth)?)));
        let met = self.mesh_pairs.iter().zip(&watch.collides).filter(|(_, collides)| **collides);
        let all = deep.chain(met.map(|(&bodies, _)| (bodies, f64::NAN)));
        let mut found: Vec<_> = all.map(|(bodies, depth)| self.colliding_pair(bodies, depth)).collect();
        found.sort_by_key(|pair| pair.parts);
        Ok(found)
    }

    /// How deep the deepest two pieces of a pair overlap [m], where any do.
    fn depth(&self, pair: &BodyPair, workspace: &mut Workspace) -> Option<f64> {
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
        depth
    }

    fn colliding_pair(&self, bodies: [u32; 2], depth: f64) -> CollidingPair {
        CollidingPair { parts: bodies.map(|body| self.bodies[body as usize].part), depth }
    }
}
