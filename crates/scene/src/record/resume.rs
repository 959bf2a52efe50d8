//! Resuming a run from one of its checkpoints.
//!
//! The folder of the run is all that is needed. Everything behind the checkpoint is removed, and the run continues to its end: all
//! files but `timing.json` and `timing.svg` are then those of a run that was not interrupted, byte for byte.

use std::path::{Path, PathBuf};

use super::checkpoint::{self, Lengths, RunState, Unusable};
use super::run::{Monitor, RunLoop, record};
use super::summary::OutsideTimes;
use super::trajectory::Trajectory;
use super::{Manifest, Outcome, RecordError, Recording, RunDirectory, bundle};
use crate::scene::Scene;
use extricate_dynamics::{CheckpointError, World};

/// Checkpoint from which a run is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeFrom {
    /// The newest checkpoint.
    Last,
    /// The newest checkpoint that is not after a step.
    Step(u64),
}

/// A run that is about to be resumed. Nothing in its folder has been changed.
pub struct Resumed {
    folder: PathBuf,
    manifest: Manifest,
    scene: Scene,
    world: World,
    /// State of the monitors; none at the start.
    state: Option<RunState>,
    extended: bool,
}

impl Resumed {
    /// Opens the run in a folder at a checkpoint before its end, or at its start where there is none. With `steps` it is to take so
    /// many in all.
    ///
    /// A checkpoint that is damaged, or newer than the files of the run, is skipped for the one before it.
    ///
    /// # Errors
    /// [`RecordError`] when the folder is not that of a run, or no checkpoint can be used.
    pub fn open(
        folder: impl Into<PathBuf>,
        from: ResumeFrom,
        steps: Option<u64>,
    ) -> Result<Self, RecordError> {
        let folder = folder.into();
        let mut manifest = Recording::manifest_of(&folder)?;
        let extended = steps.is_some_and(|steps| steps != manifest.steps);
        if extended {
            // The expectations concern a run of the original length.
            (manifest.steps, manifest.expectations_checked) = (steps.unwrap_or(manifest.steps), false);
        }
        let mut scene = Scene::load(folder.join(bundle::SCENE))?;
        // The run may have had another step than its scene.
        scene.options.time_step = manifest.time_step;
        // A state recorded only because the run ends is not in a checkpoint: at least one step is left.
        let before_the_end = manifest.steps.saturating_sub(1);
        let last = match from {
            ResumeFrom::Last => before_the_end,
            ResumeFrom::Step(step) => step.min(before_the_end),
        };
        let found = newest(&folder, &manifest, &scene, last)?;
        let (world, state) = match found {
            Some((world, state)) => (world, Some(state)),
            None => (scene.world()?, None),
        };
        Ok(Self { folder, manifest, scene, world, state, extended })
    }

    /// The world at the checkpoint.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Number of steps taken.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.world.steps()
    }

    /// Manifest of the run.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// World of the newest usable checkpoint that is not after `last`; none where no checkpoint is so early.
fn newest(
    folder: &Path,
    manifest: &Manifest,
    scene: &Scene,
    last: u64,
) -> Result<Option<(World, RunState)>, RecordError> {
    let mut refused = None;
    for step in checkpoint::steps(folder).into_iter().rev().filter(|&step| step <= last) {
        match restored(folder, manifest, scene, step)? {
            Ok(found) => return Ok(Some(found)),
            Err(unusable) => refused = Some(unusable),
        }
    }
    match refused {
        Some(Unusable { path, cause }) => Err(RecordError::Unusable { path, cause }),
        None => Ok(None),
    }
}

/// World of the checkpoint of a step, or the reason why it cannot be used.
fn restored(
    folder: &Path,
    manifest: &Manifest,
    scene: &Scene,
    step: u64,
) -> Result<Result<(World, RunState), Unusable>, RecordError> {
    let (saved, state) = match checkpoint::read(folder, step, manifest.input_hash) {
        Ok(read) => read,
        Err(unusable) => return Ok(Err(unusable)),
    };
    let unusable = |cause: String| {
        Ok(Err(Unusable { path: folder.join(format!("{}/{step:09}.bin", checkpoint::CHECKPOINTS)), cause }))
    };
    if let Some(short) = shorter(folder, &state.lengths) {
        return unusable(short);
    }
    let mut world = scene.world()?;
    match world.restore(&saved) {
        Ok(()) => Ok(Ok((world, state))),
        Err(error) => unusable(error.to_string()),
    }
}

