//! Options of distance queries.

use std::time::Duration;

use crate::proximity::error::ProximityError;
use nalgebra::Isometry3;

/// Options of a distance query: by default the exact distance without a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceOptions {
    /// Maximum excess over the exact distance, relative to the result. A tolerance prunes the pairs that are about as
    /// close as the closest one.
    pub relative_tolerance: f64,
    /// Maximum excess over the exact distance \[m\]; the larger of both tolerances applies.
    pub absolute_tolerance: f64,
    /// Maximum distance of interest \[m\]: beyond it the result is `None`.
    pub limit: f64,
    /// Time after which a query with meshes ends: not reproducible. Two meshes that are known to be apart have the nearest pair of triangles
    /// that was found, with a lower bound that is smaller than its distance; all else [`ProximityError::OutOfTime`]. The default bound
    /// on work, which it replaces, does the same, with [`ProximityError::OutOfWork`].
    pub time_budget: Option<Duration>,
}

impl Default for DistanceOptions {
    fn default() -> Self {
        Self::up_to(f64::INFINITY)
    }
}

impl DistanceOptions {
    /// The exact distance up to a limit [m].
    pub(crate) const fn up_to(limit: f64) -> Self {
        Self { relative_tolerance: 0.0, absolute_tolerance: 0.0, limit, time_budget: None }
    }

    pub(crate) fn check(&self) -> Result<(), ProximityError> {
        ProximityError::check_not_negative([
            ("relative tolerance", self.relative_tolerance),
            ("absolute tolerance", self.absolute_tolerance),
            ("limit", self.limit),
        ])
    }

    /// Lower bound of the distance [m] once a pair of points at distance `value` [m] is known and no pair remains that
    /// is closer by more than the tolerance.
    pub(crate) fn lower_bound(&self, value: f64) -> f64 {
        let tolerance = (self.relative_tolerance * value).max(self.absolute_tolerance);
        (value - tolerance).max(0.0)
    }
}

/// Returns an error for a pose that is not finite.
pub(super) fn check_pose(body: char, pose: &Isometry3<f64>) -> Result<(), ProximityError> {
    let finite = pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(ProximityError::PoseNotFinite { body, pose: *pose }) }
}
