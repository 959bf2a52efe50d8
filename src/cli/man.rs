//! `extricate man`: manual pages of the program and of its commands.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};

use super::terminal::{Console, Exit, Failure};

/// Arguments of `extricate man`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManArguments {
    /// Folder to write the pages into: extricate.1, extricate-run.1, …; it is made where it does not exist.
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Example:
  extricate man ~/.local/share/man/man1";

/// Writes the pages of a command line.
pub(super) fn execute(
    console: &mut Console,
    arguments: &ManArguments,
    program: Command,
) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(program, folder));
    written
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot write {}: {error}", folder.display())))?;
    console.note(format_args!("manual pages are in {}", folder.display()));
    Ok(())
}
