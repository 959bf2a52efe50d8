//! Fault in the text of a golden file.

use thiserror::Error;

/// A fault in the text of a golden file, with its line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}: {cause}")]
pub struct GoldenFault {
    /// The line, from 1.
    pub line: usize,
    /// Description of the fault.
    pub cause: String,
}
