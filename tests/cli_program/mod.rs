//! The binary as a program, and folders for its files.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use std::process::{Command, Output};

pub(crate) use extricate_test_support::ScratchFolder;

/// Result of a run of the program.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; −1 where a signal ended it.
    pub(crate) exit: i32,
    /// Text on stdout.
    pub(crate) stdout: String,
    /// Text on stderr.
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self {
            exit: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// The program, not yet started.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_extricate"))
}

/// Runs the program.
pub(crate) fn extricate<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Ended {
    program().args(arguments).output().expect("the program starts").into()
}

/// An empty folder of one test under the target folder; removed when the value is dropped.
pub(crate) fn scratch_folder() -> ScratchFolder {
    ScratchFolder::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
