//! Golden files: the numbers of a run as a small text, so that a later run can be held against them.
//!
//! What a scene expects states physics, and holds for any program that is right. A golden file states the numbers that this
//! program gave, and notices any change. It is JSON, line by line. The first line is the header:
//!
//! | key | holds |
//! |---|---|
//! | `format` | `extricate golden file, version 2` |
//! | `comments` | comments, which stay where a file is written anew; may be missing |
//! | `scene` | path of the scene, for a reader |
//! | `input`, `text`, `files` | hash of everything that is read, of the scene's text, of each file it names |
//! | `made_by` | `program`, `libraries`: versions; `target`: the triple for which the bits are promised |
//! | `options` | of the run: `time_step` [s], number of `steps`, `every` how many one is recorded, `seed` |
//! | `scales` | [scales](super::compare::Scales) of the tolerances, and the joints that slide |
//! | `tolerances` | a [tolerance](super::compare::Tolerances) for each quantity, to be edited by hand; `"any"` for what is not compared |
//! | `bounds` | extremes over all steps of the run, compared with the tolerances that hold at the end |
//! | `trail` | hashes of the states of some steps |
//! | `rounding` | share of its tolerance to which a number is rounded, so that what changes in a file is what changed in the run |
//!
//! Every further line is a [state](WorldState), as `states.jsonl` of a run has it: the start, a few between, and the end. Of
//! bodies, joints and soft bodies those are told that are not as in the state before; of a soft body not the change of its
//! volume, which follows. `tolerances` beside them hold from that state on.
//!
//! SI units, world frame. Files of the first form, lines of words, are read as well.

mod bound;
mod digits;
mod fault;
mod file;
mod first_form;
mod judge;
mod rounding;
mod sample;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use super::InputFile;
use super::compare::{Bars, Quantity, Scales, Tolerances, tolerances_json};
use crate::state::{Hash, WorldState, find_mut, insert, unique};

pub use bound::Bound;
pub use fault::GoldenFault;
pub use judge::{BeforeRun, GoldenReport, GoldenRun};
pub use rounding::ROUNDED_STEP;
pub use sample::Sampling;

/// Share of a tolerance to which numbers are rounded where nothing else is said.
const ROUNDING: f64 = 0.01;
/// How far the length of a quaternion may be from one: what rounding to a wide tolerance does.
const UNIT_TOLERANCE: f64 = 0.1;

/// A golden file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// In which form it was read.
    #[serde(rename = "format")]
    pub form: Form,
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
    /// What ran it.
    #[serde(default)]
    pub made_by: MadeBy,
    /// How it was run.
    pub options: GoldenOptions,
    /// What its tolerances are relative to.
    pub scales: Scales,
    /// How far a run may be from it.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// Extremes over all steps.
    #[serde(default, deserialize_with = "unique")]
    pub bounds: BTreeMap<Bound, f64>,
    /// Hashes of states between those that are told, by step.
    #[serde(default, deserialize_with = "unique")]
    pub trail: BTreeMap<u64, Hash>,
    /// Share of a tolerance to which the numbers of bounds and states are rounded.
    #[serde(default = "usual_rounding")]
    pub rounding: f64,
    /// A few states in the order of time, the start and the end among them.
    #[serde(skip)]
    pub states: Vec<GoldenState>,
}

fn usual_rounding() -> f64 {
    ROUNDING
}

/// Form of a golden file. Whatever it was read in, it is written in the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Form {
    /// Lines of words.
    #[serde(rename(serialize = "extricate golden file, version 2"), skip_deserializing)]
    First,
    /// Lines of JSON.
    #[default]
    #[serde(rename = "extricate golden file, version 2")]
    Second,
}

/// What a golden file was made by.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MadeBy {
    /// Version of this program.
    pub program: String,
    /// Versions of the libraries that the result depends on.
    pub libraries: BTreeMap<String, String>,
    /// Target triple of the program.
    pub target: String,
}

/// How a run of a golden file is run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenOptions {
    /// Length of a step [s].
    pub time_step: f64,
    /// Number of steps.
    pub steps: u64,
    /// Every how many steps a state is recorded and penetrations are measured.
    pub every: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// A state of a golden file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenState {
    /// The state: of bodies, robots, joints and soft bodies those that are not as in the state before.
    #[serde(flatten)]
    pub state: WorldState,
    /// Tolerances that hold from this state on.
    #[serde(default, with = "tolerances_json", skip_serializing_if = "BTreeMap::is_empty")]
    pub tolerances: BTreeMap<Quantity, f64>,
    #[serde(flatten, skip_serializing)]
    further: Nothing,
}

/// No further fields.
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

/// Whether a step comes after the last state.
fn follows(last: Option<&GoldenState>, step: u64) -> Result<(), String> {
    match last.map(|last| last.state.step).filter(|last| *last >= step) {
        Some(last) => Err(format!("step {step} does not come after step {last}")),
        None => Ok(()),
    }
}

/// Whether a quaternion of that length tells a rotation.
fn is_unit(length: f64) -> bool {
    (length - 1.0).abs() <= UNIT_TOLERANCE
}

impl Golden {
    /// The tolerances that hold at the start.
    fn bars(&self) -> Bars {
        Bars::new(self.tolerances, self.scales.clone())
    }

    /// The tolerances that hold at the end.
    fn last_bars(&self) -> Bars {
        self.states.iter().fold(self.bars(), |bars, state| state.bars(bars))
    }
}

impl GoldenState {
    /// A state under the tolerances that hold before.
    fn of(state: WorldState) -> Self {
        Self { state, tolerances: BTreeMap::new(), further: Nothing }
    }

    /// The tolerances that hold from this state on, of those that hold before.
    fn bars(&self, before: Bars) -> Bars {
        if self.tolerances.is_empty() {
            return before;
        }
        let with = |tolerances: Tolerances, (quantity, x): (&Quantity, &f64)| tolerances.with(*quantity, *x);
        let tolerances = self.tolerances.iter().fold(*before.tolerances(), with);
        Bars::new(tolerances, before.scales().clone())
    }

    /// Makes the state before into this one.
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
