//! Why a box is refused.

use thiserror::Error;

use super::handle::BoxHandle;
use crate::geometry::triangle_mesh::Aabb;

/// Why a broad phase refuses a box.
#[derive(Debug, Error, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A coordinate is NaN, or an edge is infinite or of negative length.
    #[error(
        "box {} is no box: it reaches from ({}, {}, {}) to ({}, {}, {}) m",
        .handle.index(), .aabb.min.x, .aabb.min.y, .aabb.min.z, .aabb.max.x, .aabb.max.y, .aabb.max.z
    )]
    ImproperBox {
        /// Handle that the box has or would have had.
        handle: BoxHandle,
        /// The box [m].
        aabb: Aabb,
    },
    /// There is no box of this handle.
    #[error("there is no box {}", .handle.index())]
    NoSuchBox {
        /// The handle.
        handle: BoxHandle,
    },
    /// All boxes were to be moved, but another number of them was given.
    #[error("{given} boxes are given for {present}")]
    OtherNumber {
        /// Number of boxes that were given.
        given: usize,
        /// Number of boxes that there are.
        present: usize,
    },
    /// There are more boxes than the trees have places.
    #[error("{count} boxes are too many: there may be 2³⁰")]
    TooMany {
        /// Number of boxes.
        count: usize,
    },
}
