//! The folder of a run: the scene with its files, `run.json`, `states.jsonl`, `nodes.bin` where there are soft bodies,
//! `timing.json`, `summary.json`, `plots.svg`, `timing.svg`, `checkpoints/STEP.bin`, and on request `contacts.jsonl`, `soft/*.vtu` and `soft.pvd`.
//!
//! A run that is killed leaves whole states and no summary; a summary is there only when the run is complete.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::checkpoint::{self, CHECKPOINTS, Checkpoints, Lengths, RunState};
use super::contacts::{CONTACTS, ContactsWriter};
use super::index::Index;
use super::nodes::{NODES, NodesWriter};
use super::plots::RunPlots;
use super::soft::{picture_step, write_collection, write_pictures};
use super::trajectory::TrajectoryState;
use super::{Manifest, RecordError, Summary, Timing, WorldState, bundle};
use crate::disk::{remove_if_there, write_json};
use crate::scene::Scene;
use extricate_dynamics::World;

/// The folder of a run that is being written.
#[derive(Debug)]
pub struct RunDirectory {
    folder: PathBuf,
    states: File,
    line: Vec<u8>,
    /// The node positions of soft bodies, once the run has begun and if there are any.
    nodes: Option<NodesWriter>,
    /// The contacts, if they are requested.
    contacts: Option<ContactsWriter>,
    /// Folder of the VTU files of soft bodies, if they are requested.
    pictures: Option<PathBuf>,
    /// Number of steps between checkpoints; zero where none is written.
    checkpoint_every: u64,
    /// Checkpoints, once the run has begun.
    checkpoints: Option<Checkpoints>,
    /// Length of `states.jsonl` [bytes].
    length: u64,
    /// The plots; none where they are not wanted.
    plots: Option<RunPlots>,
    /// Follows the recorded states, if it is requested.
    listener: Option<Box<dyn StateListener>>,
}

/// Follows the recorded states of a run while it runs.
pub trait StateListener: Debug + Send {
    /// Receives a state that was recorded, with the world that has it.
    fn receive(&mut self, world: &World, state: &WorldState);
}

impl RunDirectory {
    /// Name of the file of states.
    pub const STATES: &str = "states.jsonl";
    /// Name of the file of the summary, which a complete run has.
    pub const SUMMARY: &str = "summary.json";
    const TIMING: &str = "timing.json";
    const PICTURES: &str = "soft";
    const COLLECTION: &str = "soft.pvd";

    /// Creates the folder, or removes the files of an earlier run from it; other files in it stay.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not allow it.
    pub fn create(folder: impl Into<PathBuf>) -> Result<Self, RecordError> {
        let folder = folder.into();
        with_path(&folder, fs::create_dir_all(&folder))?;
        // The summary is removed first: without it the run counts as incomplete, whatever else remains.
        let files = [
            Self::SUMMARY,
            Self::TIMING,
            Manifest::FILE,
            NODES,
            CONTACTS,
            RunPlots::STATES,
            RunPlots::TIMING,
        ];
        for old in files {
            let path = folder.join(old);
            with_path(&path, remove_if_there(&path))?;
        }
        checkpoint::remove(&folder.join(CHECKPOINTS), &|_| true)?;
        let path = folder.join(Self::STATES);
        let states = with_path(&path, File::create(&path))?;
        Ok(Self::with(folder, states))
    }

    fn with(folder: PathBuf, states: File) -> Self {
        Self {
            folder,
            states,
            line: Vec::new(),
            nodes: None,
            contacts: None,
            pictures: None,
            checkpoint_every: 0,
            checkpoints: None,
            length: 0,
            plots: Some(RunPlots::default()),
            listener: None,
        }
    }

