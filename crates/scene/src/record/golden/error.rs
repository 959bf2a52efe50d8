//! What is wrong with a golden file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::record::{RecordError, RecordingError};

/// What is wrong with the text of a golden file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {cause}")]
pub struct GoldenFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

/// Why a golden file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is larger than any golden file.
    #[error("{}: {size} bytes are more than the {most} that a golden file may have", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size [bytes].
        size: u64,
        /// What is read at most [bytes].
        most: u64,
    },
    /// It is no golden file.
    #[error("{}:{fault}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        fault: GoldenFault,
    },
    /// It cannot be written, or a file of the scene cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The run that it is to be compared with, or made of, cannot be read.
    #[error(transparent)]
    Run(#[from] RecordingError),
}
