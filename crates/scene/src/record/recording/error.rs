//! Why the folder of a run cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::scene::SceneError;
use extricate_dynamics::BuildError;

/// Why a recording cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The folder is not that of a run.
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
    /// The scene of the run cannot be loaded.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene of the run makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl RecordingError {
    pub(in crate::record) fn damaged(path: &Path, line: Option<usize>, cause: String) -> Self {
        Self::Damaged { path: path.to_owned(), line, cause }
    }

    pub(in crate::record) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}