    /// The same, with a listener that receives each recorded state.
    #[must_use]
    pub fn with_listener(mut self, listener: Box<dyn StateListener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// The same, without plots: for many short runs, of which nobody looks at each. A run that is resumed has them.
    #[must_use]
    pub fn without_plots(mut self) -> Self {
        self.plots = None;
        self
    }

    /// The same, with a checkpoint every `every` steps; none where that is zero.
    #[must_use]
    pub fn with_checkpoints(mut self, every: u64) -> Self {
        self.checkpoint_every = every;
        self
    }

    /// Number of steps between checkpoints; zero where none is written.
    pub(super) fn checkpoint_every(&self) -> u64 {
        self.checkpoint_every
    }

    /// Reopens the folder of a run that continues after `step`, when its files had the given lengths: everything behind these is removed.
    /// The files must have at least these lengths.
    pub(super) fn reopen(
        folder: &Path,
        manifest: &Manifest,
        (step, lengths): (u64, Lengths),
        world: &World,
    ) -> Result<Self, RecordError> {
        for late in [Self::SUMMARY, Self::TIMING] {
            let path = folder.join(late);
            with_path(&path, remove_if_there(&path))?;
        }
        checkpoint::remove(&folder.join(CHECKPOINTS), &|found| found > step)?;
        let path = folder.join(Self::STATES);
        let states = with_path(&path, cut(&path, lengths.states))?;
        let mut this = Self::with(folder.to_owned(), states).with_checkpoints(manifest.checkpoint_every);
        this.length = lengths.states;
        this.plots = Some(RunPlots::of_file(&path)?);
        this.checkpoints = Checkpoints::of(folder, manifest.checkpoint_every, manifest.input_hash);
        if let Some(length) = lengths.nodes {
            let path = folder.join(NODES);
            let file = with_path(&path, cut(&path, length))?;
            this.nodes = Some(NodesWriter::reopened(folder, file, length));
        } else if !world.soft_descriptions().is_empty() {
            this.nodes = Some(NodesWriter::create(folder, world)?);
        }
        this.contacts = ContactsWriter::reopen(folder, Index::of(&path)?.states.len())?;
        let pictures = folder.join(Self::PICTURES);
        if pictures.is_dir() {
            for entry in with_path(&pictures, fs::read_dir(&pictures))? {
                let path = with_path(&pictures, entry)?.path();
                // Without a recorded state the run starts again, and writes the files of step 0 as well.
                if picture_step(&path).is_some_and(|found| found > step || lengths.states == 0) {
                    with_path(&path, fs::remove_file(&path))?;
                }
            }
            this.pictures = Some(pictures);
        }
        Ok(this)
    }

    /// Writes a value as JSON, atomically.
    fn replace(&self, name: &str, value: &impl Serialize) -> Result<(), RecordError> {
        let path = self.folder.join(name);
        with_path(&path, write_json(&path, value))
    }

    /// Rewrites `run.json`, where a run is resumed with another number of steps.
    pub(super) fn write_manifest(&self, manifest: &Manifest) -> Result<(), RecordError> {
        self.replace(Manifest::FILE, manifest)
    }

    /// Whether a checkpoint is due after a step.
    pub(super) fn is_checkpoint_due(&self, step: u64) -> bool {
        self.checkpoints.as_ref().is_some_and(|checkpoints| checkpoints.are_due(step))
    }

    /// Writes a checkpoint if one is due, or if the run stops here.
    pub(super) fn checkpoint(
        &mut self,
        world: &World,
        trajectory: &dyn Fn() -> TrajectoryState,
        stopped: bool,
    ) -> Result<(), RecordError> {
        let Some(checkpoints) = &self.checkpoints else { return Ok(()) };
        if !(stopped || checkpoints.are_due(world.steps())) {
            return Ok(());
        }
        // The checkpoint relies on the lengths of these files: they are flushed to the disk before it.
        with_path(&self.folder.join(Self::STATES), self.states.sync_data())?;
        self.nodes.as_ref().map_or(Ok(()), NodesWriter::finish)?;
        let lengths = Lengths { states: self.length, nodes: self.nodes.as_ref().map(NodesWriter::length) };
        checkpoints.write(world, &RunState { trajectory: trajectory(), lengths })
    }

    /// The same, with the contacts of each recorded state in `contacts.jsonl`.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not allow it.
    pub fn with_contacts(mut self) -> Result<Self, RecordError> {
        self.contacts = Some(ContactsWriter::create(&self.folder)?);
        Ok(self)
    }

    /// The same, with a file `soft/NAME-STEP.vtu` for each soft body of each recorded state. Those of an earlier run are
    /// removed.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not allow it.
    pub fn with_pictures(mut self) -> Result<Self, RecordError> {
        let pictures = self.folder.join(Self::PICTURES);
        with_path(&pictures, fs::create_dir_all(&pictures))?;
        for entry in with_path(&pictures, fs::read_dir(&pictures))? {
            let path = with_path(&pictures, entry)?.path();
            if path.extension().is_some_and(|extension| extension == "vtu") {
                with_path(&path, fs::remove_file(&path))?;
            }
        }
        self.pictures = Some(pictures);
        Ok(self)
    }

    /// Writes the inputs of the run: the scene with its files, and then `run.json`.
    pub(super) fn begin(
        &mut self,
        scene: &Scene,
        world: &World,
        manifest: &Manifest,
    ) -> Result<(), RecordError> {
        bundle::write(scene, &self.folder)?;
        if !world.soft_descriptions().is_empty() {
            self.nodes = Some(NodesWriter::create(&self.folder, world)?);
        }
        self.checkpoints = Checkpoints::of(&self.folder, self.checkpoint_every, manifest.input_hash);
        self.write_manifest(manifest)
    }

    /// Records a state: its nodes and contacts, then its line, then the VTU files of its soft bodies if these are requested.
    pub(super) fn record(&mut self, world: &World, state: &WorldState) -> Result<(), RecordError> {
        self.nodes.as_mut().map_or(Ok(()), |nodes| nodes.append(world))?;
        self.contacts.as_mut().map_or(Ok(()), |contacts| contacts.append(world))?;
        self.append(state)?;
        if let Some(listener) = &mut self.listener {
            listener.receive(world, state);
        }
        self.pictures.as_ref().map_or(Ok(()), |folder| write_pictures(world, folder))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Appends a state. The line is handed to the system as a whole, so that a reader never waits for its end.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not take it.
    pub fn append(&mut self, state: &WorldState) -> Result<(), RecordError> {
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, state).map_err(io::Error::from);
        self.line.push(b'\n');
        with_path(&self.folder.join(Self::STATES), written.and_then(|()| self.states.write_all(&self.line)))?;
        self.length += self.line.len() as u64;
        if let Some(plots) = &mut self.plots {
            plots.add(state);
        }
        Ok(())
    }

    /// Takes the time of a step into its plot: simulated time at its end \[s\], and wall-clock time.
    pub(super) fn follow(&mut self, time: f64, wall: Duration) {
        if let Some(plots) = &mut self.plots {
            plots.add_step(time, wall);
        }
    }

    /// Writes the timing and the plots, and then the summary, which makes the run complete.
    ///
    /// # Errors
    /// [`RecordError`] when the system does not take it.
    pub fn complete(self, summary: &Summary, timing: &Timing) -> Result<(), RecordError> {
        with_path(&self.folder.join(Self::STATES), self.states.sync_all())?;
        self.nodes.as_ref().map_or(Ok(()), NodesWriter::finish)?;
        self.checkpoints.as_ref().map_or(Ok(()), |checkpoints| checkpoints.prune(summary.steps))?;
        self.replace(Self::TIMING, timing)?;
        self.plots.as_ref().map_or(Ok(()), |plots| plots.write(&summary.title, &self.folder))?;
        if let Some(pictures) = &self.pictures {
            write_collection(pictures, summary.time_step, &self.folder.join(Self::COLLECTION))?;
        }
        // The summary comes last, since it declares the run complete.
        self.replace(Self::SUMMARY, summary)
    }
}

/// Opens a file to be appended to, and cuts it to a length that it must have at least.
fn cut(path: &Path, length: u64) -> io::Result<File> {
    let file = OpenOptions::new().append(true).open(path)?;
    let found = file.metadata()?.len();
    if found < length {
        let message = format!("it has {found} bytes, and the checkpoint needs {length}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    file.set_len(length)?;
    Ok(file)
}

fn with_path<T>(path: &Path, result: io::Result<T>) -> Result<T, RecordError> {
    result.map_err(|source| RecordError::write(path, source))
}
