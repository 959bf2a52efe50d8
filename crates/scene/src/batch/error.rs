//! Errors of a batch, or of merging its shards, as a whole.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::request::Class;

/// Reason why a batch cannot be run or merged. Failures of single items are reported in their results.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The manifest cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Manifest {
        /// Its file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The manifest holds no items.
    #[error("{}: holds no items", path.display())]
    Empty {
        /// Its file.
        path: PathBuf,
    },
    /// Two items have the same id.
    #[error("{}:{}: duplicate id `{id}`: first used in line {}", path.display(), lines[1], lines[0])]
    DuplicateId {
        /// The file of the manifest.
        path: PathBuf,
        /// The id.
        id: String,
        /// Lines of the first and of the second use, from 1.
        lines: [u64; 2],
    },
    /// The manifest changed while it was read.
    #[error("{}: was changed while it was read", path.display())]
    Changed {
        /// Its file.
        path: PathBuf,
    },
    /// The folder holds results, and resuming was not requested.
    #[error("{}: already holds results: resume them with `batch --resume`, or choose another folder or remove this one", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds another batch than the one to be resumed.
    #[error("{}: holds another batch: {what} is {found} there, expected {wanted}", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
        /// The property that differs.
        what: &'static str,
        /// Its value in the folder.
        found: String,
        /// Its value in the batch to be resumed.
        wanted: String,
    },
    /// Another process writes to the folder.
    #[error("{}: another process is writing to this batch", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of a batch is damaged.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// The shards to be merged are incomplete, duplicate or inconsistent.
    #[error("{why}")]
    Shards {
        /// Description of the problem, with the names of the folders.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action: `read` or `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {source}")]
    Thread {
        /// Error of the system.
        source: io::Error,
    },
}

impl BatchError {
    /// Class of the failure, which is the exit code of the command.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Manifest { .. }
            | Self::Empty { .. }
            | Self::DuplicateId { .. }
            | Self::Changed { .. }
            | Self::Damaged { .. }
            | Self::Shards { .. } => Class::BadFile,
            _ => Class::Usage,
        }
    }

    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { action: "read", path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::Io { action: "write", path: path.to_owned(), source }
    }
}
