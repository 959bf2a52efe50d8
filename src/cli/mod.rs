//! The command line: one file per subcommand, no physics.

use std::process::ExitCode;

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
