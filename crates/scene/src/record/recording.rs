//! Reading the folder of a run: the scene, and any of its recorded states in any order.
//!
//! Opening scans every line of `states.jsonl` once; only the offset, the step and the time of each are retained, 32
//! bytes a state, so that a long run needs little memory. A state is read on request: a line of 150 bodies takes
//! about a third of a millisecond.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::contacts::{ContactPoint, ContactsFile};
use super::index::Index;
use super::nodes::{NODES, NodesFile};
use super::source::StateSource;
use super::{Manifest, RecordError, RunDirectory, bundle};
use crate::scene::Scene;
use crate::state::{Named, SoftState, WorldState, find};
use extricate_core::geometry::read::file::bytes_of;

/// A recorded run, complete or not.
#[derive(Debug)]
pub struct Recording {
    folder: PathBuf,
    manifest: Manifest,
    scene: Scene,
    index: Index,
    nodes: Option<NodesFile>,
    contacts: Option<ContactsFile>,
    names: ExpectedNames,
    summary: Option<Value>,
}

/// ExpectedNames that every state of a run must hold, sorted.
#[derive(Debug)]
struct ExpectedNames {
    bodies: Vec<String>,
    robots: Vec<String>,
}

/// Accepted deviation of the length of a recorded quaternion from 1: rapier renormalizes after every step.
const UNIT_TOLERANCE: f64 = 1e-6;

impl ExpectedNames {
    /// Checks that a state holds the bodies and robots of the scene, and proper rotations.
    fn check(&self, state: &WorldState) -> Result<(), String> {
        same("body", &self.bodies, &state.bodies)?;
        same("robot", &self.robots, &state.robots)?;
        match state.non_unit_rotation(UNIT_TOLERANCE) {
            Some((name, _)) => Err(format!("the rotation of `{name}` is not a unit quaternion")),
            None => Ok(()),
        }
    }
}

/// Checks that the names, both sorted, are the same.
fn same<T: Named>(what: &str, expected: &[String], found: &[T]) -> Result<(), String> {
    if let Some(missing) = expected.iter().find(|name| find(found, name).is_none()) {
        return Err(format!("the {what} `{missing}` is missing"));
    }
    match found
        .iter()
        .find(|entry| expected.binary_search_by(|name| name.as_str().cmp(entry.name())).is_err())
    {
        Some(unknown) => Err(format!("the scene has no {what} `{}`", unknown.name())),
        None => Ok(()),
    }
}

