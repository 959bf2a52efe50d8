//! Golden files: the numbers of a run as a small text, with which later runs are compared.
//!
//! The expectations of a scene state physics, and hold for any correct program. A golden file states the numbers that this
//! program computed, and detects any change. It is JSON, line by line. The first line is the header:
//!
//! | key | holds |
//! |---|---|
//! | `format` | `extricate golden file, version 2` |
//! | `comments` | comments, which are preserved where a file is rewritten; may be missing |
//! | `scene` | path of the scene, for a reader |
//! | `input`, `text`, `files` | hash of everything that is read, of the scene's text, of each file it names |
//! | `made_by` | `program`, `libraries`: versions; `target`: the triple for which the bits are promised |
//! | `options` | of the run: `time_step` \[s\], number of `steps`, `every` how many one is recorded, `seed` |
//! | `scales` | [scales](super::compare::Scales) of the tolerances, and the prismatic joints |
//! | `tolerances` | a [tolerance](super::compare::Tolerances) for each quantity, to be edited by hand; `"any"` for what is not compared |
//! | `bounds` | extremes over all steps of the run, compared with the tolerances that hold at the end |
//! | `trail` | hashes of the states of some steps |
//! | `rounding` | fraction of its tolerance to which a number is rounded, so that what changes in a file is what changed in the run |
//!
//! Every further line is a [state](WorldState), as in `states.jsonl` of a run: the start, a few between, and the end. Bodies, joints and
//! soft bodies that are equal in the state before are left out, and so is the change of a soft body's volume, which follows from the
//! volume. `tolerances` beside them hold from that state on.
//!
//! SI units, world frame. Files of version 1, lines of words, are read as well.

mod bound;
mod comparison;
mod digits;
mod fault;
mod file;
mod format_v1;
mod rounding;
mod sample;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use super::InputFile;
use super::compare::{AcceptanceThresholds, Quantity, Scales, Tolerances, tolerances_json};
use crate::state::{Hash, WorldState, find_mut, insert, unique};

pub use bound::Bound;
pub use comparison::{GoldenReport, GoldenRun, RunSetup};
pub use fault::GoldenFault;
pub use rounding::PERTURBED_STEP;
pub use sample::Sampling;

/// Default fraction of a tolerance to which numbers are rounded: so much of the tolerance is lost, and a tenth of it costs one more digit
/// for each number.
const ROUNDING: f64 = 0.01;
/// Accepted deviation of the length of a quaternion from one: rounding to a wide tolerance may cause as much.
const UNIT_TOLERANCE: f64 = 0.1;

/// A golden file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// Version of the format.
    pub format: FormatVersion,
    /// Comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    /// Path of the scene, for a reader.
    pub scene: String,
    /// Hash of the scene and of everything that it names.
    pub input: Hash,
    /// Hash of the text of the scene.
    pub text: Hash,
    /// The files that the scene names.
    #[serde(default)]
    pub files: Vec<InputFile>,
    /// Program that made the file.
    #[serde(default)]
    pub made_by: MadeBy,
    /// Options of the run.
    pub options: GoldenOptions,
    /// Reference scales of the tolerances.
    pub scales: Scales,
    /// Accepted differences of a run.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// Extremes over all steps.
    #[serde(default, deserialize_with = "unique")]
    pub bounds: BTreeMap<Bound, f64>,
    /// Hashes of states between those in the file, by step.
    #[serde(default, deserialize_with = "unique")]
    #[schemars(with = "BTreeMap<String, Hash>")]
    pub trail: BTreeMap<u64, Hash>,
    /// Fraction of a tolerance to which the numbers of bounds and states are rounded.
    #[serde(default = "usual_rounding")]
    pub rounding: f64,
    /// A few states in the order of time, the start and the end among them.
    #[serde(skip)]
    pub states: Vec<GoldenState>,
}

fn usual_rounding() -> f64 {
    ROUNDING
}

/// Version of the format of a golden file. Whatever was read, version 2 is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum FormatVersion {
    /// Version 1: lines of words.
    #[serde(rename(serialize = "extricate golden file, version 2"), skip_deserializing)]
    #[schemars(skip)]
    V1,
    /// Version 2: lines of JSON.
    #[default]
    #[serde(rename = "extricate golden file, version 2")]
    V2,
}

/// Program that made a golden file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MadeBy {
    /// Version of this program.
    pub program: String,
    /// Versions of the libraries that the result depends on.
    pub libraries: BTreeMap<String, String>,
    /// Target triple of the program.
    pub target: String,
}

