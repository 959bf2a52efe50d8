//! Extent of a search for a free pose, in responses.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::repair::Repair;

/// Extent of a search, and the source of its result.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// Source of the start of the descent that led to the result.
    pub source: String,
    /// Number of descents.
    pub descents: u32,
    /// Number of descents after which the result had been found.
    pub improved_at: u32,
    /// Work of the search, in signed distances of convex pieces.
    pub work: u64,
    /// Reason for which the search ended: `completed`, `no improvement`, `work bound`, `stopped` by a time budget, or
    /// `impossible` where a part cannot leave an obstacle.
    #[schemars(extend("enum" = ["completed", "no improvement", "work bound", "stopped", "impossible"]))]
    pub ended: String,
}

impl From<&Repair> for SearchResponse {
    fn from(repair: &Repair) -> Self {
        let summary = repair.summary;
        Self {
            source: repair.source.to_string(),
            descents: summary.descents,
            improved_at: summary.improved_at,
            work: summary.work,
            ended: summary.end.to_string(),
        }
    }
}

impl fmt::Display for SearchResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { source, descents, improved_at, ended, .. } = self;
        match descents {
            1 => write!(f, "1 descent ({source}); {ended}"),
            _ => write!(f, "{descents} descents, the best the {improved_at}. ({source}); {ended}"),
        }
    }
}
