//! `extricate run`: a scene from its start to its end, without a window.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use nalgebra::Vector3;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_dynamics::StepReport;
use extricate_scene::record::{
    self, DeepestContact, Inputs, Outcome, Recording, ResumeFrom, Resumed, RunDirectory, SoftBodySummary,
    SoftSummary, Summary,
};
use extricate_scene::request::table::Table;
use extricate_scene::request::text::number;
use extricate_scene::request::{Fault, RunFields, Start};
use extricate_scene::scene::Scene;

const EXAMPLES: &str = "\
Examples:
  extricate run scenes/rigid/ring_stack.ron
  extricate run scene.ron --time 2 --every 10 -o out/short
  extricate run scene.ron --on-overlap error --json
  extricate run scenes/soft/drop.ron --vtk
  extricate run out/drop --from last
  extricate run out/drop --from 120 --time 5

DIR gets states.jsonl (a line a recorded step), with --vtk the soft bodies, timing.json and, when the run is complete, summary.json.
It gets a checkpoint each simulated second, the newest three of which stay. A run that was killed, stopped by Ctrl-C or is
complete goes on from them: SCENE is its folder then, and --from tells from where. Its files end as if nothing had happened.
Exit code 1 tells that an expectation of the scene is not met; it is judged when the whole scene is run.";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file; with --from the folder of a run.
    scene: PathBuf,
    #[command(flatten)]
    run: RunFields,
    /// Folder of the results [default: out/SCENE].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write a checkpoint every K-th step; 0 writes none [default: each simulated second].
    #[arg(long, value_name = "K")]
    checkpoint_every: Option<u64>,
    /// Go on with a run from the newest checkpoint that is not after STEP, or from the `last` one; from the start where there
    /// is none. With --steps or --time it becomes so long in all.
    #[arg(long, value_name = "STEP", value_parser = resume_from)]
    #[arg(conflicts_with_all = ["time_step", "on_overlap", "narrow_phase", "every", "vtk", "checkpoint_every"])]
    from: Option<ResumeFrom>,
    /// Write every soft body at every recorded state to DIR/soft/NAME-STEP.vtu, for ParaView and its like.
    #[arg(long)]
    vtk: bool,
}

pub(super) fn resume_from(text: &str) -> Result<ResumeFrom, String> {
    let step = || text.parse().map(ResumeFrom::Step);
    if text == "last" {
        Ok(ResumeFrom::Last)
    } else {
        step().map_err(|_| "a step or `last` is needed".into())
    }
}

/// Simulated time between checkpoints where nothing else is said [s].
const CHECKPOINT_TIME: f64 = 1.0;

/// Runs the scene, or goes on with a run.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    if let Some(from) = arguments.from {
        return go_on(console, (arguments, from));
    }
    let scene = console.access().scene(&arguments.scene)?;
    let checkpoint_every = arguments.checkpoint_every;
    let start = arguments.run.start(scene)?;
    let (scene, judged) = (&start.scene, start.options.judge);
    let folder = arguments.output.clone().unwrap_or_else(|| usual_folder(scene));
    let directory = RunDirectory::create(&folder).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let every = checkpoint_every.unwrap_or_else(|| scene.steps(CHECKPOINT_TIME));
    let directory = directory.with_checkpoints(every);
    let directory = match arguments.vtk {
        true => directory.with_pictures().map_err(|error| Failure::of(Exit::Usage, &error))?,
        false => directory,
    };
    let outcome = simulate(console, start, directory)?;
    end(console, &outcome, &folder, judged)
}

/// Folder of the results of a scene where nothing else is said.
pub(super) fn usual_folder(scene: &Scene) -> PathBuf {
    Path::new("out").join(scene.name())
}

/// Goes on with the run in a folder.
fn go_on(console: &mut Console, (arguments, from): (&Arguments, ResumeFrom)) -> Result<(), Failure> {
    let folder = match (&arguments.output, arguments.scene.is_dir()) {
        (None, true) => arguments.scene.clone(),
        (output, false) => folder_of_scene(console, &arguments.scene, output.as_deref())?,
        (Some(_), true) => {
            let message = "with --from a run goes on in its own folder: --output is for a scene file";
            return Err(Failure::new(Exit::Usage, message));
        }
    };
    let manifest = Recording::manifest_of(&folder).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let RunFields { steps, time, .. } = arguments.run;
    let steps = steps.or_else(|| time.map(|time| steps_in(time, manifest.time_step)));
    let resumed = Resumed::open(&folder, from, steps).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let judged = resumed.manifest().judged;
    let (scene, steps) = (resumed.manifest().scene.clone(), resumed.manifest().steps);
    let start = resumed.step();
    let outcome = watched(console, (&scene, steps), |watch| {
        record::resume(resumed, watch).map_err(|error| Fault::of_run(&error))
    })?;
    if !console.json() {
        console.line(format_args!("went on from step {start}"))?;
    }
    end(console, &outcome, &folder, judged)
}

