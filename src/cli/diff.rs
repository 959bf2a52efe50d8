//! `extricate diff`: compares two runs.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::compared::{self, StateComparison};
use super::record::tolerances;
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::record::RecordError;
use extricate_scene::record::compare::{Comparison, InputDifference, compare, draw};

const EXAMPLES: &str = "\
Examples:
  extricate diff out/before out/after
  extricate diff a b --tolerance position=1e-3 --tolerance contacts=any -o drift.svg
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
