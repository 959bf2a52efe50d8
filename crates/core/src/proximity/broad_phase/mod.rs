//! Broad phase: which of many moving boxes overlap, and what has changed since the last step [Lin17 §40.7].
//!
//! Boxes are axis-aligned, in the world frame, and closed: boxes that touch overlap. The pairs are exactly those that
//! a comparison of all boxes with all others would find, in `f64` and without any margin, sorted, and the same for any
//! number of threads.
//!
//! A [`BroadPhase`] lives through the steps of a simulation. Boxes are inserted, moved and removed by their handles;
//! [`BroadPhase::update`] then finds the pairs and tells which have begun and which have ended.
//! [`overlapping_pairs`] is for boxes that are asked about once.
//!
//! Memory: about 220 bytes a box and 25 for each pair.
//!
//! Departs from the sweep and prune of [CLMP95]: sorted projections are all hits when a heap or a plane of boxes is
//! projected on one axis. A tree over boxes of like size knows all three axes at once.

mod candidates;
mod coherence;
mod forest;
mod handle;
mod order;
mod pair_list;
mod phase;
mod reach;
mod update;

pub use self::handle::{BoxHandle, BoxPair};
pub use self::phase::{BroadPhase, PairChanges, overlapping_pairs};

#[cfg(test)]
mod tests;
