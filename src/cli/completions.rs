//! `extricate completions`: a script that completes command lines in a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use super::terminal::{Console, Failure};

/// Arguments of `extricate completions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  extricate completions bash > ~/.local/share/bash-completion/completions/extricate
  extricate completions zsh > ~/.zfunc/_extricate
  extricate completions fish > ~/.config/fish/completions/extricate.fish";

/// Prints the script for a command line.
pub(super) fn execute(
    console: &mut Console,
    arguments: &CompletionsArguments,
    mut program: Command,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "extricate", &mut script);
    console.line(String::from_utf8_lossy(&script).trim_end())
}
