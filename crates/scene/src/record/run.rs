//! Running a scene from its start to its end: steps, records, judgement.

use std::ops::ControlFlow;
use std::time::Instant;

use thiserror::Error;

use super::course::Course;
use super::{Inputs, Manifest, RecordError, RunDirectory, Summary, Timing};
use crate::scene::Scene;
use extricate_core::penetration::PenetrationError;
use extricate_dynamics::{BuildError, CheckpointError, StepError, StepReport, World};

/// What to run of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Number of steps.
    pub steps: u64,
    /// Every how many steps a state is recorded, and penetrations measured. The start and the end are always.
    pub every: u64,
    /// Whether what the scene expects is judged; a run that is shorter than the scene cannot be.
    pub judge: bool,
}

impl RunOptions {
    /// Recorded states in a second where nothing else is said.
    const STATES_PER_SECOND: f64 = 60.0;

    /// The whole scene, judged, with sixty recorded states a second, or one for each step where those are longer.
    #[must_use]
    pub fn whole(scene: &Scene) -> Self {
        let every = scene.steps(Self::STATES_PER_SECOND.recip());
        Self { steps: scene.steps(scene.duration), every, judge: true }
    }
}

/// Why a run did not come to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The bodies and joints of the scene make no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A penetration could not be measured.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// A record could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A checkpoint could not be made.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// A run that came to its end, or to the step after which it was stopped.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What it came to.
    pub summary: Summary,
    /// How long it took.
    pub timing: Timing,
    /// Whether it was stopped before its last step; its folder has no summary then.
    pub stopped: bool,
}

/// Runs `world`, which is the world of `scene` at its start, and records it in `directory`.
///
/// After each step `watch` is told its report and may stop the run; the last state is then still recorded.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::ops::ControlFlow;
///
/// use extricate_scene::record::{RunOptions, run};
/// use extricate_scene::scene::Scene;
///
/// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
/// let options = RunOptions { steps: 10, judge: false, ..RunOptions::whole(&scene) };
/// let outcome = run(&scene, scene.world()?, &options, None, &mut |_report| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary.steps, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RunError`] when a step, a measurement or a record fails; the folder then has no summary.
pub fn run(
    scene: &Scene,
    world: World,
    options: &RunOptions,
    mut directory: Option<RunDirectory>,
    watch: &mut dyn FnMut(&StepReport) -> ControlFlow<()>,
) -> Result<Outcome, RunError> {
    let input_hash = Inputs::of(scene)?.hash;
    let checkpoint_every = directory.as_ref().map_or(0, RunDirectory::checkpoint_every);
    let manifest = Manifest::new(scene, &world, options, (input_hash, checkpoint_every));
    if let Some(directory) = &mut directory {
        directory.begin(scene, &world, &manifest)?;
    }
    let mut course = Course::new(scene, &manifest, &world);
    course.observe(&world, 0, &mut directory)?;
    Going { course, world, directory, options: *options }.until_the_end(watch)
}

/// A run between two steps.
pub(super) struct Going<'a> {
    pub(super) course: Course<'a>,
    pub(super) world: World,
    pub(super) directory: Option<RunDirectory>,
    pub(super) options: RunOptions,
}

impl Going<'_> {
    /// Goes on until the last step, or until it is stopped.
    ///
    /// A checkpoint holds the run without what is recorded only because the run ends or is stopped there: so it serves a longer
    /// one as well.
    pub(super) fn until_the_end(
        self,
        watch: &mut dyn FnMut(&StepReport) -> ControlFlow<()>,
    ) -> Result<Outcome, RunError> {
        let Self { mut course, mut world, mut directory, options } = self;
        let (started, before) = (Instant::now(), world.time());
        let mut stopped = false;
        while world.steps() < options.steps && !stopped {
            let report = world.step()?;
            course.follow(&world, &report);
            let step = world.steps();
            stopped = watch(&report).is_break() && step < options.steps;
            let contacts = report.contacts + report.soft.map_or(0, |soft| soft.contacts);
            let is_due = step.is_multiple_of(options.every);
            if is_due {
                course.observe(&world, contacts, &mut directory)?;
            }
            if let Some(directory) = &mut directory {
                directory.checkpoint(&world, &course, stopped)?;
            }
            if !is_due && (step == options.steps || stopped) {
                course.observe(&world, contacts, &mut directory)?;
            }
        }
        let timing = course.timing(started.elapsed(), world.time() - before);
        let summary = course.summary(&world, options.judge && !stopped);
        if let Some(directory) = directory.filter(|_| !stopped) {
            directory.complete(&summary, &timing)?;
        }
        Ok(Outcome { summary, timing, stopped })
    }
}
