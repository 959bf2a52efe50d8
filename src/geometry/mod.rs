//! Shapes at rest: triangle meshes, their files, reports, mass properties and procedural models.

mod triangle_mesh;

pub use triangle_mesh::{Aabb, MeshError, Solidity, TriangleMesh};
