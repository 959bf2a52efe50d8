//! Quantities that are monitored at every step of a run, recorded or not.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use extricate_dynamics::{Momentum, StepReport, World};

/// Momentum of the dynamic and the soft bodies at the start and at the end of a run, world frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct MomentumBalance {
    /// m v, summed, at the start [kg·m/s].
    pub linear_start: [f64; 3],
    /// The same at the end.
    pub linear_end: [f64; 3],
    /// Angular momentum about the world's origin at the start [kg·m²/s].
    pub angular_start: [f64; 3],
    /// The same at the end.
    pub angular_end: [f64; 3],
}

/// The deepest contact that the solver was given at any step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeepestContact {
    /// Penetration depth \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Time of the contact \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Names of the two bodies.
    pub bodies: [String; 2],
}

/// The fastest body at any step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaxSpeed {
    /// Speed of its centre of mass [m/s].
    #[schemars(range(min = 0.0))]
    pub speed: f64,
    /// Time at which it was reached \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Name of the body.
    pub body: String,
}

/// State of a monitor, without the times of steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct MonitorState {
    start: Momentum,
    deepest: Option<DeepestContact>,
    fastest: Option<MaxSpeed>,
}

/// Monitor of the reports of all steps.
#[derive(Debug, Clone)]
pub(super) struct Monitor {
    seen: MonitorState,
    phases: Vec<Phase>,
    /// Number of the first step that was followed.
    first_step: Option<u64>,
}

/// The times of a phase, in the order of the steps.
#[derive(Debug, Clone)]
struct Phase {
    name: &'static str,
    times: Vec<Duration>,
}

impl Monitor {
    /// A monitor of a world at its start.
    pub(super) fn new(world: &World) -> Self {
        let names = ["total", "broad_phase", "narrow_phase", "solver", "continuous", "outside", "contacts"];
        let of_soft = ["soft", "soft_assembly", "soft_solve", "soft_contact"];
        let of_soft = of_soft.into_iter().filter(|_| !world.soft_descriptions().is_empty());
        let phases = names.into_iter().chain(of_soft).map(|name| Phase { name, times: Vec::new() });
        let seen = MonitorState { start: world.momentum(), deepest: None, fastest: None };
        Self { seen, phases: phases.collect(), first_step: None }
    }

    /// State so far, to be restored.
    pub(super) fn snapshot(&self) -> MonitorState {
        self.seen.clone()
    }

    /// Continues from a snapshot. Times are those of the following steps only.
    pub(super) fn restore(&mut self, state: MonitorState) {
        self.seen = state;
    }

    /// Takes a step into account.
    pub(super) fn follow(&mut self, world: &World, report: &StepReport) {
        let name = |index: usize| world.descriptions()[index].name.clone();
        let (time, depth, speed) = (report.time, report.max_penetration, report.max_speed);
        if let Some(pair) = report.deepest
            && self.seen.deepest.as_ref().is_none_or(|deepest| depth > deepest.depth)
        {
            self.seen.deepest = Some(DeepestContact { depth, time, bodies: pair.map(name) });
        }
        if let Some(body) = report.fastest
            && self.seen.fastest.as_ref().is_none_or(|fastest| speed > fastest.speed)
        {
            self.seen.fastest = Some(MaxSpeed { speed, time, body: name(body) });
        }
        self.first_step.get_or_insert(report.step);
        let timings = &report.timings;
        let times = [
            timings.total,
            timings.broad_phase,
            timings.narrow_phase,
            timings.solver,
            timings.continuous,
            timings.passes,
            timings.contacts,
            timings.soft,
            timings.soft_assembly,
            timings.soft_solve,
            timings.soft_contact,
        ];
        // In the order of the names in `new`; without soft bodies the last four have no phase.
        self.phases.iter_mut().zip(times).for_each(|(phase, time)| phase.times.push(time));
    }

    pub(super) fn momentum(&self, world: &World) -> MomentumBalance {
        let end = world.momentum();
        MomentumBalance {
            linear_start: self.seen.start.linear.into(),
            linear_end: end.linear.into(),
            angular_start: self.seen.start.angular.into(),
            angular_end: end.angular.into(),
        }
    }

