//! Poses that overlap, moved to the nearest free one by the generalized penetration [Tang14 §6.3].

use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::options::{GeneralizedOptions, GeneralizedStart};
use crate::penetration::generalized::pose::Pose;

/// Steps of the descent of a retraction: what needs more is no good sample.
const ITERATIONS: u32 = 25;

/// How poses that overlap are moved to free ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retraction {
    /// Gap that is kept [m].
    pub(super) clearance: f64,
}

impl Retraction {
    /// The nearest free pose to one that overlaps, as it is found from that one, or else from a free one.
    pub(super) fn nearest_free(&self, arrangement: &Arrangement, pose: &Pose, free: &Pose) -> Option<Pose> {
        let starts = [GeneralizedStart::Direct, GeneralizedStart::Given(vec![free.clone()])];
        starts.into_iter().find_map(|start| {
            let options = GeneralizedOptions {
                clearance: self.clearance,
                max_iterations: ITERATIONS,
                parallel: false,
                start: Some(start),
                ..GeneralizedOptions::fast()
            };
            let found = arrangement.penetration(std::slice::from_ref(pose), &options);
            found.ok().flatten().and_then(|found| found.poses.into_iter().next())
        })
    }
}
