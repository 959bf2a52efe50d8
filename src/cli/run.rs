//! `extricate run`: simulates a scene without a window.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use nalgebra::Vector3;

use super::convert::recording;
use super::streaming::{Pace, StreamArguments};
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::suggestion::did_you_mean;
use extricate_dynamics::StepReport;
use extricate_scene::record::export::ExportFormat;
use extricate_scene::record::{
    self, DeepestContact, Inputs, Outcome, OutsideTimes, PairProfile, PhaseProfile, Profile, Recording,
    ResumeFrom, Resumed, RunDirectory, SoftBodySummary, SoftSummary, Summary, Timing,
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
  extricate run scene.ron --record-as glb --record-as mcap
  extricate run scene.ron --foxglove
  extricate run scene.ron --profile
  extricate run out/drop --from last
  extricate run out/drop --from 120 --time 5

Written to DIR: states.jsonl (a line per recorded step), with --contacts and --vtk the contacts and the soft bodies, timing.json and, when the run is complete,
summary.json, and a checkpoint each simulated second, of which the newest three are retained. A run that was killed, interrupted
by Ctrl-C or is complete can be resumed from them: SCENE is then its folder, and --from states the step. The files are the same
as those of an uninterrupted run.
Exit code 1 means that an expectation of the scene is not met; expectations are checked when the whole scene is run.";

/// RunArguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunArguments {
    /// The scene file; with --from also the folder of a run.
    scene: PathBuf,
    #[command(flatten)]
    run: RunFields,
    /// Folder of the results [default: out/SCENE].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write a checkpoint every K steps; 0 disables them [default: each simulated second].
    #[arg(long, value_name = "K")]
    checkpoint_every: Option<u64>,
    /// Resume a run from the newest checkpoint that is not after STEP, or from the `last` one; from the start if there is none.
    /// --steps or --time then state the total length of the run.
    #[arg(long, value_name = "STEP", value_parser = resume_from)]
    #[arg(conflicts_with_all = ["time_step", "on_overlap", "narrow_phase", "every", "vtk", "contacts", "checkpoint_every"])]
    from: Option<ResumeFrom>,
    /// Write every soft body at every recorded state to DIR/soft/NAME-STEP.vtu, for ParaView and similar programs.
    #[arg(long)]
    vtk: bool,
    /// Record the contacts of every recorded state in DIR/contacts.jsonl: bodies, point, normal, depth and force.
    #[arg(long)]
    contacts: bool,
    /// Time each pair of bodies; print the phases of the steps and the ten costliest pairs, and write them to DIR/timing.json.
    #[arg(long)]
    profile: bool,
    /// Also write the run for other programs when it ends, as DIR/run.glb (animated glTF), DIR/run.mcap (messages, for Foxglove; with --contacts),
    /// DIR/run.usda (the last state, for USD) or DIR/run.csv (a table of energies, joints and sensors); may be repeated.
    #[arg(long, value_name = "FORMAT", value_parser = export_format)]
    record_as: Vec<ExportFormat>,
    #[command(flatten)]
    stream: StreamArguments,
}

fn export_format(text: &str) -> Result<ExportFormat, String> {
    let known = ExportFormat::ALL.map(ExportFormat::extension);
    let found = ExportFormat::ALL.into_iter().find(|format| format.extension() == text.to_lowercase());
    found.ok_or_else(|| format!("expected {}{}", known.join(", "), did_you_mean(text, known)))
}

pub(super) fn resume_from(text: &str) -> Result<ResumeFrom, String> {
    let step = || text.parse().map(ResumeFrom::Step);
    if text == "last" { Ok(ResumeFrom::Last) } else { step().map_err(|_| "expected a step or `last`".into()) }
}

/// Default simulated time between checkpoints [s]. Shorter: less is repeated on resuming, more is written.
const CHECKPOINT_INTERVAL: f64 = 1.0;

