//! One scene: read, built, run, judged, with its result.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::Duration;

use cpu_time::ThreadTime;
use extricate::dynamics::{Energy, Mobility, StepError, StepReport, World};
use extricate::penetration::{Effort, SeparationOptions};
use extricate::record::{self, RecordError, RunOptions, Summary};
use extricate::scene::schema::OnOverlap;
use extricate::scene::{Scene, overlaps};

use super::generator::{Generated, Kind};

/// States of a run at which overlaps are measured from scratch.
const STATES: u64 = 6;
/// Processor time beyond which a run is stopped and counts as a failure: a hundred times that of a usual one.
const PATIENCE: Duration = Duration::from_secs(100);

/// Result of a scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trial {
    pub(crate) index: u64,
    pub(crate) kinds: BTreeSet<Kind>,
    /// Steps that were taken.
    pub(crate) steps: u64,
    /// Simulated time in units of time.
    pub(crate) time: f64,
    /// Deepest overlap of a recorded state, and of the last, over the size of the smaller body.
    pub(crate) worst_penetration: f64,
    pub(crate) final_penetration: f64,
    /// Rise of the energy above the start, but for what was lifted out of overlaps, over what the scene could turn into
    /// motion; zero where something does work.
    pub(crate) energy_gain: f64,
    /// Maximum speed in units of length per unit of time.
    pub(crate) speed: f64,
    /// Steps of soft bodies that ended without convergence, and their Newton iterations, of all steps and of the worst.
    pub(crate) unconverged: u64,
    pub(crate) newton: [usize; 2],
    /// Maximum number of inverted elements at the end of a step.
    pub(crate) inverted: usize,
    /// Deepest contact of a soft body at the end of a step over the smallest thickness of the soft bodies; zero where some start in
    /// overlap.
    pub(crate) soft_depth: f64,
    /// The same contact over the thickness of the thinner of its own soft bodies.
    pub(crate) own_depth: f64,
    /// The two bodies of that contact, and the number of steps that were divided because they did not converge at once.
    pub(crate) soft_pair: [String; 2],
    pub(crate) divided: u64,
    /// Hash of the last state.
    pub(crate) hash: u64,
    /// The documented error that the scene ended with, if any.
    pub(crate) refused: Option<String>,
    /// Broken promises.
    pub(crate) failures: Vec<String>,
    /// Processor time [s].
    pub(crate) seconds: f64,
}

/// End of a run that has no summary.
enum End {
    /// As documented.
    Refused(String),
    Failed(String),
}

/// Runs a scene with the threads of the pool that it is called in; panics are failures.
pub(crate) fn run(index: u64, scene: &Generated, time: Option<f64>) -> Trial {
    let started = ThreadTime::now();
    let mut trial = Trial { index, kinds: scene.kinds.clone(), ..Trial::default() };
    let ran = panic::catch_unwind(AssertUnwindSafe(|| attempt(index, scene, time, &mut trial)));
    match ran {
        Ok(Ok(())) => {}
        Ok(Err(End::Refused(why))) => trial.refused = Some(why),
        Ok(Err(End::Failed(why))) => trial.failures.push(why),
        Err(_) => trial.failures.push(format!("panic: {}", last_panic())),
    }
    trial.seconds = started.elapsed().as_secs_f64();
    trial
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Stores the messages of panics instead of printing them.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|info| PANIC.with(|kept| *kept.borrow_mut() = info.to_string())));
}

fn last_panic() -> String {
    PANIC.with(|kept| kept.borrow().replace('\n', " "))
}

