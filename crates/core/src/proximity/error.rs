//! Errors of continuous collision queries.

use thiserror::Error;

/// Why a continuous query has no answer.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContinuousError {
    /// The steps were used up.
    #[error("no answer after {steps} steps: the motion is free of contact up to the time {free_until} of 1")]
    StepsExhausted {
        /// Steps taken.
        steps: u64,
        /// The time up to which the motion is proved free of contact.
        free_until: f64,
    },
    /// A pose or a velocity is NaN or infinite, or so large that squares are.
    #[error("a pose or a velocity of the motion is not a finite number")]
    NotFinite,
    /// The tolerance is not a positive number.
    #[error("the tolerance {tolerance} is not a positive number")]
    Tolerance {
        /// The tolerance given.
        tolerance: f64,
    },
    /// What moves is not an articulation in a configuration.
    #[error(transparent)]
    Articulation(#[from] crate::kinematics::ArticulationError),
}