/// The folder of the run of a scene file, which must be of that scene.
fn folder_of_scene(console: &Console, path: &Path, output: Option<&Path>) -> Result<PathBuf, Failure> {
    let scene = console.access().scene(path)?;
    let folder = output.map_or_else(|| usual_folder(&scene), Path::to_owned);
    let manifest = Recording::manifest_of(&folder).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let inputs = Inputs::of(&scene).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    if inputs.hash == manifest.input_hash {
        return Ok(folder);
    }
    let message =
        format!("{} is a run of another scene, or {} has changed since", folder.display(), path.display());
    Err(Failure::new(Exit::Usage, message))
}

/// Steps in a time [s].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "runs have fewer than 2^53 steps"
)]
fn steps_in(time: f64, time_step: f64) -> u64 {
    ((time / time_step).round() as u64).max(1)
}

/// Tells the outcome, and ends with its exit code.
fn end(console: &mut Console, outcome: &Outcome, folder: &Path, judged: bool) -> Result<(), Failure> {
    tell(console, outcome, folder, judged)?;
    match (outcome.stopped, outcome.summary.pass) {
        (true, _) => Err(Failure::Silent(Exit::Interrupted)),
        (false, false) => Err(Failure::Silent(Exit::CheckFailed)),
        (false, true) => Ok(()),
    }
}

/// Runs with a progress bar; Ctrl-C ends the run after the step.
pub(super) fn simulate(console: &Console, start: Start, directory: RunDirectory) -> Result<Outcome, Failure> {
    let (name, steps) = (start.scene.name(), start.options.steps);
    watched(console, (&name, steps), |watch| start.run(directory, watch))
}

/// A run of a scene of a name, to so many steps, with a progress bar; Ctrl-C ends it after the step.
fn watched(
    console: &Console,
    (name, steps): (&str, u64),
    run: impl FnOnce(&mut dyn FnMut(&StepReport) -> ControlFlow<()>) -> Result<Outcome, Fault>,
) -> Result<Outcome, Failure> {
    let mut progress = console.progress(steps);
    let mut watch = |report: &StepReport| {
        progress
            .update(report.step, || format!("{name}: {:.2} s, {} contacts", report.time, report.contacts));
        console.go_on()
    };
    Ok(run(&mut watch)?)
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
        [format!(
            "{state}, {} steps, {} s of {} bodies{}",
            summary.steps,
            summary.time,
            summary.bodies,
            soft_count(summary)
        )],
    );
    if !summary.moved.is_empty() {
        let total: f64 = summary.moved.values().map(|by| Vector3::from(*by).norm()).sum();
        let moved = summary.moved.len();
        table.row("repaired", [format!("{moved} bodies moved by {} m in sum", number(total))]);
    }
    if !summary.joints_moved.is_empty() {
        table.row("repaired", [format!("{} joints moved", summary.joints_moved.len())]);
    }
    let worst = &summary.worst_penetration;
    let pair = worst.bodies.as_ref().map_or(String::new(), |[a, b]| format!(": {a} and {b}"));
    table.row(
        "worst penetration",
        [format!("{:.3e} of the smaller body, at {:.3} s{pair}", worst.relative, worst.time)],
    );
    let energy = summary.energy;
    table.row(
        "energy",
        [format!(
            "{:.6e} J → {:.6e} J, gain {:.2e} of {:.3e} J",
            energy.start, energy.end, energy.gain, energy.scale
        )],
    );
    if let Some(soft) = &summary.soft {
        tell_soft(&mut table, soft);
    }
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

fn soft_count(summary: &Summary) -> String {
    summary.soft.as_ref().map_or_else(String::new, |soft| format!(" and {} soft ones", soft.bodies.len()))
}

/// What became of the soft bodies.
fn tell_soft(table: &mut Table, soft: &SoftSummary) {
    for (name, body) in &soft.bodies {
        let SoftBodySummary { nodes, elements, volume_drift, inverted, .. } = body;
        let facts = format!(
            "{elements} elements, {nodes} nodes, volume within {:.2} %, {inverted} inverted at the end",
            100.0 * volume_drift
        );
        table.row(&format!("soft {name}"), [facts]);
    }
    if let Some(DeepestContact { depth, time, bodies: [a, b] }) = &soft.deepest_contact {
        let pair = if a == b { format!("{a} and itself") } else { format!("{a} and {b}") };
        table.row("deepest soft contact", [format!("{} m, at {time:.3} s: {pair}", number(*depth))]);
    }
    table.row(
        "soft solver",
        [format!(
            "{} Newton iterations ({} at most in a step), {} linear ones, {} steps divided",
            soft.newton_iterations, soft.most_newton_iterations, soft.linear_iterations, soft.divided_steps
        )],
    );
}

/// The expectations of a scene with what became of them.
pub(super) fn tell_verdicts(console: &mut Console, summary: &Summary) -> Result<(), Failure> {
    if summary.expect.is_empty() {
        return console.line("expects nothing");
    }
    let mut table = Table::default();
    table.row("expect", ["expected", "measured", "bar", ""].map(String::from));
    for verdict in &summary.expect {
        let numbers = [verdict.expected, verdict.measured, verdict.bar].map(number);
        let [expected, measured, bar] = numbers;
        let pass = if verdict.pass { "pass" } else { "FAIL" };
        table.row(&verdict.quantity, [expected, measured, bar, pass.into()]);
    }
    console.line(table)
}
