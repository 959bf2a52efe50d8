//! Handles of boxes, and pairs of them.

use crate::geometry::triangle_mesh::Aabb;

/// Boxes per parallel task. Smaller tasks balance better and cost more scheduling; the result does not depend on it.
pub(super) const TASK: usize = 1 << 12;

/// Handle of a box, valid as long as the box is in its `BroadPhase`. The handle of a removed box is reused for a new
/// one, but never before the next update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct BoxHandle(pub(super) u32);

impl BoxHandle {
    /// Handle with the given index. Boxes that are inserted into a new broad phase get the indices 0, 1, 2, …
    #[must_use]
    pub fn new(index: u32) -> Self {
        Self(index)
    }

    /// Index of the box. Indices are dense except for the gaps that removals have left.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two overlapping boxes; the lower handle comes first.
pub type BoxPair = [BoxHandle; 2];

/// Whether a handle has a box: boxes that are NaN or inverted are rejected on input, so that only [`Aabb::EMPTY`] fails.
pub(super) fn is_present(aabb: &Aabb) -> bool {
    aabb.min.x <= aabb.max.x
}

/// Branching factor: boxes of a leaf and children of a node.
pub(super) const WIDTH: usize = 8;