/// Runs the scene, or resumes a run.
pub(super) fn execute(console: &mut Console, arguments: &RunArguments) -> Result<(), Failure> {
    if let Some(from) = arguments.from {
        return resume(console, (arguments, from));
    }
    let scene = console.access().scene(&arguments.scene)?;
    let checkpoint_every = arguments.checkpoint_every;
    let start = arguments.run.start(scene)?;
    if arguments.profile {
        start.world.start_profile();
    }
    let (scene, judged) = (&start.scene, start.options.check_expectations);
    let folder = arguments.output.clone().unwrap_or_else(|| default_folder(scene));
    let directory = RunDirectory::create(&folder)
        .map_err(|error| Failure::new(Exit::Usage, format!("{error}; `-o DIR` names another folder")))?;
    let every = checkpoint_every.unwrap_or_else(|| scene.steps(CHECKPOINT_INTERVAL));
    let directory = directory.with_checkpoints(every);
    let directory = match arguments.vtk {
        true => directory.with_pictures().map_err(|error| Failure::of(Exit::Usage, &error))?,
        false => directory,
    };
    let has_contacts = arguments.contacts || arguments.record_as.contains(&ExportFormat::Mcap);
    let directory = match has_contacts {
        true => directory.with_contacts().map_err(|error| Failure::of(Exit::Usage, &error))?,
        false => directory,
    };
    let is_stated = arguments.run.on_overlap.is_some() || scene.text.contains("on_overlap");
    let warn = console.access().warn.filter(|_| !is_stated);
    let (directory, pace) = arguments.stream.start(console, (&start.world, &scene.name()), directory)?;
    let outcome = simulate_warned(console, (start, pace), directory, warn)?;
    export(console, &folder, &arguments.record_as)?;
    finish(console, &outcome, &folder, judged)
}

/// Default folder of the results of a scene.
pub(super) fn default_folder(scene: &Scene) -> PathBuf {
    Path::new("out").join(scene.name())
}

/// Resumes the run in a folder.
fn resume(console: &mut Console, (arguments, from): (&RunArguments, ResumeFrom)) -> Result<(), Failure> {
    let folder = match (&arguments.output, arguments.scene.is_dir()) {
        (None, true) => arguments.scene.clone(),
        (output, false) => folder_of_scene(console, &arguments.scene, output.as_deref())?,
        (Some(_), true) => {
            let message =
                "--output cannot be used with --from and the folder of a run, which is resumed in place";
            return Err(Failure::new(Exit::Usage, message));
        }
    };
    let manifest = Recording::manifest_of(&folder).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let RunFields { steps, time, .. } = arguments.run;
    let steps = steps.or_else(|| time.map(|time| steps_in(time, manifest.time_step)));
    let resumed = Resumed::open(&folder, from, steps).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let judged = resumed.manifest().expectations_checked;
    let (scene, steps) = (resumed.manifest().scene.clone(), resumed.manifest().steps);
    let start = resumed.step();
    if arguments.profile {
        resumed.world().start_profile();
    }
    let long_steps = console.long_steps(resumed.world());
    let outcome = with_progress(console, (&scene, steps), |monitor| {
        record::resume(resumed, monitor).map_err(|error| Fault::of_run(&error))
    })?;
    drop(long_steps);
    if !console.json() {
        console.line(format_args!("resumed from step {start}"))?;
    }
    export(console, &folder, &arguments.record_as)?;
    finish(console, &outcome, &folder, judged)
}

/// Writes a run for other programs, whether it is complete or not.
fn export(console: &mut Console, folder: &Path, formats: &[ExportFormat]) -> Result<(), Failure> {
    for &format in formats {
        let output = folder.join("run").with_extension(format.extension());
        let exported = recording::write((folder, &output), format, None)?;
        // With `--json` the summary is the one object that is printed.
        if !console.json() {
            recording::print(console, (folder, &output), &exported)?;
        }
    }
    Ok(())
}

/// The folder of the run of a scene file; an error if it is the run of another scene.
fn folder_of_scene(console: &Console, path: &Path, output: Option<&Path>) -> Result<PathBuf, Failure> {
    let scene = console.access().scene(path)?;
    let folder = output.map_or_else(|| default_folder(&scene), Path::to_owned);
    let manifest = Recording::manifest_of(&folder).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let inputs = Inputs::of(&scene).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    // A changed scene or mesh would continue another motion than the one that is recorded.
    if inputs.hash == manifest.input_hash {
        return Ok(folder);
    }
    let message =
        format!("{} is a run of another scene, or {} has changed since", folder.display(), path.display());
    Err(Failure::new(Exit::Usage, message))
}

/// Number of steps in a time [s].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "runs have fewer than 2^53 steps"
)]
fn steps_in(time: f64, time_step: f64) -> u64 {
    ((time / time_step).round() as u64).max(1)
}

