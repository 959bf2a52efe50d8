//! How far a step has got.

use std::time::Duration;

use rapier3d::dynamics::RigidBodyHandle;

use super::report::StepReport;
use crate::soft::Times;

/// How far a step has got.
pub(super) struct Progress {
    pub(super) report: StepReport,
    /// Length of a part [s].
    pub(super) part: f64,
    /// The rigid body that is pulled.
    pub(super) pulled: Option<RigidBodyHandle>,
    /// Time that rapier took in all.
    pub(super) stepped: Duration,
    pub(super) soft_times: Times,
}
