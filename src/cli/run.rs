//! `extricate run`: a scene from its start to its end, without a window.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::console::Console;
use super::failure::{Exit, Failure};
use super::interrupt::Interrupt;
use super::table::{self, Table};
use crate::dynamics::{NarrowPhase, World};
use crate::penetration::Effort;
use crate::record::{self, Outcome, RunDirectory, RunError, RunOptions, Summary};
use crate::scene::schema::OnOverlap;
use crate::scene::{Scene, overlaps};

const EXAMPLES: &str = "\
Examples:
  extricate run scenes/rigid/ring_stack.ron
  extricate run scene.ron --time 2 --every 10 -o out/short
  extricate run scene.ron --on-overlap error --json

DIR gets states.jsonl (a line a recorded step), timing.json and, when the run is complete, summary.json.
Exit code 1 tells that an expectation of the scene is not met; it is judged when the whole scene is run.";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// Steps to run, instead of the scene's duration.
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Time to simulate [s], instead of the scene's duration.
    #[arg(long, value_name = "S", value_parser = positive)]
    time: Option<f64>,
    /// Length of a step [s], instead of the scene's.
    #[arg(long, value_name = "S", value_parser = positive)]
    dt: Option<f64>,
    /// What to do with bodies that overlap at the start, instead of what the scene says.
    #[arg(long, value_name = "WHAT")]
    on_overlap: Option<OverlapArgument>,
    /// Who finds the contacts of two convex bodies, instead of what the scene says.
    #[arg(long, value_name = "WHO")]
    narrow_phase: Option<NarrowPhaseArgument>,
    /// Folder of the results [default: out/SCENE].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Record and judge every K-th step, and the last one.
    #[arg(long, value_name = "K", default_value_t = RunOptions::EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
}

/// What to do with bodies that overlap at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OverlapArgument {
    /// The run pushes them apart without adding energy.
    Ignore,
    /// The run does not start: exit code 4.
    Error,
    /// Not built yet.
    #[value(hide = true)]
    Repair,
}

/// Who finds the contacts of two convex bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NarrowPhaseArgument {
    /// This program.
    Extricate,
    /// The library rapier, for comparison.
    Rapier,
}

impl From<NarrowPhaseArgument> for NarrowPhase {
    fn from(argument: NarrowPhaseArgument) -> Self {
        match argument {
            NarrowPhaseArgument::Extricate => Self::Extricate,
            NarrowPhaseArgument::Rapier => Self::Rapier,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("a number of seconds above zero is needed")),
    }
}

/// Runs the scene.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let on_overlap = on_overlap(arguments.on_overlap)?;
    let mut scene = Scene::load(&arguments.scene)?;
    let whole = arguments.steps.is_none() && arguments.time.is_none() && arguments.dt.is_none();
    scene.options.time_step = arguments.dt.unwrap_or(scene.options.time_step);
    scene.options.narrow_phase = arguments.narrow_phase.map_or(scene.options.narrow_phase, NarrowPhase::from);
    let options = RunOptions {
        steps: arguments.steps.unwrap_or_else(|| scene.steps(arguments.time.unwrap_or(scene.duration))),
        every: arguments.every,
        judge: whole,
    };
    let world = world_at_start(&scene, on_overlap.unwrap_or(scene.on_overlap))?;
    let folder = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(scene.name()));
    let directory = RunDirectory::create(&folder).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let outcome = simulate(console, interrupt, Simulation { scene: &scene, world, options, directory })?;
    tell(console, &outcome, &folder, whole)?;
    match (outcome.stopped, outcome.summary.pass) {
        (true, _) => Err(Failure::Silent(Exit::Interrupted)),
        (false, false) => Err(Failure::Silent(Exit::CheckFailed)),
        (false, true) => Ok(()),
    }
}

fn on_overlap(argument: Option<OverlapArgument>) -> Result<Option<OnOverlap>, Failure> {
    match argument {
        None => Ok(None),
        Some(OverlapArgument::Ignore) => Ok(Some(OnOverlap::Ignore)),
        Some(OverlapArgument::Error) => Ok(Some(OnOverlap::Error)),
        Some(OverlapArgument::Repair) => Err(Failure::new(
            Exit::Usage,
            "`--on-overlap repair` is not built yet; there are `ignore` and `error`",
        )),
    }
}

