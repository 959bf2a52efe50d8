//! What a distance query may be asked to do.

use nalgebra::Isometry3;
use thiserror::Error;

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

/// Why a distance query failed. A failure is never reported as "farther than the limit".
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum DistanceError {
    /// An option is negative or not a number.
    #[error("the {option} of a distance query is {value}, not a number of at least zero")]
    InvalidOption {
        /// Its name in [`DistanceOptions`].
        option: &'static str,
        /// Its value.
        value: f64,
    },
    /// A pose has a component that is not finite.
    #[error("the pose of {body} is not finite: {pose}")]
    PoseNotFinite {
        /// `A` or `B`.
        body: char,
        /// The pose.
        pose: Isometry3<f64>,
    },
}

impl DistanceOptions {
    /// The exact distance as far as it is at most a limit [m].
    pub(crate) const fn up_to(limit: f64) -> Self {
        Self { relative_tolerance: 0.0, absolute_tolerance: 0.0, limit }
    }

    pub(crate) fn check(&self) -> Result<(), DistanceError> {
        let named = [
            ("relative tolerance", self.relative_tolerance),
            ("absolute tolerance", self.absolute_tolerance),
            ("limit", self.limit),
        ];
        // NaN fails.
        match named.into_iter().find(|(_, value)| !(*value >= 0.0)) {
            None => Ok(()),
            Some((option, value)) => Err(DistanceError::InvalidOption { option, value }),
        }
    }

    /// What the distance is proved to be at least, once a pair of points is known to be `value` [m] apart and nothing
    /// closer than that by more than the tolerance is left.
    pub(crate) fn lower_bound(&self, value: f64) -> f64 {
        let tolerance = (self.relative_tolerance * value).max(self.absolute_tolerance);
        (value - tolerance).max(0.0)
    }
}

pub(super) fn check_pose(body: char, pose: &Isometry3<f64>) -> Result<(), DistanceError> {
    let finite = pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(DistanceError::PoseNotFinite { body, pose: *pose }) }
}
