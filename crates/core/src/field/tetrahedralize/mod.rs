//! Tetrahedral meshes of the inside of a closed surface, with bounded dihedral angles.

mod lattice;
mod of_mesh;
mod stencil;
mod stuffing;

pub use of_mesh::{Tetrahedralization, TetrahedralizeOptions, tetrahedralize};
pub use stuffing::stuff;
