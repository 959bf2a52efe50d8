//! Why runs cannot be compared.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::dynamics::BuildError;
use crate::scene::SceneError;

/// Why two runs cannot be compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A folder is not that of a run.
    #[error("{} is not the folder of a run: run.json or states.jsonl is missing", .folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
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
    /// The scene of a run cannot be loaded.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene of a run makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The picture of the drift cannot be drawn.
    #[error("{}: the picture cannot be written: {cause}", .path.display())]
    Picture {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: String,
    },
}

impl CompareError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn damaged(path: &Path, line: Option<usize>, cause: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), line, cause: cause.into() }
    }
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}
