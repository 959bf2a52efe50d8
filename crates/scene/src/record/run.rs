//! Running a scene from its start to its end: steps, records, verdicts.

use std::ops::ControlFlow;
use std::time::Instant;

use super::summary::OutsideTimes;
use super::threads::{self, Span};
use super::trajectory::Trajectory;
use super::{Inputs, Manifest, RecordError, RunDirectory, RunOptions, Summary, Timing};
use crate::scene::Scene;
use extricate_dynamics::{Phase, StepReport, World};

/// Outcome of a run that came to its end, or was stopped after a step.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Summary of the run.
    pub summary: Summary,
    /// Wall-clock times.
    pub timing: Timing,
    /// Whether it was stopped before its last step; its folder has no summary then.
    pub stopped: bool,
}

/// Receives the report of each step of a run, and may stop the run. Some steps are made on another thread than that of the caller.
pub type Monitor<'a> = dyn FnMut(&StepReport) -> ControlFlow<()> + Send + 'a;

/// Runs `world`, which is the world of `scene` at its start, and records it in `directory`.
///
/// After each step `monitor` is called with its report and may stop the run; the last state is then still recorded.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::ops::ControlFlow;
///
/// use extricate_scene::record::{RunOptions, run};
/// use extricate_scene::scene::Scene;
///
/// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
/// let options = RunOptions { steps: 10, check_expectations: false, ..RunOptions::whole(&scene) };
/// let outcome = run(&scene, scene.world()?, &options, None, &mut |_report| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary.steps, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RecordError`] when a step, a measurement or a record fails; the folder then has no summary.
pub fn run(
    scene: &Scene,
    world: World,
    options: &RunOptions,
    mut directory: Option<RunDirectory>,
    monitor: &mut Monitor<'_>,
) -> Result<Outcome, RecordError> {
    let input_hash = Inputs::of(scene)?.hash;
    let checkpoint_every = directory.as_ref().map_or(0, RunDirectory::checkpoint_every);
    let manifest = Manifest::new(scene, &world, options, (input_hash, checkpoint_every));
    if let Some(directory) = &mut directory {
        directory.begin(scene, &world, &manifest)?;
    }
    let mut trajectory = Trajectory::new(scene, &manifest, &world);
    let preparation = world.prepare().time.as_secs_f64();
    let mut outside = OutsideTimes { preparation, ..OutsideTimes::default() };
    timed(&mut outside.first_state, || record(&mut trajectory, &world, 0, directory.as_mut()))?;
    RunLoop { trajectory, world, directory, options: *options, outside }.until_the_end(monitor)
}

/// Observes the current world, and records its state; `contacts` are those of the step.
pub(super) fn record(
    trajectory: &mut Trajectory,
    world: &World,
    contacts: usize,
    directory: Option<&mut RunDirectory>,
) -> Result<(), RecordError> {
    world.enter(Phase::Recording);
    let state = trajectory.observe(world, contacts)?;
    directory.map_or(Ok(()), |directory| directory.record(world, &state))?;
    world.enter(Phase::Idle);
    Ok(())
}

/// Result of some work, whose time [s] is added to `time`.
fn timed<T>(time: &mut f64, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    *time += started.elapsed().as_secs_f64();
    result
}

/// A run between two steps.
pub(super) struct RunLoop<'a> {
    pub(super) trajectory: Trajectory<'a>,
    pub(super) world: World,
    pub(super) directory: Option<RunDirectory>,
    pub(super) options: RunOptions,
    pub(super) outside: OutsideTimes,
}

impl RunLoop<'_> {
    /// Steps until the last step, or until the run is stopped.
    ///
    /// A checkpoint holds the run without the state that is recorded only because the run ends or is stopped there: so it serves a longer
    /// run as well.
    pub(super) fn until_the_end(self, monitor: &mut Monitor<'_>) -> Result<Outcome, RecordError> {
        let (started, before) = (Instant::now(), self.world.time());
        let mut running = Running { run: self, monitor, contacts: 0, stopped: false };
        threads::in_spans(&mut running)?;
        let Running { run, stopped, .. } = running;
        let RunLoop { trajectory, world, directory, options, outside } = run;
        let timing = trajectory.timing(&world, (started.elapsed(), world.time() - before), outside);
        let summary = trajectory.summary(&world, options.check_expectations && !stopped);
        if let Some(directory) = directory.filter(|_| !stopped) {
            directory.complete(&summary, &timing)?;
        }
        Ok(Outcome { summary, timing, stopped })
    }
}

/// A run and who may stop it.
struct Running<'a, 'b, 'c> {
    run: RunLoop<'a>,
    monitor: &'b mut Monitor<'c>,
    /// Number of contacts of the last step.
    contacts: usize,
    stopped: bool,
}

impl Running<'_, '_, '_> {
    fn is_over(&self) -> bool {
        self.stopped || self.run.world.steps() >= self.run.options.steps
    }

    fn record(&mut self) -> Result<(), RecordError> {
        let RunLoop { trajectory, world, directory, outside, .. } = &mut self.run;
        timed(&mut outside.recording, || record(trajectory, world, self.contacts, directory.as_mut()))
    }
}

impl threads::Steps for Running<'_, '_, '_> {
    type Error = RecordError;

    fn make(&mut self, span: Span) -> Result<Span, RecordError> {
        let mut made = Span::default();
        while !self.is_over() && !span.is_over(&made) {
            let RunLoop { trajectory, world, directory, options, .. } = &mut self.run;
            let report = world.step()?;
            trajectory.follow(world, &report);
            if let Some(directory) = directory {
                directory.follow(report.time, report.timings.total);
            }
            let step = world.steps();
            made = Span::of(made.steps + 1, made.time + report.timings.total);
            self.contacts = report.contacts + report.soft.map_or(0, |soft| soft.contacts);
            // A run that is stopped after its last step is complete.
            self.stopped = (self.monitor)(&report).is_break() && step < options.steps;
            let is_checkpoint = directory.as_ref().is_some_and(|directory| directory.is_checkpoint_due(step));
            if is_checkpoint || step.is_multiple_of(options.every) {
                break;
            }
        }
        Ok(made)
    }

    fn between(&mut self) -> Result<bool, RecordError> {
        let (step, is_over) = (self.run.world.steps(), self.is_over());
        let is_due = step.is_multiple_of(self.run.options.every);
        if is_due {
            self.record()?;
        }
        let RunLoop { trajectory, world, directory, outside, .. } = &mut self.run;
        if let Some(directory) = directory {
            // After a state that is due, and before one that is recorded only because the run ends.
            timed(&mut outside.checkpoints, || {
                directory.checkpoint(world, &|| trajectory.snapshot(), self.stopped)
            })?;
        }
        if !is_due && is_over {
            self.record()?;
        }
        Ok(!is_over)
    }
}