impl Recording {
    /// Opens the run in a folder. Of a run that was killed or is still running, the complete states are available.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use std::ops::ControlFlow;
    ///
    /// use extricate_scene::record::{Recording, RunDirectory, RunOptions, run};
    /// use extricate_scene::scene::Scene;
    ///
    /// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
    /// let folder = std::env::temp_dir().join(format!("extricate-recording-{}", std::process::id()));
    /// let options = RunOptions { steps: 10, every: 5, check_expectations: false };
    /// let directory = RunDirectory::create(&folder)?;
    /// run(&scene, scene.world()?, &options, Some(directory), &mut |_| ControlFlow::Continue(()))?;
    ///
    /// let recording = Recording::open(&folder)?;
    /// assert!(recording.is_complete());
    /// assert_eq!(recording.state_count(), 3);
    /// let last = recording.state(2)?;
    /// assert_eq!((last.step, last.bodies.len()), (10, recording.scene().bodies.len()));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RecordError`] when the folder holds no run, or a file of it is damaged: with the file, the line where there
    /// is one, and the cause.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, RecordError> {
        let folder = folder.as_ref().to_owned();
        let states = folder.join(RunDirectory::STATES);
        let manifest_file = folder.join(Manifest::FILE);
        if !states.is_file() || !manifest_file.is_file() {
            return Err(RecordError::NoRun { folder });
        }
        let manifest: Manifest = json(&manifest_file)?;
        let mut scene = Scene::load(folder.join(bundle::SCENE))?;
        // The run may have had another step than its scene.
        scene.options.time_step = manifest.time_step;
        let summary_file = folder.join(RunDirectory::SUMMARY);
        let summary: Option<Value> = summary_file.is_file().then(|| json(&summary_file)).transpose()?;
        let index = Index::of(&states)?;
        let world = scene.world()?;
        let nodes = nodes_of(&folder, &world)?;
        let names = ExpectedNames {
            bodies: world.descriptions().iter().map(|body| body.name.clone()).collect(),
            robots: world.robots().into_iter().map(|robot| robot.name).collect(),
        };
        let mut recording = Self { folder, manifest, scene, index, nodes, contacts: None, names, summary };
        recording.retain_complete_states()?;
        recording.contacts = ContactsFile::open(&recording.folder, &recording.index)?;
        Ok(recording)
    }

    /// Retains the complete states, and checks a complete run against its summary.
    fn retain_complete_states(&mut self) -> Result<(), RecordError> {
        let lines = self.index.states.len();
        // Nodes are written before their line: a killed run may have one state more of the former.
        let whole = self.nodes.as_ref().map_or(lines, |nodes| lines.min(nodes.states()));
        if let Some(summary) = &self.summary {
            let last = self.index.states.last().map_or(0, |state| state.step);
            if whole < lines {
                let cause = format!("it holds {whole} states, and {} {lines}", RunDirectory::STATES);
                return Err(RecordError::damaged(&self.folder.join(NODES), None, cause));
            }
            if summary.get("steps").and_then(Value::as_u64) != Some(last) {
                let steps = summary.get("steps").cloned().unwrap_or_default();
                let cause = format!("the last state is that of step {last}, but the run took {steps} steps");
                return Err(RecordError::damaged(&self.states_file(), None, cause));
            }
        }
        self.index.states.truncate(whole);
        if whole == 0 {
            let cause = String::from("no state was recorded");
            return Err(RecordError::damaged(&self.states_file(), None, cause));
        }
        Ok(())
    }

    fn states_file(&self) -> PathBuf {
        self.folder.join(RunDirectory::STATES)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Manifest of the run.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The scene that was run, from its copy in the folder.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whether the run is complete. One that was killed or stopped, or is still running, is not.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.summary.is_some()
    }

    /// `summary.json` of a complete run.
    #[must_use]
    pub fn summary(&self) -> Option<&Value> {
        self.summary.as_ref()
    }

    /// Number of recorded states, at least one.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.index.states.len()
    }

    /// Time of a state \[s\], ascending.
    ///
    /// # Panics
    /// When there is no such state.
    #[must_use]
    pub fn time(&self, state: usize) -> f64 {
        self.index.states[state].time
    }

    /// Number of steps before a state, ascending.
    ///
    /// # Panics
    /// When there is no such state.
    #[must_use]
    pub fn step(&self, state: usize) -> u64 {
        self.index.states[state].step
    }

    /// Whether contacts were recorded: [`StateSource::contacts`] of this run has them.
    #[must_use]
    pub fn has_contacts(&self) -> bool {
        self.contacts.is_some()
    }

    /// The last state that is not after a time \[s\]; the first one of times before it.
    #[must_use]
    pub fn state_at(&self, time: f64) -> usize {
        self.index.states.partition_point(|state| state.time <= time).saturating_sub(1)
    }

    /// A recorded state, 0 being the start.
    ///
    /// # Errors
    /// [`RecordError`] when its line or its nodes cannot be read, or do not match the scene.
    ///
    /// # Panics
    /// When there is no such state.
    pub fn state(&self, state: usize) -> Result<WorldState, RecordError> {
        let entry = &self.index.states[state];
        let path = self.states_file();
        let damaged = |cause: String| RecordError::damaged(&path, Some(state + 1), cause);
        let bytes = entry.line(&path).map_err(|source| RecordError::unreadable(&path, source))?;
        let mut read: WorldState = serde_json::from_slice(&bytes)
            .map_err(|error| RecordError::json(&path, Some(state + 1), &error))?;
        let nodes = match &self.nodes {
            Some(file) => file
                .read(state, read.step)
                .map_err(|source| RecordError::damaged(&self.folder.join(NODES), None, source.to_string()))?,
            None => Vec::new(),
        };
        let bodies = self.nodes.as_ref().map_or(&[][..], NodesFile::bodies);
        self.names.check(&read).map_err(&damaged)?;
        let soft = bodies.iter().zip(nodes).map(|((name, _), nodes)| {
            let state = find(&read.soft, name).ok_or_else(|| format!("the soft body `{name}` is missing"))?;
            Ok(SoftState { nodes, ..state.clone() })
        });
        read.soft = soft.collect::<Result<_, _>>().map_err(&damaged)?;
        Ok(read)
    }
}

impl StateSource for Recording {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn state_count(&self) -> usize {
        self.index.states.len()
    }

    fn state(&self, state: usize) -> Result<WorldState, RecordError> {
        Self::state(self, state)
    }

    fn contacts(&self, state: usize) -> Result<Option<Vec<ContactPoint>>, RecordError> {
        self.contacts.as_ref().map(|contacts| contacts.read(state)).transpose()
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}

/// The nodes of a run whose scene has soft bodies.
fn nodes_of(folder: &Path, world: &extricate_dynamics::World) -> Result<Option<NodesFile>, RecordError> {
    let bodies = world.soft_descriptions();
    if bodies.is_empty() {
        return Ok(None);
    }
    let path = folder.join(NODES);
    let nodes = NodesFile::open(folder).map_err(|source| match source.kind() {
        // These kinds are errors of the content; all others are those of the system.
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            RecordError::damaged(&path, None, source.to_string())
        }
        _ => RecordError::unreadable(&path, source),
    })?;
    let fits = bodies.len() == nodes.bodies().len()
        && bodies.iter().zip(nodes.bodies()).all(|(body, (name, count))| {
            body.name == *name && world.soft_positions(name).map(<[_]>::len) == Some(*count)
        });
    match fits {
        true => Ok(Some(nodes)),
        false => {
            let cause = String::from("its soft bodies are not those of the scene");
            Err(RecordError::damaged(&path, None, cause))
        }
    }
}

/// Maximum length of `run.json` and `summary.json` [bytes]: that of the verdicts and moved bodies of a million.
const JSON_BYTES: u64 = 1 << 30;

/// Reads a JSON file of a run.
fn json<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    let bytes = bytes_of(path, JSON_BYTES).map_err(|source| RecordError::unreadable(path, source))?;
    serde_json::from_slice(&bytes).map_err(|error| RecordError::json(path, None, &error))
}
