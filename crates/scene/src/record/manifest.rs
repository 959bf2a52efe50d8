//! Manifest of a run (`run.json`): its inputs and options. It is written at the start, so that a run that is killed can be read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Hash, RunOptions};
use crate::scene::Scene;
use extricate_dynamics::World;

/// Inputs and options of a run. Equal runs have equal manifests, byte for byte.
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
    /// Length of a step \[s\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Number of steps the run is to take.
    #[schemars(range(min = 1))]
    pub steps: u64,
    /// Number of steps between recorded states.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// Number of steps between checkpoints; zero where none is written.
    #[serde(default)]
    pub checkpoint_every: u64,
    /// Whether the expectations of the scene are checked at the end.
    #[serde(default, rename = "judged")]
    pub expectations_checked: bool,
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

    /// Manifest of a run that is about to start, with the hash of its inputs and the number of steps between checkpoints.
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
            expectations_checked: options.check_expectations,
            moved: scene.moved.iter().map(|(name, by)| (name.clone(), (*by).into())).collect(),
            joints_moved: scene.joints_moved.clone(),
        }
    }

    /// The options of the run.
    #[must_use]
    pub fn options(&self) -> RunOptions {
        RunOptions { steps: self.steps, every: self.every, check_expectations: self.expectations_checked }
    }
}
