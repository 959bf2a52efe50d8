//! `extricate check`: validates a scene and lists overlaps at its start.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::terminal::{Console, Failure};
use extricate_scene::request::{CheckFields, CheckResponse, Reply};

const EXAMPLES: &str = "\
Examples:
  extricate check scenes/rigid/ring_stack.ron
  extricate check scene.ron --strict

With --strict, overlapping bodies give exit code 4, otherwise mesh defects and corrections of files exit code 1.";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArguments {
    /// The scene file.
    scene: PathBuf,
    #[command(flatten)]
    fields: CheckFields,
}

/// Findings of `check`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CheckOutput<'a> {
    /// Whether bodies overlap at the start, or else meshes have defects or files were corrected.
    #[schemars(extend("enum" = ["sound", "defective", "overlapping"]))]
    status: &'a str,
    #[serde(flatten)]
    response: &'a CheckResponse,
}

/// Checks the scene.
pub(super) fn execute(console: &mut Console, arguments: &CheckArguments) -> Result<(), Failure> {
    let scene = console.access().scene(&arguments.scene)?;
    let response = arguments.fields.check(&scene)?;
    if console.json() {
        console.json_line(&CheckOutput { status: response.status(), response: &response })?;
    } else {
        console.line(&response)?;
    }
    response.shortfall().map_or(Ok(()), |fault| Err(Failure::Silent(fault.class)))
}
