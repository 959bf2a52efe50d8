//! The stiffness matrix of soft bodies: symmetric, sparse, of 3×3 blocks, held as a sum over patches of elements.
//!
//! A = Σ Pᵀ Aₚ P + D: each patch of neighbouring elements has its own upper half Aₚ over the nodes it touches, with a
//! pattern and places that are found once; D holds the diagonal blocks of what no element touches. Patches are filled
//! and multiplied in parallel, their results summed by node in a fixed order: the same bits for every thread count.

mod kernel;
mod matrix;
mod partition;
mod patch;
#[cfg(test)]
pub(super) mod tests;

pub use kernel::{Connectivity, ElementKernel, Want};
pub use matrix::{BlockMatrix, dot, norm};
pub(super) use matrix::{CHUNK, PARALLEL_BLOCKS};
