//! Progress of a batch.

use std::time::Duration;

/// Progress of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchProgress {
    /// Number of items of the shard.
    pub items: u64,
    /// Number of finished items.
    pub done: u64,
    /// Number of items that were finished when the batch was opened.
    pub found: u64,
    /// Number of failures among the written results.
    pub failed: u64,
    /// Time since the start.
    pub elapsed: Duration,
}
