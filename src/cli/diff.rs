//! `extricate diff`: how two runs differ.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::compared::{self, Told};
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

RUN is a folder that `run`, `verify` or `record` wrote. States are compared where both runs have one, and the first run
is what is expected. Exit code 0: equal within the tolerances; 1: not.";

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The run that is expected.
    #[arg(value_name = "RUN_A")]
    a: PathBuf,
    /// The run that is held against it.
    #[arg(value_name = "RUN_B")]
    b: PathBuf,
    /// Nothing but equal bits passes, by the hashes of the states.
    #[arg(long)]
    exact: bool,
    /// How far the runs may be apart: a quantity and its tolerance, `any` for what is not compared. May be repeated.
    #[arg(long, value_name = "QUANTITY=X")]
    tolerance: Vec<String>,
    /// Draw how the runs drift apart, as SVG.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    /// The run that is expected.
    a: String,
    /// The run that is held against it.
    b: String,
    /// Whether they agree.
    pass: bool,
    /// Whether equal bits were asked for (`--exact`).
    by_bits: bool,
    /// What of versions, options, scenes and files differs.
    inputs: &'a [InputDifference],
    /// States that only run A and only run B has.
    alone: [u64; 2],
    /// Last step of each run.
    last: [u64; 2],
    #[serde(flatten)]
    report: Told<'a>,
    /// The picture of the drift.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<String>,
}

/// Compares the runs and tells how they differ.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
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
        console.json_line(&Answer {
            a: compared::shown(a),
            b: compared::shown(b),
            pass,
            by_bits: arguments.exact,
            inputs: &found.inputs,
            alone: found.alone,
            last: found.last,
            report: Told::of(report),
            drift: arguments.output.as_deref().map(compared::shown),
        })?;
    } else {
        tell(console, arguments, &found, pass)?;
    }
    if pass { Ok(()) } else { Err(Failure::Silent(Exit::CheckFailed)) }
}

fn failed(error: RecordError) -> Failure {
    match error {
        RecordError::Scene(error) => error.into(),
        error => Failure::of(Exit::BadFile, &error),
    }
}

fn tell(console: &mut Console, arguments: &Arguments, found: &Comparison, pass: bool) -> Result<(), Failure> {
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
            "compared where both have a state: {a} of A and {b} of B stand alone; A ends at step {last_a}, B at step {last_b}"
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
