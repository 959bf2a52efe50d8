//! Shapes: triangle and tetrahedral meshes, convex shapes, files, reports, mass properties and procedural models; norms of
//! translations.

pub mod convex;
mod fingerprint;
pub mod limits;
pub mod mass_properties;
mod norm;
pub mod procedural;
pub mod random;
pub mod read;
pub mod report;
pub(crate) mod shape_error;
pub mod tet_mesh;
pub mod topology;
pub(crate) mod triangle_mesh;
pub(crate) mod vtk;
pub(crate) mod weld;
pub mod write;

pub use norm::{Norm, UnknownNorm};
pub use read::error::FileError;
pub use shape_error::ShapeError;
pub use tet_mesh::TetMesh;
pub use triangle_mesh::{Aabb, Solidity, TriangleMesh};
