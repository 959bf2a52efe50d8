//! Errors of a step of a world.

use thiserror::Error;

use super::soft::SoftError;

/// Failure of a step.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The state of a body is not finite any more.
    #[error("body `{name}` has a state that is not finite at step {step} (time {time} s)")]
    Diverged {
        /// Name of the body.
        name: String,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step \[s\].
        time: f64,
    },
    /// A body is faster than any motion of a run can be.
    #[error(
        "body `{name}` moves at {speed} m/s at step {step} (time {time} s), beyond the bound of {bound} m/s"
    )]
    TooFast {
        /// Name of the body.
        name: String,
        /// Its speed [m/s].
        speed: f64,
        /// Maximum speed that is accepted as intended [m/s].
        bound: f64,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step \[s\].
        time: f64,
    },
    /// The bodies move with far more energy than they had at the start and gained by gravity.
    #[error(
        "the bodies have {kinetic} J of kinetic energy at step {step} (time {time} s), but their energy at the start and \
         gravity account for at most {explained} J; body `{name}` has most of it"
    )]
    EnergyGrown {
        /// Name of the body with the most kinetic energy.
        name: String,
        /// Kinetic energy of all bodies \[J\].
        kinetic: f64,
        /// Energy at the start less the present potential energy \[J\].
        explained: f64,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step \[s\].
        time: f64,
    },
    /// The soft bodies did not complete a step, nor its parts.
    #[error("soft bodies ({name}) at step {step} (time {time} s), divided into {parts} parts: {source}")]
    Soft {
        /// Name of the soft body that caused the failure, or of all that may have.
        name: String,
        /// Number of parts of the step in the last attempt.
        parts: usize,
        /// Cause of the failure.
        source: Box<SoftError>,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step \[s\].
        time: f64,
    },
}

impl StepError {
    /// Name of the body that caused the failure.
    #[must_use]
    pub fn body(&self) -> &str {
        match self {
            Self::Diverged { name, .. }
            | Self::TooFast { name, .. }
            | Self::EnergyGrown { name, .. }
            | Self::Soft { name, .. } => name,
        }
    }

    /// The step that failed, 1-based.
    #[must_use]
    pub fn step(&self) -> u64 {
        match self {
            Self::Diverged { step, .. }
            | Self::TooFast { step, .. }
            | Self::EnergyGrown { step, .. }
            | Self::Soft { step, .. } => *step,
        }
    }
}
