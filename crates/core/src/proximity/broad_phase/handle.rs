//! Handles of boxes, and pairs of them.

use crate::geometry::triangle_mesh::Aabb;

/// Boxes that are worth a task.
pub(super) const TASK: usize = 1 << 12;

/// Names a box for as long as it is in its [`BroadPhase`]. The handle of a removed box is given to a new one later,
/// but never before the next update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct BoxHandle(pub(super) u32);

impl BoxHandle {
    /// The handle of this index. Boxes that are inserted into a new broad phase get the indices 0, 1, 2, …
    #[must_use]
    pub fn new(index: u32) -> Self {
        Self(index)
    }

    /// Index of the box: handles are as dense as the removals have left them.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two boxes that overlap; the lesser handle comes first.
pub type BoxPair = [BoxHandle; 2];

/// Whether a handle has a box: NaN and the inside out are refused, so that only the empty box lies so.
pub(super) fn is_present(aabb: &Aabb) -> bool {
    aabb.min.x <= aabb.max.x
}

/// Boxes of a leaf and children of a node.
pub(super) const WIDTH: usize = 8;