/// Options of the run of a golden file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoldenOptions {
    /// Length of a step \[s\].
    pub time_step: f64,
    /// Number of steps.
    pub steps: u64,
    /// Number of steps between recorded states and measurements of penetration.
    pub every: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// A state of a golden file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldenState {
    /// The state: only those bodies, robots, joints and soft bodies that differ from the state before.
    #[serde(flatten)]
    pub state: WorldState,
    /// Tolerances that hold from this state on.
    #[serde(default, with = "tolerances_json", skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "Tolerances")]
    pub tolerances: BTreeMap<Quantity, f64>,
    #[serde(flatten, skip_serializing)]
    #[schemars(skip)]
    further: Nothing,
}

/// Absence of further fields: `deny_unknown_fields` cannot be combined with `flatten`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Nothing;

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let further: BTreeMap<String, IgnoredAny> = unique(deserializer)?;
        match further.keys().next() {
            Some(name) => Err(D::Error::custom(format_args!("a state has no `{name}`"))),
            None => Ok(Self),
        }
    }
}

/// Checks that a step comes after the last state.
fn follows(last: Option<&GoldenState>, step: u64) -> Result<(), String> {
    match last.map(|last| last.state.step).filter(|last| *last >= step) {
        Some(last) => Err(format!("step {step} does not come after step {last}")),
        None => Ok(()),
    }
}

/// Whether a quaternion of that length is accepted as a rotation.
fn is_unit(length: f64) -> bool {
    (length - 1.0).abs() <= UNIT_TOLERANCE
}

impl Golden {
    /// The thresholds at the start.
    fn thresholds(&self) -> AcceptanceThresholds {
        AcceptanceThresholds::new(self.tolerances, self.scales.clone())
    }

    /// The thresholds at the end.
    fn final_thresholds(&self) -> AcceptanceThresholds {
        self.states.iter().fold(self.thresholds(), |thresholds, state| state.thresholds(thresholds))
    }
}

impl GoldenState {
    /// A state with the tolerances that hold before it.
    fn of(state: WorldState) -> Self {
        Self { state, tolerances: BTreeMap::new(), further: Nothing }
    }

    /// The thresholds from this state on, given those before it.
    fn thresholds(&self, before: AcceptanceThresholds) -> AcceptanceThresholds {
        if self.tolerances.is_empty() {
            return before;
        }
        let with = |tolerances: Tolerances, (quantity, x): (&Quantity, &f64)| tolerances.with(*quantity, *x);
        let tolerances = self.tolerances.iter().fold(*before.tolerances(), with);
        AcceptanceThresholds::new(tolerances, before.scales().clone())
    }

    /// Applies the changes of this state to the one before.
    fn change(&self, before: &mut WorldState) {
        let own = &self.state;
        (before.step, before.time, before.hash) = (own.step, own.time, own.hash);
        (before.energy, before.contacts) = (own.energy, own.contacts);
        before.max_penetration = own.max_penetration;
        for body in &own.bodies {
            insert(&mut before.bodies, body.clone());
        }
        for soft in &own.soft {
            insert(&mut before.soft, soft.clone());
        }
        for robot in &own.robots {
            match find_mut(&mut before.robots, &robot.name) {
                Some(known) => {
                    known.base = robot.base;
                    known.joints.extend(robot.joints.clone());
                }
                None => {
                    insert(&mut before.robots, robot.clone());
                }
            }
        }
    }
}

impl MadeBy {
    /// This program.
    #[must_use]
    pub fn this() -> Self {
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            libraries: [("rapier3d-f64".to_owned(), rapier3d::VERSION.to_owned())].into(),
            target: target(),
        }
    }
}

/// Target triple of this program, in the form of the compiler: architecture, vendor, system, environment.
#[must_use]
pub fn target() -> String {
    use std::env::consts::{ARCH, OS};
    let environment = match () {
        () if cfg!(target_env = "gnu") => "-gnu",
        () if cfg!(target_env = "musl") => "-musl",
        () if cfg!(target_env = "msvc") => "-msvc",
        () => "",
    };
    match OS {
        "macos" => format!("{ARCH}-apple-darwin"),
        "windows" => format!("{ARCH}-pc-windows{environment}"),
        _ => format!("{ARCH}-unknown-{OS}{environment}"),
    }
}
