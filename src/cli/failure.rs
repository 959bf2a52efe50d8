//! How a command ends: exit codes, and failures that carry theirs.

use std::io;
use std::process::ExitCode;

/// Exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// The command line makes no sense, or its output cannot be written.
    Usage = 2,
    /// A mesh file is bad.
    BadFile = 3,
}

/// Why a command did not end well.
#[derive(Debug)]
pub(super) enum Failure {
    /// An exit code, and a line to tell.
    Told(Exit, String),
    /// Nobody reads our output any more: not an error of ours.
    OutputClosed,
}

impl Failure {
    /// A failure with one line of explanation.
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told(exit, message.into())
    }

    /// A failure that an error explains.
    pub(super) fn of(exit: Exit, error: &dyn std::error::Error) -> Self {
        Self::new(exit, error.to_string())
    }

    /// Tells the failure on stderr and returns the exit code of the process.
    #[expect(clippy::print_stderr, reason = "the one place where a command tells its failure")]
    pub(super) fn tell(self) -> ExitCode {
        match self {
            Self::Told(exit, message) => {
                eprintln!("error: {message}");
                ExitCode::from(exit as u8)
            }
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::new(Exit::Usage, format!("cannot write the output: {error}"))
        }
    }
}
