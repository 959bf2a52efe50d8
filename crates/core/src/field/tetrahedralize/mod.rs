//! Tetrahedral meshes of the inside of a closed surface, with a bound on their angles.

mod lattice;
mod of_mesh;
mod stencil;
mod stuffing;

pub use of_mesh::{Tetrahedralization, TetrahedralizeOptions, tetrahedralize};
pub use stuffing::stuff;
