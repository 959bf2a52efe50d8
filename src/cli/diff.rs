//! `extricate diff`: compares two runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::compared::{self, StateComparison};
use super::page::Page;
use super::record::tolerances;
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::record::compare::{Comparison, InputDifference, compare, draw, drift, overlay};
use extricate_scene::record::{RecordError, Recording};

const EXAMPLES: &str = "\
Examples:
  extricate diff out/before out/after
  extricate diff a b --tolerance position=1e-3 --tolerance contacts=any -o drift.svg
  extricate diff a b --html report.html
  extricate diff a b --exact --json

RUN is a folder written by `run`, `verify` or `record`. States are compared where both runs have one; the first run is
the reference. Exit code 0: equal within the tolerances; 1: different.";

/// DiffArguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiffArguments {
    /// The reference run.
    #[arg(value_name = "RUN_A")]
    a: PathBuf,
    /// The run that is compared with it.
    #[arg(value_name = "RUN_B")]
    b: PathBuf,
    /// Require equal bits, by the hashes of the states.
    #[arg(long)]
    exact: bool,
    /// Tolerance of a quantity; `any` disables its comparison. May be repeated.
    #[arg(long, value_name = "QUANTITY=X")]
    tolerance: Vec<String>,
    /// Draw the drift of the runs, as SVG.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a report: one page of HTML with tables, plots and pictures of the first step that differs.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Answer of `diff --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DiffAnswer<'a> {
    /// The reference run.
    a: String,
    /// The run that is compared with it.
    b: String,
    /// Whether the runs agree.
    pass: bool,
    /// Whether equal bits were required (`--exact`).
    by_bits: bool,
    /// Differing versions, options, scenes and files.
    inputs: &'a [InputDifference],
    /// Numbers of states that only run A and only run B has.
    alone: [u64; 2],
    /// Last step of each run.
    last: [u64; 2],
    #[serde(flatten)]
    report: StateComparison<'a>,
    /// The picture of the drift.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<String>,
}

/// Compares the runs and prints their differences.
pub(super) fn execute(console: &mut Console, arguments: &DiffArguments) -> Result<(), Failure> {
    let tolerances = tolerances(&arguments.tolerance)?;
    let (a, b) = (&arguments.a, &arguments.b);
    let found = compare(a, b, &tolerances).map_err(failed)?;
    let report = &found.report;
    let pass = if arguments.exact { report.is_exact() } else { report.agrees() };
    if let Some(path) = &arguments.output {
        let title = format!("drift of {} from {}", compared::shown(b), compared::shown(a));
        draw(report, &title, path).map_err(|error| Failure::of(Exit::Usage, &error))?;
    }
    if let Some(path) = &arguments.html {
        report_page(arguments, &found, pass)?.write(path)?;
    }
    if console.json() {
        console.json_line(&DiffAnswer {
            a: compared::shown(a),
            b: compared::shown(b),
            pass,
            by_bits: arguments.exact,
            inputs: &found.inputs,
            alone: found.alone,
            last: found.last,
            report: StateComparison::of(report),
            drift: arguments.output.as_deref().map(compared::shown),
        })?;
    } else {
        print_comparison(console, arguments, &found, pass)?;
    }
    if pass { Ok(()) } else { Err(Failure::Silent(Exit::CheckFailed)) }
}

fn failed(error: RecordError) -> Failure {
    match error {
        RecordError::Scene(error) => error.into(),
        error => Failure::of(Exit::BadFile, &error),
    }
}

/// The report of a comparison.
fn report_page(arguments: &DiffArguments, found: &Comparison, pass: bool) -> Result<Page, Failure> {
    let (a, b, report) = (&arguments.a, &arguments.b, &found.report);
    let title = format!("{} compared with {}", compared::shown(b), compared::shown(a));
    let word = if pass { "equal" } else { "different" };
    let mut page =
        Page::new(&title, pass, &format!("{word}: {} states, {}", report.states, compared::bits(report)));
    page.list(compared::inputs(&found.inputs, ["A has", "B has"]));
    page.list(compared::first(report).into_iter().chain(compared::also(report)));
    compared::worst_rows(report, &mut page);
    if !report.is_exact() {
        let drift = drift(report, "drift of B from A").map_err(|error| Failure::of(Exit::Usage, &error))?;
        page.picture(&drift, "Differences relative to their tolerances, over time");
    }
    let step = report.first.first().map(|first| first.step).or(report.bits.map(|bits| bits.step));
    if let Some(step) = step {
        let names = report.first.iter().filter_map(|difference| difference.body.as_deref()).collect();
        if let Some(svg) = states_of(a, b, step, &names).map_err(failed)? {
            page.heading(&format!("Step {step}, the first that differs"), "step");
            page.picture(&svg, "A filled, B as outlines; bodies that differ are bold");
        }
    }
    for (run, letter) in [(a, "A"), (b, "B")] {
        page.heading(&format!("{letter}: {}", compared::shown(run)), letter);
        page.plots(run);
    }
    Ok(page)
}

/// Picture of a state of both runs; none where one of them does not have it.
fn states_of(
    a: &Path,
    b: &Path,
    step: u64,
    differing: &BTreeSet<&str>,
) -> Result<Option<String>, RecordError> {
    let (a, b) = (Recording::open(a)?, Recording::open(b)?);
    let found = |run: &Recording| {
        let index = (0..run.state_count()).find(|&index| run.step(index) == step);
        index.map(|index| run.state(index)).transpose()
    };
    let (Some(first), Some(second)) = (found(&a)?, found(&b)?) else { return Ok(None) };
    let world = a.scene().world()?;
    if first.bodies.len() != second.bodies.len() {
        return Ok(None);
    }
    // A shape without a surface is a reason for no picture, not for no report.
    Ok(overlay(&world, [&first, &second], differing).ok())
}

fn print_comparison(
    console: &mut Console,
    arguments: &DiffArguments,
    found: &Comparison,
    pass: bool,
) -> Result<(), Failure> {
    let report = &found.report;
    let word = if pass { "equal" } else { "different" };
    let how = match (arguments.exact, report.agrees()) {
        (false, true) => " within the tolerances",
        (true, true) if !pass => ", but within the tolerances",
        _ => "",
    };
    console.line(format_args!("{word}{how}: {} states, {}", report.states, compared::bits(report)))?;
    compared::lines(console, compared::inputs(&found.inputs, ["A has", "B has"]))?;
    if found.alone != [0; 2] {
        let [a, b] = found.alone;
        let [last_a, last_b] = found.last;
        let line = format!(
            "compared where both have a state: {a} of A and {b} of B have no counterpart; A ends at step {last_a}, B at step {last_b}"
        );
        compared::lines(console, [line])?;
    }
    compared::lines(console, compared::first(report))?;
    compared::lines(console, compared::also(report))?;
    if !report.is_exact() {
        console.line(compared::worst(report))?;
    }
    let drawn = arguments.output.as_deref().map(|path| format!("drift drawn in {}", compared::shown(path)));
    compared::lines(console, drawn)
}
