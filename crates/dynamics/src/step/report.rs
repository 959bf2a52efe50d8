//! Report of a step.

use std::time::Duration;

use crate::multibody::solver::RobotReport;
use crate::soft::Times;
use crate::soft::bodies::state::SoftReport;
use crate::state::{Energy, Momentum};

/// Report of a step. Everything but [`timings`](Self::timings) is the same in equal runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Number of the step, 1-based.
    pub step: u64,
    /// Time at the end of the step \[s\].
    pub time: f64,
    /// Number of manifolds that the solver was given: groups of up to four contacts of one normal.
    pub manifolds: usize,
    /// Number of contact points that the solver was given, speculative ones included.
    pub contacts: usize,
    /// Deepest contact \[m\], ≥ 0, at the poses at the start of the step.
    pub max_penetration: f64,
    /// The bodies of that contact: indices in [`World::descriptions`](crate::World::descriptions), in ascending order.
    pub deepest: Option<[usize; 2]>,
    /// Number of pairs of bodies that overlap and are being separated by position.
    pub resolving: usize,
    /// Number of bodies that sleep; their contacts are not among those above. Zero unless the world lets bodies sleep.
    pub asleep: usize,
    /// Work against gravity \[J\] of separating them: potential energy that the bodies gained without motion.
    pub lifted: f64,
    /// Substeps of the solver of rigid bodies in each part of the step: those of the settings, and up to eight times as many while bodies under load
    /// sink in.
    pub substeps: u32,
    /// Maximum speed [m/s] of a centre of mass at the end of the step, kinematic bodies included.
    pub max_speed: f64,
    /// The body that has it: index in [`World::descriptions`](crate::World::descriptions).
    pub fastest: Option<usize>,
    /// Energy at the end of the step.
    pub energy: Energy,
    /// Momentum at the end of the step.
    pub momentum: Momentum,
    /// Report of the soft bodies, if there are any.
    pub soft: Option<SoftReport>,
    /// Report of the robots and the bodies connected with them by contacts, if there are robots that rapier does not step.
    pub robots: Option<RobotReport>,
    /// Timings of the step; they differ from run to run.
    pub timings: StepTimings,
}

/// Timings of a step: wall-clock times that add up to the total but for some bookkeeping, and the time of
/// [`contacts`](Self::contacts), which is summed over the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepTimings {
    /// The whole step, without the preparation.
    pub total: Duration,
    /// Preparation of the shapes, in the first step of a world that was not [prepared](crate::World::prepare) before.
    pub preparation: Duration,
    /// Finding the pairs of bodies that may touch.
    pub broad_phase: Duration,
    /// Finding the contacts of these pairs.
    pub narrow_phase: Duration,
    /// Solving for velocities and positions.
    pub solver: Duration,
    /// Sweeping fast bodies.
    pub continuous: Duration,
    /// Pre-step and post-step passes around rapier's step: free rotation, restitution, overlaps, monitoring.
    pub passes: Duration,
    /// Time spent on contacts, summed over the threads; pairs left to rapier's narrow phase are not counted.
    pub contacts: Duration,
    /// Soft bodies, all of their step.
    pub soft: Duration,
    /// Of that: energies, forces and stiffnesses of the elements.
    pub soft_assembly: Duration,
    /// Of that: linear systems.
    pub soft_solve: Duration,
    /// Of that: contact, in the solve and after it.
    pub soft_contact: Duration,
}

impl StepTimings {
    /// The same with the times of the soft bodies.
    pub(crate) fn with_soft(self, times: &Times) -> Self {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let soft = seconds(times.total);
        Self {
            soft,
            soft_assembly: seconds(times.assembly),
            soft_solve: seconds(times.solve),
            soft_contact: seconds(times.contact),
            passes: self.passes.saturating_sub(soft),
            ..self
        }
    }
}