    pub(super) fn deepest(&self) -> Option<DeepestContact> {
        self.seen.deepest.clone()
    }

    pub(super) fn fastest(&self) -> Option<MaxSpeed> {
        self.seen.fastest.clone()
    }

    /// Number of the slowest step; zero before the first one.
    pub(super) fn slowest_step(&self) -> u64 {
        self.phases.first().map_or(0, |total| self.slowest_of(total).1)
    }

    /// Times of the phases.
    pub(super) fn phases(&self) -> Vec<PhaseProfile> {
        let all = self.phases.first().map_or(0.0, |total| total.times.iter().sum::<Duration>().as_secs_f64());
        let of_phase = |phase: &Phase| {
            let (time, (max, slowest_step)) = (phase.times.iter().sum::<Duration>(), self.slowest_of(phase));
            PhaseProfile {
                phase: phase.name.to_owned(),
                time: time.as_secs_f64(),
                // Summed over the threads, contacts may take longer than the steps.
                fraction: fraction(time.as_secs_f64(), all),
                max_ms: 1e3 * max.as_secs_f64(),
                slowest_step,
            }
        };
        self.phases.iter().map(of_phase).collect()
    }

    /// Time of the step in which a phase took longest, and the number of that step: of equal ones the first.
    fn slowest_of(&self, phase: &Phase) -> (Duration, u64) {
        let slowest =
            phase.times.iter().enumerate().max_by_key(|(index, time)| (**time, std::cmp::Reverse(*index)));
        slowest
            .map_or((Duration::ZERO, 0), |(index, time)| (*time, self.first_step.unwrap_or(1) + index as u64))
    }

    /// Percentiles of the times by phase; none before the first step.
    pub(super) fn percentiles(&self) -> impl Iterator<Item = (&'static str, Percentiles)> {
        self.phases.iter().filter_map(|phase| Some((phase.name, Percentiles::of(&phase.times)?)))
    }
}

/// Time of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PhaseProfile {
    /// Name of the phase.
    pub phase: String,
    /// Time in all steps \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Fraction of the time of all steps.
    #[schemars(range(min = 0.0))]
    pub fraction: f64,
    /// Time in the step in which it took longest \[ms\].
    #[schemars(range(min = 0.0))]
    pub max_ms: f64,
    /// Number of that step.
    pub slowest_step: u64,
}

/// A fraction of a total; zero of nothing.
pub(super) fn fraction(part: f64, total: f64) -> f64 {
    if total > 0.0 { (part / total).min(1.0) } else { 0.0 }
}

/// Percentiles of the time of a step \[ms\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Percentiles {
    /// Half of the steps were faster.
    #[schemars(range(min = 0.0))]
    pub p50: f64,
    /// 90 % were faster.
    #[schemars(range(min = 0.0))]
    pub p90: f64,
    /// 99 % were faster.
    #[schemars(range(min = 0.0))]
    pub p99: f64,
    /// The slowest.
    #[schemars(range(min = 0.0))]
    pub max: f64,
}

impl Percentiles {
    /// Percentiles of the durations; none without any. The value at rank ⌈p n⌉.
    #[must_use]
    pub fn of(durations: &[Duration]) -> Option<Self> {
        let mut sorted = durations.to_vec();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let rank = (percent * sorted.len()).div_ceil(100);
            sorted.get(rank.max(1) - 1).map(|duration| duration.as_secs_f64() * 1e3)
        };
        Some(Self { p50: at(50)?, p90: at(90)?, p99: at(99)?, max: at(100)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_values_at_their_rank() {
        let durations: Vec<_> = (1..=200).rev().map(Duration::from_millis).collect();
        let percentiles = Percentiles::of(&durations).unwrap();
        assert_eq!(percentiles, Percentiles { p50: 100.0, p90: 180.0, p99: 198.0, max: 200.0 });
        assert_eq!(Percentiles::of(&[]), None);
        let one = Percentiles::of(&[Duration::from_millis(3)]).unwrap();
        assert_eq!(one, Percentiles { p50: 3.0, p90: 3.0, p99: 3.0, max: 3.0 });
    }
}
