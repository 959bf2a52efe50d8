//! What a distance query may be asked to do.

use crate::proximity::error::ProximityError;
use nalgebra::Isometry3;

/// Options of a distance query: by default the exact distance, however far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceOptions {
    /// How much farther than the closest points the answer may be, relative to the answer. A tolerance saves looking
    /// at all that is about as close.
    pub relative_tolerance: f64,
    /// How much farther than the closest points the answer may be [m]; the greater one of both tolerances counts.
    pub absolute_tolerance: f64,
    /// Distance beyond which no answer is wanted [m].
    pub limit: f64,
}

impl Default for DistanceOptions {
    fn default() -> Self {
        Self::up_to(f64::INFINITY)
    }
}

impl DistanceOptions {
    /// The exact distance as far as it is at most a limit [m].
    pub(crate) const fn up_to(limit: f64) -> Self {
        Self { relative_tolerance: 0.0, absolute_tolerance: 0.0, limit }
    }

    pub(crate) fn check(&self) -> Result<(), ProximityError> {
        ProximityError::check_not_negative([
            ("relative tolerance", self.relative_tolerance),
            ("absolute tolerance", self.absolute_tolerance),
            ("limit", self.limit),
        ])
    }

    /// What the distance is proved to be at least, once a pair of points is known to be `value` [m] apart and nothing
    /// closer than that by more than the tolerance is left.
    pub(crate) fn lower_bound(&self, value: f64) -> f64 {
        let tolerance = (self.relative_tolerance * value).max(self.absolute_tolerance);
        (value - tolerance).max(0.0)
    }
}

pub(super) fn check_pose(body: char, pose: &Isometry3<f64>) -> Result<(), ProximityError> {
    let finite = pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(ProximityError::PoseNotFinite { body, pose: *pose }) }
}
