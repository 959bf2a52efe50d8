//! The stiffness matrix of soft bodies: symmetric, sparse, of 3×3 blocks, stored as a sum over patches of elements.
//!
//! A = Σ Pᵀ Aₚ P + D: each patch of neighbouring elements has its own upper triangle Aₚ over the nodes it touches, with a
//! sparsity pattern and scatter indices that are computed once; D are the diagonal blocks of nodes that no element touches. Patches
//! are assembled and multiplied in parallel, their results summed by node in a fixed order: the same bits for every thread count.

mod kernel;
mod matrix;
mod partition;
mod patch;
#[cfg(test)]
pub(super) mod tests;

pub use kernel::{Connectivity, DerivativeOrder, ElementKernel};
pub use matrix::{BlockMatrix, dot, norm};
pub(super) use matrix::{CHUNK, PARALLEL_BLOCKS};