fn attempt(index: u64, generated: &Generated, time: Option<f64>, trial: &mut Trial) -> Result<(), End> {
    let path = Path::new("assets").join(format!("soak-{index}.ron"));
    let failed = |what: &str, error: &dyn std::fmt::Display| End::Failed(format!("{what}: {error}"));
    let scene = Scene::parse(&path, generated.text.clone()).map_err(|e| failed("scene", &e))?;
    let (scene, world) = at_start(scene)?;
    let steps = time.map_or_else(|| scene.steps(scene.duration), |time| scene.steps(time));
    let options = RunOptions { steps, every: steps.div_ceil(STATES), check_expectations: time.is_none() };
    let mut ledger = Ledger::of(world.energy());
    // Of this thread, on which the steps are made as well, but for some in a pool of several threads.
    let started = ThreadTime::now().as_duration();
    let mut reached = 0;
    let mut lost = None;
    let outcome = record::run(&scene, world, &options, None, &mut |report| {
        reached = report.step;
        ledger.follow(report);
        let numbers = [report.energy.total(), report.max_speed, report.momentum.angular.norm()];
        if !numbers.iter().all(|x| x.is_finite()) {
            lost = Some(format!("not finite at step {}: {numbers:?}", report.step));
        }
        match lost.is_some() || ThreadTime::now().as_duration().saturating_sub(started) > PATIENCE {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    trial.steps = reached;
    let [_, unit_of_time] = generated.units;
    trial.time = reached as f64 * scene.options.time_step / unit_of_time;
    let outcome = outcome.map_err(|error| end_of(error, generated))?;
    if let Some(lost) = lost {
        return Err(End::Failed(lost));
    }
    if outcome.stopped {
        return Err(End::Failed(format!("slow: {reached} of {steps} steps in {} s", PATIENCE.as_secs())));
    }
    take(trial, generated, &outcome.summary, &ledger);
    Ok(())
}

/// The energy of a run, but for the work that lifts bodies out of overlaps.
struct Ledger {
    start: f64,
    /// That work since the start [J].
    lifted: f64,
    /// Maximum rise of the rest above the start [J].
    gain: f64,
}

impl Ledger {
    fn of(energy: Energy) -> Self {
        Self { start: energy.total(), lifted: 0.0, gain: 0.0 }
    }

    fn follow(&mut self, report: &StepReport) {
        self.lifted += report.lifted;
        self.gain = self.gain.max(report.energy.total() - self.start - self.lifted);
    }
}

/// Classifies the errors of a run that are documented to happen.
fn end_of(error: RecordError, generated: &Generated) -> End {
    let is_hard = generated.kinds.contains(&Kind::HardJoints);
    match error {
        RecordError::Step(StepError::EnergyGrown { .. } | StepError::TooFast { .. }) if is_hard => {
            End::Refused("joints that the solver cannot hold: energy grows, the run is stopped".to_owned())
        }
        RecordError::Step(StepError::Soft { .. }) => End::Refused("soft bodies do not converge".to_owned()),
        other => End::Failed(format!("run: {other}")),
    }
}

/// The scene and its world at the start, without overlaps where it wants none.
fn at_start(scene: Scene) -> Result<(Scene, World), End> {
    let build = |scene: &Scene| scene.world().map_err(|error| End::Failed(format!("world: {error}")));
    let measure = |world: &World| {
        overlaps(world, Effort::Best).map_err(|error| End::Failed(format!("overlaps: {error}")))
    };
    let world = build(&scene)?;
    if scene.on_overlap != OnOverlap::Repair || measure(&world)?.is_empty() {
        return Ok((scene, world));
    }
    let options = SeparationOptions { effort: Effort::Best, ..SeparationOptions::default() };
    let separated = world.separate(&Mobility::default(), &options);
    let found = separated.map_err(|error| End::Refused(format!("not repaired: {}", kind_of(&error))))?;
    let scene = scene.moved(&found.moved);
    let world = build(&scene)?;
    match measure(&world)?.first() {
        Some(pair) => Err(End::Failed(format!("repaired, and still overlaps: {pair:?}"))),
        None => Ok((scene, world)),
    }
}

/// The name of an error's variant.
fn kind_of(error: &impl std::fmt::Debug) -> String {
    let text = format!("{error:?}");
    text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

fn take(trial: &mut Trial, generated: &Generated, summary: &Summary, ledger: &Ledger) {
    let [unit, unit_of_time] = generated.units;
    trial.worst_penetration = summary.worst_penetration.relative;
    if let Some(bound) = generated.energy_gain {
        trial.energy_gain = ledger.gain / summary.energy.scale;
        if !(trial.energy_gain <= bound) {
            let gain = trial.energy_gain;
            trial.failures.push(format!("energy gain without lift: {gain:.3e}, at most {bound:.3e}"));
        }
    }
    trial.speed = summary.max_speed.as_ref().map_or(0.0, |fastest| fastest.speed) / unit * unit_of_time;
    if let Some(soft) = &summary.soft {
        (trial.unconverged, trial.inverted) = (soft.unconverged_steps, soft.max_inverted);
        trial.divided = soft.divided_steps;
        trial.newton = [soft.newton_iterations, soft.max_newton_iterations];
        if let (Some(thickness), Some(deepest), false) =
            (generated.smallest_thickness(), &soft.deepest_contact, generated.kinds.contains(&Kind::OverlapIgnored))
            // Bodies that are deepest after the first step overlap at the start.
            && deepest.time > 1.5 * summary.time_step
        {
            trial.soft_depth = deepest.depth / thickness;
            trial.own_depth = deepest.depth / generated.thickness_of(&deepest.bodies).unwrap_or(thickness);
            trial.soft_pair.clone_from(&deepest.bodies);
        }
        if soft.max_inverted > 0 {
            trial.failures.push(format!("{} inverted elements", soft.max_inverted));
        }
    }
    trial.hash = summary.hash.0;
    for verdict in &summary.expect {
        if verdict.quantity == "final_penetration" {
            trial.final_penetration = verdict.measured;
        }
        if !verdict.pass {
            let (measured, bar) = (verdict.measured, verdict.tolerance);
            trial.failures.push(format!("{}: {measured:.3e}, at most {bar:.3e}", verdict.quantity));
        }
    }
}
