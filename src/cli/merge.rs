//! `extricate merge`: merges the shards of a batch.

use std::path::PathBuf;

use clap::Args;

use super::batch::counts;
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::batch::merge;

const EXAMPLES: &str = "\
Examples:
  extricate merge out/shards -o out/all
  extricate merge out/0 out/1 out/2 -o out/all --json

OUT equals the result of an unsharded batch byte for byte, except that it has no timing.json. Missing, duplicate or incomplete
shards, and shards of different manifests, are refused by name (exit code 3).
Exit code 8 means that items failed.";

/// MergeArguments of `merge`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MergeArguments {
    /// Folders of shards, or folders that contain them.
    #[arg(required = true, value_name = "DIR")]
    shards: Vec<PathBuf>,
    /// Folder of the merged batch.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

/// Merges the shards.
pub(super) fn execute(console: &mut Console, arguments: &MergeArguments) -> Result<(), Failure> {
    let summary = merge(&arguments.shards, &arguments.output)?;
    if console.json() {
        console.json_line(&summary)?;
    } else {
        console.line(format_args!("{}: complete", arguments.output.display()))?;
        console.line(counts(&summary))?;
    }
    if summary.failed > 0 { Err(Failure::Silent(Exit::PartlyFailed)) } else { Ok(()) }
}