/// Prints the outcome and returns its exit code.
fn finish(console: &mut Console, outcome: &Outcome, folder: &Path, judged: bool) -> Result<(), Failure> {
    print_outcome(console, outcome, folder, judged)?;
    match (outcome.stopped, outcome.summary.pass) {
        (true, _) => Err(Failure::Silent(Exit::Interrupted)),
        (false, false) => Err(Failure::Silent(Exit::CheckFailed)),
        (false, true) => Ok(()),
    }
}

/// Runs with a progress bar; Ctrl-C ends the run after the current step.
pub(super) fn simulate(console: &Console, start: Start, directory: RunDirectory) -> Result<Outcome, Failure> {
    let (name, steps) = (start.scene.name(), start.options.steps);
    let _long_steps = console.long_steps(&start.world);
    with_progress(console, (&name, steps), |monitor| start.run(directory, monitor))
}

/// Depth over the size of the smaller body from which an overlap at the start is reported. Resting contacts are placed to
/// a thousandth and better; a tenth would miss bodies that fly apart.
const DEEP: f64 = 0.01;

/// Runs as [`simulate`] does, at a pace, and warns of the deepest overlap at the start.
fn simulate_warned(
    console: &Console,
    (start, mut pace): (Start, Option<Pace>),
    directory: RunDirectory,
    warn: Option<fn(&dyn Display)>,
) -> Result<Outcome, Failure> {
    let (name, steps, path) = (start.scene.name(), start.options.steps, start.scene.path.clone());
    let bodies = start.world.descriptions().iter();
    let bodies: Vec<_> = bodies.map(|body| (body.name.clone(), body.shape.bounding_radius())).collect();
    let first_step = |report: &StepReport| {
        let Some(warn) = warn else { return };
        let Some([a, b]) = report.deepest.map(|pair| pair.map(|body| &bodies[body])) else { return };
        if report.max_penetration > DEEP * a.1.min(b.1) {
            let (a, b, depth, scene) = (&a.0, &b.0, number(report.max_penetration), path.display());
            warn(&format_args!(
                "{scene}: bodies overlap at the start: {a} and {b} are {depth} m deep; `--on-overlap repair` moves them \
                 apart, `extricate check {scene}` lists all pairs"
            ));
        }
    };
    let _long_steps = console.long_steps(&start.world);
    with_progress(console, (&name, steps), |monitor| {
        start.run(directory, &mut |report| {
            if report.step == 1 {
                first_step(report);
            }
            if let Some(pace) = &mut pace {
                pace.follow(console, report.time);
            }
            monitor(report)
        })
    })
}

/// Executes a run of the named scene with a progress bar of `steps` steps; Ctrl-C ends it after the current step.
fn with_progress(
    console: &Console,
    (name, steps): (&str, u64),
    run: impl FnOnce(&mut record::Monitor<'_>) -> Result<Outcome, Fault>,
) -> Result<Outcome, Failure> {
    let mut progress = console.progress(steps);
    let mut monitor = |report: &StepReport| {
        progress
            .update(report.step, || format!("{name}: {:.2} s, {} contacts", report.time, report.contacts));
        console.control_flow()
    };
    Ok(run(&mut monitor)?)
}

fn print_outcome(
    console: &mut Console,
    outcome: &Outcome,
    folder: &Path,
    judged: bool,
) -> Result<(), Failure> {
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
        table.row("repaired", [format!("{moved} bodies moved by {} m in total", number(total))]);
    }
    if !summary.joints_moved.is_empty() {
        table.row("repaired", [format!("{} joints moved", summary.joints_moved.len())]);
    }
    let worst = &summary.worst_penetration;
    let pair = worst.bodies.as_ref().map_or(String::new(), |[a, b]| format!(": {a} and {b}"));
    table.row(
        "worst penetration",
        [format!("{:.3e} of the size of the smaller body, at {:.3} s{pair}", worst.relative, worst.time)],
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
        add_soft_rows(&mut table, soft);
    }
    table.row("hash", [summary.hash.to_string()]);
    add_timing_rows(&mut table, timing);
    table.row("written to", [folder.display().to_string()]);
    console.line(table)?;
    if let Some(profile) = &timing.profile {
        console.line(phase_table(profile))?;
        console.line(pair_table(profile))?;
    }
    if judged && !stopped { print_verdicts(console, summary) } else { Ok(()) }
}

