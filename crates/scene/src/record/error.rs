//! The one error of runs: of making, recording, reading, resuming and comparing them.

use extricate_core::penetration::PenetrationError;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::scene::SceneError;
use extricate_dynamics::{BuildError, CheckpointError, StepError};

/// Why a run cannot be made, recorded, read, resumed or compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system does not let a file or folder be read for a record, or written.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Answer of the system.
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
        /// Answer of the system.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{}: {cause}", place(.path, *.line))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where there is one.
        line: Option<usize>,
        /// What is wrong.
        cause: String,
    },
    /// A golden file is larger than any should be.
    #[error("{}: {size} bytes are more than the {max} that a golden file may have", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size [bytes].
        size: u64,
        /// Maximum size that is read [bytes].
        max: u64,
    },
    /// The scene of a run cannot be loaded.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The bodies and joints of a scene make no world.
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
    /// No checkpoint that is early enough can be used.
    #[error("{}: no checkpoint can be used, the last one because: {cause}", .path.display())]
    Unusable {
        /// The one that was tried last.
        path: PathBuf,
        /// Why not.
        cause: String,
    },
    /// There is no such quantity to be compared with a tolerance.
    #[error("`{name}` is no quantity that has a tolerance; those are {known}")]
    UnknownQuantity {
        /// The name that was given.
        name: String,
        /// Names of the quantities that there are.
        known: String,
    },
    /// A tolerance is no number that can be one.
    #[error("`{value}` is no tolerance of {quantity}: a number from zero on, or `any`")]
    Tolerance {
        /// The quantity.
        quantity: &'static str,
        /// The text that was given.
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

    /// A text is not the JSON that it should be. The place in the text is left out of the message, which names the line.
    pub(super) fn json(path: &Path, line: Option<usize>, error: &serde_json::Error) -> Self {
        Self::damaged(path, line.or(Some(error.line())), json_cause(error))
    }
}

/// What is wrong with JSON, without the place.
pub(super) fn json_cause(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(cause, _)| cause.to_owned())
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}
