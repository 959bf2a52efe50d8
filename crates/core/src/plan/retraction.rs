//! Retraction: poses in collision are moved to the nearest free one by the generalized penetration [Tang14 §6.3].

use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::options::{GeneralizedOptions, GeneralizedStart};
use crate::penetration::generalized::pose::Pose;

/// Maximum number of steps of the descent of a retraction: samples that need more are not worth their time.
const ITERATIONS: u32 = 25;

/// Retraction of poses in collision to free ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retraction {
    /// Clearance of the retracted poses [m].
    pub(super) clearance: f64,
}

impl Retraction {
    /// The free pose nearest to one in collision, found by a descent from that pose, or else from a free one.
    pub(super) fn nearest_free(
        &self,
        collision_world: &CollisionWorld,
        pose: &Pose,
        free: &Pose,
    ) -> Option<Pose> {
        let starts = [GeneralizedStart::Direct, GeneralizedStart::Given(vec![free.clone()])];
        starts.into_iter().find_map(|start| self.descended(collision_world, pose, start))
    }

    /// The free pose nearest to one in collision, found by a descent from that pose alone: it leads into gaps, where a descent
    /// from a free pose leads to the side on which that is.
    pub(super) fn out_of_overlap(&self, collision_world: &CollisionWorld, pose: &Pose) -> Option<Pose> {
        self.descended(collision_world, pose, GeneralizedStart::Direct)
    }

    fn descended(
        &self,
        collision_world: &CollisionWorld,
        pose: &Pose,
        start: GeneralizedStart,
    ) -> Option<Pose> {
        let options = GeneralizedOptions {
            clearance: self.clearance,
            max_iterations: ITERATIONS,
            parallel: false,
            start: Some(start),
            ..GeneralizedOptions::fast()
        };
        let found = collision_world.penetration(std::slice::from_ref(pose), &options);
        found.ok().flatten().and_then(|found| found.poses.into_iter().next())
    }
}