/// Adds the rows of the wall-clock times.
fn add_timing_rows(table: &mut Table, timing: &Timing) {
    let step = timing.step_ms.get("total").map_or(f64::NAN, |step| step.p50);
    table.row(
        "time",
        [format!(
            "{:.2} s, {step:.2} ms per step, {:.2} × real time",
            timing.wall_time, timing.real_time_factor
        )],
    );
    table.row("outside its steps", [outside_text(&timing.outside)]);
    if let Some(slowest) = timing.step_ms.get("total") {
        table.row("slowest step", [format!("{:.2} ms, step {}", slowest.max, timing.slowest_step)]);
    }
}

fn outside_text(outside: &OutsideTimes) -> String {
    let OutsideTimes { preparation, first_state, recording, checkpoints } = outside;
    format!(
        "{:.2} s: preparation {preparation:.2}, first state {first_state:.2}, recording {recording:.2}, \
         checkpoints {checkpoints:.2}",
        outside.total()
    )
}

/// Phases of the steps, the longest first.
fn phase_table(profile: &Profile) -> Table {
    let mut table = Table::default();
    table.row("phase", ["time, s", "fraction", "slowest, ms", "in step"].map(String::from));
    let mut phases: Vec<_> = profile.phases.iter().collect();
    phases.sort_by(|a, b| b.time.total_cmp(&a.time));
    for PhaseProfile { phase, time, fraction, max_ms, slowest_step } in phases {
        let numbers = [format!("{time:.3}"), format!("{:.1} %", 100.0 * fraction)];
        let slowest = [format!("{max_ms:.2}"), slowest_step.to_string()];
        table.row(&phase.replace('_', " "), numbers.into_iter().chain(slowest));
    }
    table
}

/// The costliest pairs of bodies.
fn pair_table(profile: &Profile) -> Table {
    let mut table = Table::default();
    let titles = ["contacts, s", "sweeps, s", "fraction", "calls", "slowest, ms", "in step"];
    table.row(&format!("costliest of {} pairs", profile.timed_pairs), titles.map(String::from));
    for pair in &profile.pairs {
        let PairProfile { bodies: [a, b], contacts, sweeps, fraction, count, max_ms, slowest_step } = pair;
        let times = [format!("{contacts:.3}"), format!("{sweeps:.3}"), format!("{:.1} %", 100.0 * fraction)];
        let calls = [count.to_string(), format!("{max_ms:.2}"), slowest_step.to_string()];
        table.row(&format!("{a} and {b}"), times.into_iter().chain(calls));
    }
    table
}

fn soft_count(summary: &Summary) -> String {
    summary.soft.as_ref().map_or_else(String::new, |soft| format!(" and {} soft ones", soft.bodies.len()))
}

/// Adds the rows of the soft bodies.
fn add_soft_rows(table: &mut Table, soft: &SoftSummary) {
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
            "{} Newton iterations (at most {} per step), {} linear iterations, {} steps subdivided, {} not converged",
            soft.newton_iterations,
            soft.max_newton_iterations,
            soft.linear_iterations,
            soft.divided_steps,
            soft.unconverged_steps
        )],
    );
    if soft.field_updates > 0 {
        let part = 100.0 * soft.field_points as f64 / soft.field_points_of_whole as f64;
        table.row(
            "distance fields",
            [format!(
                "{} updates, {} of them whole, {part:.1} % of the points of whole fields computed",
                soft.field_updates, soft.whole_fields
            )],
        );
    }
}

/// Prints the expectations of a scene with their verdicts.
pub(super) fn print_verdicts(console: &mut Console, summary: &Summary) -> Result<(), Failure> {
    if summary.expect.is_empty() {
        return console.line("no expectations");
    }
    let mut table = Table::default();
    table.row("expect", ["expected", "measured", "tolerance", ""].map(String::from));
    for verdict in &summary.expect {
        let numbers = [verdict.expected, verdict.measured, verdict.tolerance].map(number);
        let [expected, measured, tolerance] = numbers;
        let pass = if verdict.pass { "pass" } else { "FAIL" };
        table.row(&verdict.quantity, [expected, measured, tolerance, pass.into()]);
    }
    console.line(table)
}
