//! The `extricate` binary: passes the command line to [`extricate::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    extricate::cli::main()
}
