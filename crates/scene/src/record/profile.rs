//! Profile of a run: its phases, and the pairs of bodies that took the most time.

use schemars::JsonSchema;
use serde::Serialize;

use super::monitor::{Monitor, PhaseProfile, fraction};
use extricate_dynamics::World;

/// Number of pairs in a profile.
const PAIRS: usize = 10;

/// Profile of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Profile {
    /// Phases of the steps; `total` is the whole step, `contacts` is summed over the threads and part of `narrow_phase`.
    pub phases: Vec<PhaseProfile>,
    /// The pairs of bodies that took the most time, the costliest first. Pairs left to rapier's narrow phase are not timed.
    pub pairs: Vec<PairProfile>,
    /// Number of pairs that were timed.
    pub timed_pairs: usize,
    /// Time of all of them, summed over the threads \[s\].
    #[schemars(range(min = 0.0))]
    pub time_of_pairs: f64,
}

/// Time of a pair of bodies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PairProfile {
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Time of its contacts \[s\].
    #[schemars(range(min = 0.0))]
    pub contacts: f64,
    /// Time of its sweeps \[s\].
    #[schemars(range(min = 0.0))]
    pub sweeps: f64,
    /// Fraction of the time of all pairs.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fraction: f64,
    /// Number of searches for contacts and of sweeps.
    pub count: u64,
    /// Maximum time of one of them \[ms\].
    #[schemars(range(min = 0.0))]
    pub max_ms: f64,
    /// Number of the step of that.
    pub slowest_step: u64,
}

impl Profile {
    /// Profile of a run, if its world was profiled.
    pub(super) fn of(world: &World, monitor: &Monitor) -> Option<Self> {
        let pairs = world.pair_times()?;
        let time_of_pairs = pairs.iter().map(|pair| pair.total().as_secs_f64()).sum::<f64>();
        let name = |index: usize| world.descriptions()[index].name.clone();
        let costliest = pairs.iter().take(PAIRS).map(|pair| PairProfile {
            bodies: pair.bodies.map(name),
            contacts: pair.contacts.as_secs_f64(),
            sweeps: pair.sweeps.as_secs_f64(),
            fraction: fraction(pair.total().as_secs_f64(), time_of_pairs),
            count: pair.count,
            max_ms: 1e3 * pair.slowest.as_secs_f64(),
            slowest_step: pair.slowest_step,
        });
        Some(Self {
            phases: monitor.phases(),
            pairs: costliest.collect(),
            timed_pairs: pairs.len(),
            time_of_pairs,
        })
    }
}
