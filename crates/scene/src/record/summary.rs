//! Summary (`summary.json`) and wall-clock times (`timing.json`) of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::monitor::{DeepestContact, MaxSpeed, MomentumBalance, Percentiles};
use super::profile::Profile;
use super::{Hash, SoftSummary};
use crate::scene::{EnergyBalance, Verdict};

/// Summary of a complete run. Equal runs have equal summaries, byte for byte.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Summary {
    /// Version of this program.
    pub version: &'static str,
    /// Versions of the libraries that the result depends on.
    pub libraries: BTreeMap<&'static str, &'static str>,
    /// Name of the scene: its file without folder and extension.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Hash of the scene file and of all files that it and they name.
    pub input_hash: Hash,
    /// Seed of everything random.
    pub seed: u64,
    /// Length of a step \[s\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Number of steps taken.
    pub steps: u64,
    /// Simulated time \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Number of rigid bodies.
    pub bodies: usize,
    /// Bodies that were moved apart before the first step [m, world], by name; missing where none was.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub moved: BTreeMap<String, [f64; 3]>,
    /// Joints of robots that were moved before the first step, by `robot/joint` [rad or m]; missing where none was.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub joints_moved: BTreeMap<String, f64>,
    /// The worst penetration of the recorded states.
    pub worst_penetration: WorstPenetration,
    /// The deepest contact that the solver was given at any step; missing where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deepest_contact: Option<DeepestContact>,
    /// The fastest body at any step; missing where nothing moved.
    #[serde(rename = "greatest_speed", skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<MaxSpeed>,
    /// Energy balance over all steps.
    pub energy: EnergyBalance,
    /// Momentum at the start and at the end.
    pub momentum: MomentumBalance,
    /// Results for soft bodies; missing where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft: Option<SoftSummary>,
    /// Hash of the last state, over the bodies sorted by name.
    pub hash: Hash,
    /// Verdicts on the expectations of the scene.
    pub expect: Vec<Verdict>,
    /// Whether all of them passed.
    pub pass: bool,
}

/// The worst penetration of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorstPenetration {
    /// Depth, relative to the size of the smaller body.
    #[schemars(range(min = 0.0))]
    pub relative: f64,
    /// Time at which it occurred \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Names of the two bodies; missing where no bodies overlapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<[String; 2]>,
}

/// Wall-clock times of a run. No other file of a run depends on them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Timing {
    /// Name of the machine.
    pub host: String,
    /// Number of threads.
    #[schemars(range(min = 1))]
    pub threads: usize,
    /// Wall-clock time of the run without loading \[s\].
    #[schemars(range(min = 0.0))]
    pub wall_time: f64,
    /// Simulated over wall-clock time.
    #[schemars(range(min = 0.0))]
    pub real_time_factor: f64,
    /// Time of a step by phase \[ms\].
    pub step_ms: BTreeMap<&'static str, Percentiles>,
    /// Number of the slowest step.
    pub slowest_step: u64,
    /// Times outside the steps.
    pub outside: OutsideTimes,
    /// Profile, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// Wall-clock times of a run outside its steps \[s\].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct OutsideTimes {
    /// Preprocessing of shapes before the first step; not part of `wall_time`.
    #[schemars(range(min = 0.0))]
    pub preparation: f64,
    /// Measurement and record of the state at the start; not part of `wall_time`.
    #[schemars(range(min = 0.0))]
    pub first_state: f64,
    /// Measurement, judgement and record of the states that follow.
    #[schemars(range(min = 0.0))]
    pub recording: f64,
    /// Checkpoints.
    #[schemars(range(min = 0.0))]
    pub checkpoints: f64,
}

impl OutsideTimes {
    /// All of them \[s\].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.preparation + self.first_state + self.recording + self.checkpoints
    }
}

/// Name of this machine, or `unknown`.
#[must_use]
pub fn host_name() -> String {
    let from_system = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name =
        from_system.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
    name.map_or_else(|| String::from("unknown"), |name| name.trim().to_owned())
}
