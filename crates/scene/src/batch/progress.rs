//! Progress of a batch.

use std::time::Duration;

/// Progress of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchProgress {
    /// Items of the shard.
    pub items: u64,
    /// Items that are answered.
    pub done: u64,
    /// Items that were answered when it began.
    pub found: u64,
    /// Items that failed, of those that are written.
    pub failed: u64,
    /// Time since it began.
    pub elapsed: Duration,
}
