//! Why a batch, or a merge of shards, cannot be done at all.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::request::Class;

/// Why a batch cannot be done. What single items fail of is told in their answers.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The manifest cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Manifest {
        /// Its file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The manifest holds no items.
    #[error("{}: holds no items", path.display())]
    Empty {
        /// Its file.
        path: PathBuf,
    },
    /// Two items bear one name.
    #[error("{}:{}: the id `{id}` stands in line {} already", path.display(), lines[1], lines[0])]
    DuplicateId {
        /// The file of the manifest.
        path: PathBuf,
        /// The name.
        id: String,
        /// Both lines, from 1.
        lines: [u64; 2],
    },
    /// The manifest is not what it was when it was counted.
    #[error("{}: was changed while it was read", path.display())]
    Changed {
        /// Its file.
        path: PathBuf,
    },
    /// The folder holds answers, and it was not said to go on with them.
    #[error("{}: holds answers already: `batch --resume` goes on with them; give another folder, or remove this one", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds another batch than the one to go on with.
    #[error("{}: holds another batch: {what} is {found} there, and {wanted} here", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What is different.
        what: &'static str,
        /// As it is in the folder.
        found: String,
        /// As it should be.
        wanted: String,
    },
    /// Another process writes to the folder.
    #[error("{}: another process is at work on this batch", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of a batch is damaged.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What is to be merged is not all there, or there more than once.
    #[error("{why}")]
    Shards {
        /// What is wrong, with the names of the folders.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {source}")]
    Thread {
        /// What the system says.
        source: io::Error,
    },
}

impl BatchError {
    /// What kind of failure it is.
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
