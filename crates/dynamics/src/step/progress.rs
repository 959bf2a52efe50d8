//! Progress of a step.

use std::time::Duration;

use rapier3d::dynamics::RigidBodyHandle;

use super::report::StepReport;
use crate::soft::Times;

/// Intermediate results of a step, passed from pass to pass.
pub(super) struct Progress {
    pub(super) report: StepReport,
    /// Length of a part [s].
    pub(super) part: f64,
    /// Time from the start of the step to that of the part [s].
    pub(super) elapsed: f64,
    /// The rigid body that is pulled.
    pub(super) pulled: Option<RigidBodyHandle>,
    /// Total time of rapier's steps.
    pub(super) stepped: Duration,
    pub(super) soft_times: Times,
}
