//! Running a scene from its start to its end: steps, records, judgement.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::monitor::Monitor;
use super::soft::SoftMonitor;
use super::{
    EnergyLine, Hash, Inputs, Manifest, RecordError, RunDirectory, StateLine, Summary, Timing,
    WorstPenetration, host_name,
};
use crate::dynamics::{BodyPenetration, BuildError, SoftBodyState, StepError, StepReport, World};
use crate::penetration::{Effort, PenetrationError};
use crate::scene::{Judge, Moment, Scene, SoftMoment, overlaps, soft_overlaps};

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
/// use std::ops::ControlFlow;
///
/// use extricate::record::{RunOptions, run};
/// use extricate::scene::Scene;
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
    mut world: World,
    options: &RunOptions,
    mut directory: Option<RunDirectory>,
    watch: &mut dyn FnMut(&StepReport) -> ControlFlow<()>,
) -> Result<Outcome, RunError> {
    let input_hash = Inputs::of(scene)?.hash;
    let started = Instant::now();
    let mut course = Course::new(scene, &world);
    if let Some(directory) = &mut directory {
        directory.begin(scene, &world, &Manifest::new(scene, &world, options, input_hash))?;
    }
    course.observe(&world, 0, &mut directory)?;
    let mut stopped = false;
    while world.steps() < options.steps && !stopped {
        let report = world.step()?;
        course.follow(&world, &report);
        stopped = watch(&report).is_break() && world.steps() < options.steps;
        if world.steps().is_multiple_of(options.every) || world.steps() == options.steps || stopped {
            let contacts = report.contacts + report.soft.map_or(0, |soft| soft.contacts);
            course.observe(&world, contacts, &mut directory)?;
        }
    }
    let timing = course.timing(started.elapsed(), world.time());
    let summary = course.summary(&world, input_hash, options.judge && !stopped);
    if let Some(directory) = directory.filter(|_| !stopped) {
        directory.complete(&summary, &timing)?;
    }
    Ok(Outcome { summary, timing, stopped })
}

/// Depth over the size of the smaller body. Depths are finite.
fn relative_depth(pair: &BodyPenetration) -> f64 {
    pair.depth / pair.size
}

/// A soft body as it is.
fn soft_moment<'a>(world: &'a World, state: &'a SoftBodyState) -> SoftMoment<'a> {
    let nodes = world.soft_positions(&state.name).unwrap_or_default();
    let velocities = world.soft_velocities(&state.name).unwrap_or_default();
    SoftMoment { state, nodes, velocities }
}

/// What is kept of a run while it runs.
struct Course<'a> {
    scene: &'a Scene,
    judge: Judge<'a>,
    worst: WorstPenetration,
    monitor: Monitor,
    soft: SoftMonitor,
}

impl<'a> Course<'a> {
    fn new(scene: &'a Scene, world: &World) -> Self {
        let judge = Judge::new(
            &scene.expect,
            world.descriptions(),
            world.soft_descriptions(),
            &scene.options.gravity,
        );
        let worst = WorstPenetration { relative: 0.0, time: 0.0, bodies: None };
        Self { scene, judge, worst, monitor: Monitor::new(world), soft: SoftMonitor::new(world) }
    }

    /// Takes a step into account, recorded or not.
    fn follow(&mut self, world: &World, report: &StepReport) {
        self.judge.follow_energy(report.energy);
        if let Some(soft) = &report.soft {
            self.judge.follow_contacts(soft);
        }
        self.monitor.follow(world, report);
        self.soft.follow(world, report);
    }

    fn observe(
        &mut self,
        world: &World,
        contacts: usize,
        directory: &mut Option<RunDirectory>,
    ) -> Result<(), RunError> {
        let mut penetrations = overlaps(world, Effort::Best)?;
        penetrations.extend(soft_overlaps(world));
        let deepest = penetrations.iter().max_by(|a, b| relative_depth(a).total_cmp(&relative_depth(b)));
        let relative = deepest.map_or(0.0, relative_depth);
        if let Some(pair) = deepest.filter(|_| relative > self.worst.relative) {
            let bodies = pair.bodies.clone();
            self.worst = WorstPenetration { relative, time: world.time(), bodies: Some(bodies) };
        }
        let bodies = world.bodies();
        let robots = world.robots();
        let states = world.soft_bodies();
        if let Some(lost) = states.iter().find(|state| !state.volume.is_finite()) {
            let (name, step, time) = (lost.name.clone(), world.steps(), world.time());
            return Err(StepError::Diverged { name, step, time }.into());
        }
        let soft: Vec<SoftMoment> = states.iter().map(|state| soft_moment(world, state)).collect();
        let energy = world.energy();
        let angular_momentum = world.momentum().angular;
        let moment = Moment {
            time: world.time(),
            bodies: &bodies,
            robots: &robots,
            soft: &soft,
            energy,
            angular_momentum,
            penetration: relative,
        };
        self.judge.observe(&moment);
        self.soft.observe(&states);
        let Some(directory) = directory else { return Ok(()) };
        let line = StateLine {
            step: world.steps(),
            time: world.time(),
            bodies: bodies.iter().map(|body| (body.name.as_str(), body.into())).collect(),
            robots: robots.iter().map(|robot| (robot.name.as_str(), robot.into())).collect(),
            soft: states.iter().map(|state| (state.name.as_str(), state.into())).collect(),
            energy: EnergyLine::from(energy),
            contacts,
            max_penetration: penetrations.iter().map(|pair| pair.depth).fold(0.0, f64::max),
            hash: Hash(world.hash()),
        };
        directory.append_nodes(world)?;
        directory.append(&line)?;
        Ok(directory.picture(world)?)
    }

    fn summary(&self, world: &World, input_hash: Hash, judged: bool) -> Summary {
        let expect = if judged { self.judge.verdicts() } else { Vec::new() };
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            libraries: BTreeMap::from([("rapier3d-f64", rapier3d::VERSION)]),
            scene: self.scene.name(),
            title: self.scene.title.clone(),
            input_hash,
            seed: self.scene.seed,
            time_step: world.options().time_step,
            steps: world.steps(),
            time: world.time(),
            bodies: world.descriptions().len(),
            moved: self.scene.moved.iter().map(|(name, by)| (name.clone(), (*by).into())).collect(),
            joints_moved: self.scene.joints_moved.clone(),
            worst_penetration: self.worst.clone(),
            deepest_contact: self.monitor.deepest(),
            greatest_speed: self.monitor.fastest(),
            energy: self.judge.energy().expect("the start was observed"),
            momentum: self.monitor.momentum(world),
            soft: self.soft.summary(),
            hash: Hash(world.hash()),
            pass: expect.iter().all(|verdict| verdict.pass),
            expect,
        }
    }

    fn timing(&self, wall: Duration, simulated: f64) -> Timing {
        Timing {
            host: host_name(),
            threads: rayon::current_num_threads(),
            wall_time: wall.as_secs_f64(),
            real_time_factor: simulated / wall.as_secs_f64(),
            step_ms: self.monitor.percentiles().collect(),
        }
    }
}
