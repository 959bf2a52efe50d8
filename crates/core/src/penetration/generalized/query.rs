//! Queries at given poses: collision test, clearance, colliding pairs.

use nalgebra::Isometry3;

use super::collision_world::CollisionWorld;
use super::error::GeneralizedError;
use super::monitor::CollisionMonitor;
use super::pairs::ScanOptions;
use super::part::CollidingPair;
use super::pose::Pose;
use super::proxy_geometry::{height, plane};
use super::workspace::ScanMemory;
use crate::penetration::convex::options::ConvexOptions;
use crate::proximity::collision::collide;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;

impl CollisionWorld {
    /// Whether nothing overlaps and all pairs are farther apart than `clearance` \[m\]. Joint limits are not checked.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn is_free(&self, poses: &[Pose], clearance: f64) -> Result<bool, GeneralizedError> {
        self.check(poses)?;
        let bodies = self.body_poses(poses)?;
        let touches = self.with_workspace(|workspace| {
            workspace.frames.bodies.clone_from(&bodies);
            workspace.scan.forget();
            self.touches(&workspace.frames, clearance, &mut workspace.scan)
        });
        Ok(!touches)
    }

    /// Minimum signed distance \[m\] of any two parts that may not overlap, at most `horizon` \[m\]; where they overlap, minus the
    /// depth of the deepest pair of convex pieces. Parts without a convex decomposition are left out.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn clearance(&self, poses: &[Pose], horizon: f64) -> Result<f64, GeneralizedError> {
        self.check(poses)?;
        let bodies = self.body_poses(poses)?;
        Ok(self.with_workspace(|workspace| {
            workspace.frames.bodies.clone_from(&bodies);
            workspace.scan.forget();
            let options = ScanOptions { target: 0.0, horizon, convex: ConvexOptions::default() };
            let mut rows = Vec::new();
            self.scan(&workspace.frames, &options, &mut workspace.scan, &mut rows).min
        }))
    }

    /// Colliding pairs, in a fixed order.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn colliding(&self, poses: &[Pose]) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.colliding_since(poses, &mut CollisionMonitor::default())
    }

    /// As [`CollisionWorld::models_within`] for a pair by its index, with what its hulls prove.
    pub(crate) fn models_touch(
        &self,
        at: usize,
        poses: &[Isometry3<f64>],
        clearance: f64,
        memory: &mut ScanMemory,
    ) -> bool {
        let [a, b] = self.mesh_pairs[at];
        let reach = self.bodies[a as usize].ball.1 + self.bodies[b as usize].ball.1 + clearance;
        let is_far = self.between([a, b], poses).norm() > reach * (1.0 + ROOM);
        let mut is_apart =
            || self.apart(at, poses, clearance, memory).is_some_and(|found| found.value > clearance);
        !is_far && !is_apart() && self.models_within([a, b], poses, clearance)
    }

    /// Whether the models of two bodies, or a model and a half-space, are closer than a clearance [m].
    pub(crate) fn models_within(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>], clearance: f64) -> bool {
        let [a, b] = [a as usize, b as usize];
        let reach = self.bodies[a].ball.1 + self.bodies[b].ball.1 + clearance;
        if self.between([a as u32, b as u32], poses).norm() > reach * (1.0 + ROOM) {
            return false;
        }
        let plane = |body: usize| plane(&self.pieces[self.bodies[body].pieces.clone()], &poses[body]);
        // Negated comparison, so that a NaN height counts as a collision.
        let is_low = |model: &Model, body: usize, other: usize| {
            plane(other).is_some_and(|plane| !(height(model, &poses[body], &plane) > clearance))
        };
        match (&self.bodies[a].model, &self.bodies[b].model) {
            // Without a clearance the overlap test suffices, which is cheaper than a distance query.
            (Some(first), Some(second)) if clearance > 0.0 => {
                is_within(first, &poses[a], second, &poses[b], clearance)
            }
            (Some(first), Some(second)) => collide(first, &poses[a], second, &poses[b]),
            (Some(first), None) => is_low(first, a, b),
            (None, Some(second)) => is_low(second, b, a),
            (None, None) => false,
        }
    }
}

/// Relative margin of the bounding sphere test: it covers the rounding of centre distances, so that no touching pair is
/// skipped. Larger ones only send more pairs to the exact test. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const ROOM: f64 = 1e-9;
