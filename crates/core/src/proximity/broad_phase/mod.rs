//! Broad phase: overlapping pairs among many moving boxes, and the changes since the last step [Lin17 §40.7].
//!
//! Boxes are axis-aligned, in the world frame, and closed: boxes that touch overlap. The pairs are exactly those that
//! a comparison of all boxes with all others would find, in `f64` and without any margin, sorted, and the same for any
//! number of threads.
//!
//! A [`BroadPhase`] persists over the steps of a simulation. Boxes are inserted, moved and removed by their handles;
//! [`BroadPhase::update`] then finds the pairs and reports those that have begun and those that have ended.
//! [`overlapping_pairs`] is the one-shot query.
//!
//! Temporal coherence: candidates are the overlapping pairs of *fat boxes*, which are enlarged along the recent motion.
//! While every box stays within its fat box, an update only tests the candidates.
//!
//! Memory: about 220 bytes per box and 25 per pair.
//!
//! Departs from the sweep and prune of [CLMP95]: when a heap or a plane of boxes is projected on one axis, nearly
//! all intervals overlap. A tree over boxes of similar size tests all three axes at once.

mod candidates;
mod coherence;
mod fat_box;
mod forest;
mod handle;
mod order;
mod pair_list;
mod phase;
mod update;

pub use self::handle::{BoxHandle, BoxPair};
pub use self::phase::{BroadPhase, PairChanges, overlapping_pairs};

#[cfg(test)]
mod tests;
