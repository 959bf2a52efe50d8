//! What is asked of poses: are they free, how near is everything, what collides.

use nalgebra::Isometry3;

use super::arrangement::Arrangement;
use super::error::GeneralizedError;
use super::pairs::ScanOptions;
use super::part::CollidingPair;
use super::pose::Pose;
use super::stand_in::{height, plane};
use super::watch::CollisionWatch;
use crate::penetration::convex::options::ConvexOptions;
use crate::proximity::collision::collide;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;

impl Arrangement {
    /// Whether nothing overlaps, and everything is farther apart than `clearance` [m]. Limits of joints are not looked at.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
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

    /// Least gap of any two parts that may not overlap [m], as far as it is below `horizon` [m]; minus the depth of the
    /// deepest pair of convex pieces where they overlap. Parts known by their triangles alone are left out.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn clearance(&self, poses: &[Pose], horizon: f64) -> Result<f64, GeneralizedError> {
        self.check(poses)?;
        let bodies = self.body_poses(poses)?;
        Ok(self.with_workspace(|workspace| {
            workspace.frames.bodies.clone_from(&bodies);
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
        self.colliding_since(poses, &mut CollisionWatch::default())
    }

    /// Whether the models of two bodies come nearer than a clearance [m], or a model and a half-space.
    pub(crate) fn models_within(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>], clearance: f64) -> bool {
        let [a, b] = [a as usize, b as usize];
        let reach = self.bodies[a].ball.1 + self.bodies[b].ball.1 + clearance;
        if self.between([a as u32, b as u32], poses).norm() > reach * (1.0 + ROOM) {
            return false;
        }
        let plane = |body: usize| plane(&self.pieces[self.bodies[body].pieces.clone()], &poses[body]);
        let is_low = |model: &Model, body: usize, other: usize| {
            plane(other).is_some_and(|plane| !(height(model, &poses[body], &plane) > clearance))
        };
        match (&self.bodies[a].model, &self.bodies[b].model) {
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

/// Share by which balls must be farther apart than they reach to be apart for all rounding.
const ROOM: f64 = 1e-9;
