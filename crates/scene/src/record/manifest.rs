//! `run.json`: what is run, and how. It is there from the start, so that a run that is killed can be read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Hash, RunOptions};
use crate::scene::Scene;
use extricate_dynamics::World;

/// What a run is of. Equal runs have equal ones, byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Version of this program.
    pub version: String,
    /// Versions of the libraries that the result depends on.
    pub libraries: BTreeMap<String, String>,
    /// Name of the scene: its file without folder and extension.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Hash of the scene file and of all files that it names.
    pub input_hash: Hash,
    /// Seed of everything random.
    pub seed: u64,
    /// Length of a step [s].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Number of steps the run is to take.
    #[schemars(range(min = 1))]
    pub steps: u64,
    /// Every how many steps a state is recorded.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// Every how many steps a checkpoint is written; zero where none is.
    #[serde(default)]
    pub checkpoint_every: u64,
    /// Whether what the scene expects is judged at the end.
    #[serde(default)]
    pub judged: bool,
    /// Bodies that were moved apart before the first step [m, world], by name; missing where none was.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moved: BTreeMap<String, [f64; 3]>,
    /// Joints of robots that were moved before the first step, by `robot/joint` [rad or m]; missing where none was.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joints_moved: BTreeMap<String, f64>,
}

impl Manifest {
    /// Name of the file in the folder of a run.
    pub const FILE: &str = "run.json";

    /// What is about to be run, with a checkpoint every so many steps.
    pub(super) fn new(
        scene: &Scene,
        world: &World,
        options: &RunOptions,
        (input_hash, checkpoint_every): (Hash, u64),
    ) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            libraries: [("rapier3d-f64".to_owned(), rapier3d::VERSION.to_owned())].into(),
            scene: scene.name(),
            title: scene.title.clone(),
            input_hash,
            seed: scene.seed,
            time_step: world.options().time_step,
            steps: options.steps,
            every: options.every,
            checkpoint_every,
            judged: options.judge,
            moved: scene.moved.iter().map(|(name, by)| (name.clone(), (*by).into())).collect(),
            joints_moved: scene.joints_moved.clone(),
        }
    }

    /// The options of the run.
    #[must_use]
    pub fn options(&self) -> RunOptions {
        RunOptions { steps: self.steps, every: self.every, judge: self.judged }
    }
}
