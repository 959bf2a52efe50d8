//! The command line: one file per subcommand, no physics.

mod console;
mod convert;
mod failure;
mod mesh;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use console::Console;

/// Penetration depth between triangle meshes, and rigid dynamics that stands on it.
#[derive(Debug, Parser)]
#[command(name = "extricate", version, max_term_width = 100)]
struct CommandLine {
    /// Tell results as JSON: one object, or one per line for many.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a procedural mesh.
    Mesh(mesh::Arguments),
    /// Convert a mesh file to another format, and tell what it is like.
    Convert(convert::Arguments),
}

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let CommandLine { json, command } = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let mut console = Console::new(json);
    let result = match &command {
        Command::Mesh(arguments) => mesh::execute(&mut console, arguments),
        Command::Convert(arguments) => convert::execute(&mut console, arguments),
    };
    let flushed = console.flush();
    result.and(flushed).map_or_else(failure::Failure::tell, |()| ExitCode::SUCCESS)
}
