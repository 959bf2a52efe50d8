//! State of a broad phase that persists from one update to the next.

use super::candidates::{AlignedBox, Candidates};
use super::forest::Forest;
use super::handle::{BoxHandle, BoxPair};
use crate::geometry::triangle_mesh::Aabb;

/// Candidates with the trees that they were found in, and the data for deciding when to find them again.
#[derive(Debug, Clone)]
pub(crate) struct Coherence {
    /// Trees over the fat boxes of the boxes that were present when it was built.
    pub(super) forest: Forest,
    /// Boxes in the slots of the forest, as of the last update; empty where a box has left its fat box.
    pub(super) slots: Vec<AlignedBox>,
    pub(super) candidates: Vec<Candidates>,
    /// Boxes that are not in the forest yet.
    pub(super) inserted: Vec<BoxHandle>,
    /// Pairs of strays: inserted boxes and boxes that have left their fat boxes.
    pub(super) stray_pairs: Vec<BoxPair>,
    /// Boxes as of the last search for candidates; empty where there was none.
    pub(super) anchors: Vec<Aabb>,
    /// Updates since the last search for candidates.
    pub(super) age: u32,
    /// Number of updates for which fat boxes predict the motion.
    pub(super) horizon: u32,
    /// Tree queries of single boxes since the last search for candidates.
    pub(super) searches: usize,
    /// Whether the trees are to be rebuilt, not only refitted, with the next candidates.
    pub(super) must_rebuild: bool,
    /// Tested pairs of leaves per box and candidate when the trees were new.
    pub(super) fresh_cost: f64,
}
