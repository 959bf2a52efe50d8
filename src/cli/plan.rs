//! `extricate plan`: a collision-free path of a robot or body of a scene.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::request::table::Table;
use extricate_scene::request::text::number;
use extricate_scene::request::{PlanFields, PlanResponse, PlanStatus, Reply};

const EXAMPLES: &str = "\
Examples:
  extricate plan scenes/plan/crawler_under_bridge.ron -o path.json
  extricate plan scene.ron -o path.json --seed 3 --no-retraction --max-samples 5000
  extricate plan scene.ron -o path.json --clearance 0.005 --json

Each pose of the path has a time, at which all joints have kept the speeds that their robot states, and everything else `--speed`.

The scene's `plan` states which robot or body moves, and its goal; all others are static. Every segment of the path is proved free
for all of its time, and the path is checked by collision queries before it is written.
Exit code 6 reports that no path was found, which does not prove that there is none: the file then holds a free path from
the start to the pose at which the search came nearest. Exit code 4 reports that the start or the goal is not free.";

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlanArguments {
    /// The scene file.
    scene: PathBuf,
    /// File of the path.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    fields: PlanFields,
}

/// The file, and the output with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlanOutput<'a> {
    /// Number of the answer, 0-based.
    index: u32,
    /// Whether a path was found.
    #[schemars(extend("enum" = ["found", "not-found"]))]
    status: &'a str,
    #[serde(flatten)]
    response: &'a PlanResponse,
    /// Time of the search, with loading and writing [ms]; on stdout alone, so that equal runs write equal files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    time_ms: Option<f64>,
}

/// Plans a path.
pub(super) fn execute(console: &mut Console, arguments: &PlanArguments) -> Result<(), Failure> {
    let started = Instant::now();
    let scene = console.access().scene(&arguments.scene)?;
    let response = arguments.fields.search(&scene)?;
    let mut output = PlanOutput { index: 0, status: response.status(), response: &response, time_ms: None };
    let text = serde_json::to_string_pretty(&output).map_err(|error| {
        Failure::new(Exit::Numerical, format!("the path cannot be written as JSON: {error}"))
    })?;
    fs::write(&arguments.output, text + "\n").map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write {}: {error}", arguments.output.display()))
    })?;
    let time_ms = started.elapsed().as_secs_f64() * 1e3;
    output.time_ms = Some(time_ms);
    if console.json() {
        console.json_line(&output)?;
    } else {
        print(console, &response, time_ms, arguments)?;
    }
    match response.status {
        PlanStatus::Found => Ok(()),
        PlanStatus::NotFound => Err(Failure::Silent(Exit::NoFreePose)),
    }
}

fn print(
    console: &mut Console,
    response: &PlanResponse,
    time_ms: f64,
    arguments: &PlanArguments,
) -> Result<(), Failure> {
    let outcome = match response.status {
        PlanStatus::Found => "a path was found",
        PlanStatus::NotFound => "NO path was found",
    };
    console.line(format_args!("{}, {}: {outcome}", response.scene, response.movable))?;
    let mut facts = Table::default();
    facts.row("poses", [response.path.len().to_string()]);
    if let (Some(length), Some(found)) = (response.length, response.found_length) {
        let [length, found] = [length, found].map(number);
        facts.row("length", [format!("{length} m of mean displacement, {found} m before it was shortened")]);
        facts.row("checked at", [format!("{} poses", response.checked)]);
    }
    facts.row("duration", [format!("{} s", number(response.duration))]);
    if let Some(gap) = response.gap {
        facts.row("came within", [format!("{} m", number(gap))]);
    }
    let (overlapping, retracted) = (response.overlapping, response.retracted);
    facts.row("samples", [format!("{}, {overlapping} overlapping, {retracted} retracted", response.samples)]);
    facts.row("nodes", [format!("{} and {}", response.nodes[0], response.nodes[1])]);
    facts.row("segments", [response.segments.to_string()]);
    facts.row("time", [format!("{} ms", number(time_ms))]);
    facts.row("written to", [arguments.output.display().to_string()]);
    console.line(facts)
}
