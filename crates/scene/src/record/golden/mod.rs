//! Golden files: the numbers of a run as a small text, so that a later run can be held against them.
//!
//! What a scene expects states physics, and holds for any program that is right. A golden file states the numbers that this
//! program gave, and notices any change. It is read and written line by line; a line starts with a word:
//!
//! | line | holds |
//! |---|---|
//! | `extricate golden file, version 1` | the first line, after comments |
//! | `# …` | a comment; comments stay where a file is written anew, at its head |
//! | `scene "…"` | path of the scene, for a reader |
//! | `input H`, `text H`, `file "…" H` | hash of everything that is read, of the scene's text, of each file it names |
//! | `program "…"`, `library "…" "…"`, `target "…"` | versions, and the target triple for which the bits are promised |
//! | `time_step`, `steps`, `every`, `seed` | options of the run: length of a step [s], their number, every how many one is recorded |
//! | `scale NAME x`, `sliding "robot/joint"` | [scales](super::compare::Scales) of the tolerances, and the joints that slide |
//! | `tolerance QUANTITY x` | a [tolerance](super::compare::Tolerances), to be edited by hand; `any` for what is not compared. Below a `state` it holds from that state on; bounds are compared with what holds at the end |
//! | `bound NAME x` | an extreme over all steps of the run |
//! | `trail N H` | hash of the state of step N |
//! | `state N time t hash H` | begins a state: the start, a few between, and the end. What stays as in the state before is not told again |
//! | `body "…"` | `position x y z`, `rotation w x y z` unless it is none, `linear_velocity`, `angular_velocity` unless they are zero |
//! | `robot "…"`, `joint "ROBOT" "JOINT" x` | `position`, `rotation` of its root; value of a joint [rad or m] |
//! | `soft "…"` | `centroid`, `velocity` unless it is zero, `volume`, `max_penetration`, `inverted` |
//! | `energy k p e`, `contacts n`, `max_penetration d` | of the state |
//!
//! SI units, world frame. Names are JSON strings, hashes sixteen hexadecimal digits. Numbers are rounded to a hundredth
//! of their tolerance, so that what changes in a file is what changed in the run.

mod bound;
mod fault;
mod judge;
mod line;
mod number;
mod parse;
mod rounding;
mod sample;
mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::InputFile;
use super::compare::{Bars, Quantity, Scales, Tolerances};
use crate::state::{Hash, WorldState};

pub use bound::Bound;
pub use fault::GoldenFault;
pub use judge::{BeforeRun, GoldenReport, GoldenRun};
pub use rounding::ROUNDED_STEP;
pub use sample::Sampling;

/// A golden file.
#[derive(Debug, Clone, PartialEq)]
pub struct Golden {
    /// Comments, without their `#`.
    pub comments: Vec<String>,
    /// Path of the scene, for a reader.
    pub scene: String,
    /// Hash of the scene and of everything that it names.
    pub input: Hash,
    /// Hash of the text of the scene.
    pub text: Hash,
    /// The files that the scene names.
    pub files: Vec<InputFile>,
    /// What ran it.
    pub made_by: MadeBy,
    /// How it was run.
    pub options: GoldenOptions,
    /// What its tolerances are relative to.
    pub scales: Scales,
    /// How far a run may be from it.
    pub tolerances: Tolerances,
    /// Extremes over all steps.
    pub bounds: BTreeMap<Bound, f64>,
    /// Hashes of states between those that are told, by step.
    pub trail: BTreeMap<u64, Hash>,
    /// A few states in the order of time, the start and the end among them.
    pub states: Vec<GoldenState>,
}

/// What a golden file was made by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MadeBy {
    /// Version of this program.
    pub program: String,
    /// Versions of the libraries that the result depends on.
    pub libraries: BTreeMap<String, String>,
    /// Target triple of the program.
    pub target: String,
}

/// How a run of a golden file is run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct GoldenState {
    /// The state: of bodies, robots and joints those that are not as in the state before.
    pub state: WorldState,
    /// Tolerances that hold from this state on.
    pub tolerances: BTreeMap<Quantity, f64>,
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
    /// The tolerances that hold from this state on, of those that hold before.
    fn bars(&self, before: Bars) -> Bars {
        if self.tolerances.is_empty() {
            return before;
        }
        let with = |tolerances: Tolerances, (quantity, x): (&Quantity, &f64)| tolerances.with(*quantity, *x);
        let tolerances = self.tolerances.iter().fold(*before.tolerances(), with);
        Bars::new(tolerances, before.scales().clone())
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