/// Description of a file of a run that is shorter than a checkpoint needs; none where all are long enough.
fn shorter(folder: &Path, lengths: &Lengths) -> Option<String> {
    let files = [(RunDirectory::STATES, Some(lengths.states)), (super::nodes::NODES, lengths.nodes)];
    files.into_iter().find_map(|(name, needed)| {
        let found = folder.join(name).metadata().map_or(0, |file| file.len());
        let needed = needed.filter(|&needed| found < needed)?;
        Some(format!("{name} has {found} bytes, and {needed} were written when the checkpoint was"))
    })
}

/// Resumes a run; after each step `monitor` is called with its report and may stop the run.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::ops::ControlFlow;
///
/// use extricate_scene::record::{ResumeFrom, Resumed, RunDirectory, RunOptions, resume, run};
/// use extricate_scene::scene::Scene;
///
/// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
/// let folder = std::env::temp_dir().join(format!("extricate-resume-{}", std::process::id()));
/// let options = RunOptions { steps: 30, every: 5, check_expectations: false };
/// let directory = RunDirectory::create(&folder)?.with_checkpoints(10);
/// // Somebody stops it.
/// let stop = &mut |report: &extricate_dynamics::StepReport| match report.step {
///     17 => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// };
/// let first = run(&scene, scene.world()?, &options, Some(directory), stop)?;
/// assert!(first.stopped);
///
/// let resumed = Resumed::open(&folder, ResumeFrom::Step(16), None)?;
/// assert_eq!(resumed.step(), 10);
/// let outcome = resume(resumed, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary.steps, 30);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RecordError`] when a step, a measurement or a record fails; the folder then has no summary.
pub fn resume(resumed: Resumed, monitor: &mut Monitor<'_>) -> Result<Outcome, RecordError> {
    let Resumed { folder, manifest, scene, world, state, extended } = resumed;
    let lengths = state.as_ref().map_or(Lengths { states: 0, nodes: None }, |state| state.lengths);
    let directory = RunDirectory::reopen(&folder, &manifest, (world.steps(), lengths), &world)?;
    if extended {
        directory.write_manifest(&manifest)?;
    }
    let mut directory = Some(directory);
    // The monitors begin with the start of the run, also where their state is then restored.
    let start = scene.world()?;
    let mut trajectory = Trajectory::new(&scene, &manifest, &start);
    match state.map(|state| trajectory.restore(state.trajectory)) {
        Some(true) => {}
        Some(false) => return Err(CheckpointError::OtherWorld.into()),
        // Without a checkpoint the run starts again, with the state of its start.
        None => record(&mut trajectory, &world, 0, directory.as_mut())?,
    }
    let outside = OutsideTimes { preparation: world.prepare().time.as_secs_f64(), ..OutsideTimes::default() };
    RunLoop { trajectory, world, directory, options: manifest.options(), outside }.until_the_end(monitor)
}

impl Recording {
    /// World of the run after a step: restored from the newest checkpoint before it, or the start, and stepped from there. It
    /// provides quantities that are not recorded, such as contacts.
    ///
    /// # Errors
    /// [`RecordError`] when the scene does not form a world, or a step fails.
    pub fn world_at(&self, step: u64) -> Result<World, RecordError> {
        let steps = checkpoint::steps(self.folder());
        let mut world = None;
        for early in steps.into_iter().rev().filter(|&early| early <= step) {
            if let Ok((found, _)) = restored(self.folder(), self.manifest(), self.scene(), early)? {
                world = Some(found);
                break;
            }
        }
        let mut world = world.map_or_else(|| self.scene().world(), Ok)?;
        while world.steps() < step {
            world.step()?;
        }
        Ok(world)
    }

    /// Reads `run.json` of a folder.
    ///
    /// # Errors
    /// [`RecordError`] when there is none, or it is damaged.
    pub fn manifest_of(folder: &Path) -> Result<Manifest, RecordError> {
        let path = folder.join(Manifest::FILE);
        if !path.is_file() {
            return Err(RecordError::NoRun { folder: folder.to_owned() });
        }
        let bytes = std::fs::read(&path).map_err(|source| RecordError::unreadable(&path, source))?;
        serde_json::from_slice(&bytes).map_err(|error| RecordError::damaged(&path, Some(error.line()), error))
    }
}
