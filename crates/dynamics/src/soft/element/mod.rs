//! Finite elements of one soft body: energies, forces, stiffnesses and masses, element by element.
//!
//! A linear tetrahedron has a constant deformation gradient F = Σ xₐ ∇Nₐᵀ, where ∇Nₐ [1/m] is the gradient of the
//! shape function of node a at rest. Linear tetrahedra lock: in bending, and where Poisson's ratio is near one half, a
//! coarse mesh of them is several times too stiff. The quadratic tetrahedron (ten nodes, four points of quadrature)
//! does not lock.

mod closed_form;
mod elements;
mod quadratic;
mod refinement;
#[cfg(test)]
mod tests;

pub use closed_form::LocalBatch;
pub use elements::{ElementKind, Elements, Local};