/// The world of the scene at its start, refused where bodies overlap and must not.
pub(super) fn world_at_start(scene: &Scene, on_overlap: OnOverlap) -> Result<World, Failure> {
    let world = scene.world().map_err(|error| Failure::of(Exit::BadFile, &error))?;
    if on_overlap == OnOverlap::Error {
        let overlaps =
            overlaps(&world, Effort::Best).map_err(|error| Failure::of(Exit::Numerical, &error))?;
        if !overlaps.is_empty() {
            let scene = scene.path.display();
            let pairs: Vec<String> = overlaps.iter().map(table::overlap).collect();
            let message = format!("{scene}: bodies overlap at the start:\n  {}", pairs.join("\n  "));
            return Err(Failure::new(Exit::InitialPenetration, message));
        }
    }
    Ok(world)
}

/// A run that is about to start.
pub(super) struct Simulation<'a> {
    pub(super) scene: &'a Scene,
    pub(super) world: World,
    pub(super) options: RunOptions,
    pub(super) directory: RunDirectory,
}

/// Runs with a progress bar; Ctrl-C ends the run after the step.
pub(super) fn simulate(
    console: &Console,
    interrupt: &Interrupt,
    Simulation { scene, world, options, directory }: Simulation,
) -> Result<Outcome, Failure> {
    let mut progress = console.progress(options.steps);
    let mut watch = |report: &crate::dynamics::StepReport| {
        progress.update(report.step, || {
            format!("{}: {:.2} s, {} contacts", scene.name(), report.time, report.contacts)
        });
        if interrupt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    record::run(scene, world, &options, Some(directory), &mut watch).map_err(|error| match error {
        RunError::Record(error) => Failure::of(Exit::Usage, &error),
        RunError::Build(error) => Failure::of(Exit::BadFile, &error),
        other => Failure::of(Exit::Numerical, &other),
    })
}

fn tell(console: &mut Console, outcome: &Outcome, folder: &Path, judged: bool) -> Result<(), Failure> {
    let Outcome { summary, timing, stopped } = outcome;
    if console.json() {
        return console.json_line(summary);
    }
    console.line(format_args!("{}: {}", summary.scene, summary.title))?;
    let state = if *stopped { "interrupted" } else { "complete" };
    let mut table = Table::default();
    table.row(
        "run",
        [format!("{state}, {} steps, {} s of {} bodies", summary.steps, summary.time, summary.bodies)],
    );
    let worst = summary.worst_penetration;
    table.row(
        "worst penetration",
        [format!("{:.3e} of the smaller body, at {:.3} s", worst.relative, worst.time)],
    );
    let energy = summary.energy;
    table.row(
        "energy",
        [format!(
            "{:.6e} J → {:.6e} J, gain {:.2e} of {:.3e} J",
            energy.start, energy.end, energy.gain, energy.scale
        )],
    );
    table.row("hash", [summary.hash.to_string()]);
    let step = timing.step_ms.get("total").map_or(f64::NAN, |step| step.p50);
    table.row(
        "time",
        [format!(
            "{:.2} s, {step:.2} ms a step, {:.2} × real time",
            timing.wall_time, timing.real_time_factor
        )],
    );
    table.row("written to", [folder.display().to_string()]);
    console.line(table)?;
    if judged && !stopped { tell_verdicts(console, summary) } else { Ok(()) }
}

/// The expectations of a scene with what became of them.
pub(super) fn tell_verdicts(console: &mut Console, summary: &Summary) -> Result<(), Failure> {
    if summary.expect.is_empty() {
        return console.line("expects nothing");
    }
    let mut table = Table::default();
    table.row("expect", ["expected", "measured", "bar", ""].map(String::from));
    for verdict in &summary.expect {
        let numbers = [verdict.expected, verdict.measured, verdict.bar].map(table::number);
        let [expected, measured, bar] = numbers;
        let pass = if verdict.pass { "pass" } else { "FAIL" };
        table.row(&verdict.quantity, [expected, measured, bar, pass.into()]);
    }
    console.line(table)
}
