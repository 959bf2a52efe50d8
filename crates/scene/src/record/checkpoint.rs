//! Checkpoints of a run: `checkpoints/STEP.bin` in its folder, each the whole state after a step.
//!
//! A checkpoint is written every so many steps: under another name, flushed to the disk, and then renamed, so that it is whole
//! or missing. The newest [`MAX_CHECKPOINTS`] are retained. Beside the [state of the world](extricate_dynamics::Checkpoint) it holds the state of
//! the run's monitors and the lengths of its growing files, so that a resumed run leaves the same files as
//! one that was not interrupted.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::trajectory::TrajectoryState;
use super::{Hash, RecordError};
use crate::disk::write_durably;
use extricate_dynamics::{Checkpoint, CheckpointError, World};

/// Name of the folder of checkpoints in the folder of a run.
pub(super) const CHECKPOINTS: &str = "checkpoints";
/// Number of retained checkpoints: more than one, since the newest may be of a state that already diverges; each takes the room of a whole
/// state.
const MAX_CHECKPOINTS: u64 = 3;

/// The run's own part of a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct RunState {
    pub(super) trajectory: TrajectoryState,
    pub(super) lengths: Lengths,
}

/// Lengths of the growing files of a run [bytes].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lengths {
    pub(super) states: u64,
    /// None where there are no soft bodies.
    pub(super) nodes: Option<u64>,
}

/// The folder of the checkpoints of a run.
#[derive(Debug)]
pub(super) struct Checkpoints {
    folder: PathBuf,
    every: u64,
    input_hash: Hash,
}

impl Checkpoints {
    /// Checkpoints of the run in a folder, every `every` steps; none where that is zero.
    pub(super) fn of(run: &Path, every: u64, input_hash: Hash) -> Option<Self> {
        (every > 0).then(|| Self { folder: run.join(CHECKPOINTS), every, input_hash })
    }

    /// Whether a checkpoint is due after a step.
    pub(super) fn are_due(&self, step: u64) -> bool {
        step.is_multiple_of(self.every)
    }

    /// Writes a checkpoint of the run as it is, and removes superfluous ones.
    pub(super) fn write(&self, world: &World, state: &RunState) -> Result<(), RecordError> {
        let run = postcard::to_allocvec(state)
            .map_err(|error| CheckpointError::Encode { reason: error.to_string() })?;
        let mut checkpoint = world.checkpoint()?;
        (checkpoint.scene, checkpoint.run) = (self.input_hash.0, run);
        let bytes = checkpoint.to_bytes()?;
        let path = path_of(&self.folder, world.steps());
        fs::create_dir_all(&self.folder).map_err(|source| RecordError::write(&self.folder, source))?;
        write_durably(&path, &bytes).map_err(|source| RecordError::write(&path, source))?;
        // Pruning removes checkpoints that are not due, among them the one that a stopped run has just written.
        if self.are_due(world.steps()) {
            self.prune(world.steps())?;
        }
        Ok(())
    }

    /// Removes all checkpoints but the newest that are due up to `step`.
    pub(super) fn prune(&self, step: u64) -> Result<(), RecordError> {
        let newest = step - step % self.every;
        let stays = |found: u64| {
            self.are_due(found) && found <= newest && newest - found < MAX_CHECKPOINTS * self.every
        };
        remove(&self.folder, &|found| !stays(found))
    }
}

/// Steps for which a folder of a run has checkpoints, ascending.
pub(super) fn steps(run: &Path) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(run.join(CHECKPOINTS)) else { return Vec::new() };
    let mut steps: Vec<u64> = entries.filter_map(|entry| step_of(&entry.ok()?.path())).collect();
    steps.sort_unstable();
    steps
}

/// Reads the checkpoint of a run after a step, with the run's own part.
pub(super) fn read(run: &Path, step: u64, input_hash: Hash) -> Result<(Checkpoint, RunState), Unusable> {
    let path = path_of(&run.join(CHECKPOINTS), step);
    let unusable = |cause: String| Unusable { path: path.clone(), cause };
    let bytes = fs::read(&path).map_err(|error| unusable(error.to_string()))?;
    let checkpoint = Checkpoint::read(&bytes).map_err(|error| unusable(error.to_string()))?;
    // A checkpoint of other inputs may fit the world by chance.
    if checkpoint.scene != input_hash.0 || checkpoint.step() != step {
        return Err(unusable(String::from("it belongs to another run")));
    }
    let state = postcard::from_bytes(&checkpoint.run).map_err(|error| unusable(error.to_string()))?;
    Ok((checkpoint, state))
}

/// A checkpoint that cannot be used, with the reason.
#[derive(Debug, Clone)]
pub(super) struct Unusable {
    pub(super) path: PathBuf,
    pub(super) cause: String,
}

/// Removes the checkpoints of `unwanted` steps, and partially written files.
pub(super) fn remove(folder: &Path, unwanted: &dyn Fn(u64) -> bool) -> Result<(), RecordError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_part = path.extension().is_some_and(|extension| extension == "part");
        if is_part || step_of(&path).is_some_and(unwanted) {
            fs::remove_file(&path).map_err(|source| RecordError::write(&path, source))?;
        }
    }
    Ok(())
}

fn path_of(folder: &Path, step: u64) -> PathBuf {
    folder.join(format!("{step:09}.bin"))
}

fn step_of(path: &Path) -> Option<u64> {
    let is_one = path.extension().is_some_and(|extension| extension == "bin");
    path.file_stem().filter(|_| is_one)?.to_str()?.parse().ok()
}
