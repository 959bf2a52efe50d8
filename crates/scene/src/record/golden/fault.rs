//! What is wrong with the text of a golden file.

use thiserror::Error;

/// What is wrong with the text of a golden file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {cause}")]
pub struct GoldenFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}
