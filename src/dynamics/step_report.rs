//! What a step did.

use std::time::Duration;

use super::{Energy, Momentum};

/// What a step did. Everything but [`timings`](Self::timings) is the same in equal runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Number of the step, 1-based.
    pub step: u64,
    /// Time at the end of the step [s].
    pub time: f64,
    /// Contact points the solver was given, those foreseen but not touching included.
    pub contacts: usize,
    /// Deepest contact [m] the solver was given, ≥ 0, at the poses at the start of the step.
    pub max_penetration: f64,
    /// Energy at the end of the step.
    pub energy: Energy,
    /// Momentum at the end of the step.
    pub momentum: Momentum,
    /// Where the time went; differs from run to run.
    pub timings: StepTimings,
}

/// Where the time of a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepTimings {
    /// Wall-clock time of the whole step.
    pub total: Duration,
    /// Time spent on contacts, summed over the threads; what is left to rapier's narrow phase is not counted.
    pub contacts: Duration,
}
