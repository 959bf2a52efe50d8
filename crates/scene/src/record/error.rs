//! Error of runs: of making, recording, reading, resuming and comparing them.

use extricate_core::penetration::PenetrationError;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::scene::SceneError;
use extricate_dynamics::{BuildError, CheckpointError, StepError};

/// Reason why a run cannot be made, recorded, read, resumed or compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file or folder cannot be read or written for a record.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// The attempted action: `read` or `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder is not that of a run.
    #[error("{} is not the folder of a run: run.json or states.jsonl is missing", .folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of a run, or a golden file, cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file is malformed.
    #[error("{}: {cause}", place(.path, *.line))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where there is one.
        line: Option<usize>,
        /// Description of the damage.
        cause: String,
    },
    /// A golden file exceeds the maximum size.
    #[error("{}: {size} bytes are more than the {max} that a golden file may have", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size \[bytes\].
        size: u64,
        /// Maximum size that is read \[bytes\].
        max: u64,
    },
    /// The scene of a run cannot be loaded.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The bodies and joints of a scene do not form a world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A penetration could not be measured.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// A checkpoint could not be made.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// None of the checkpoints that are early enough can be used.
    #[error("{}: no checkpoint can be used, the last one because: {cause}", .path.display())]
    Unusable {
        /// The checkpoint that was tried last.
        path: PathBuf,
        /// Reason why it cannot be used.
        cause: String,
    },
    /// A quantity is unknown, or has no tolerance.
    #[error("unknown quantity `{name}`; quantities with a tolerance are {known}")]
    UnknownQuantity {
        /// The given name.
        name: String,
        /// Names of the known quantities.
        known: String,
    },
    /// A tolerance is not a non-negative number.
    #[error("invalid tolerance `{value}` of {quantity}: expected a number of at least 0, or `any`")]
    Tolerance {
        /// The quantity.
        quantity: &'static str,
        /// The given text.
        value: String,
    },
}

impl RecordError {
    pub(super) fn read(path: &Path, source: io::Error) -> Self {
        Self::File { action: "read", path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::File { action: "write", path: path.to_owned(), source }
    }

    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn damaged(path: &Path, line: Option<usize>, cause: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), line, cause: cause.to_string() }
    }

    /// Malformed JSON. The position in the text is left out of the message, which names the line.
    pub(super) fn json(path: &Path, line: Option<usize>, error: &serde_json::Error) -> Self {
        Self::damaged(path, line.or(Some(error.line())), json_cause(error))
    }
}

/// Cause of a JSON error, without the position.
pub(super) fn json_cause(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(cause, _)| cause.to_owned())
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}
