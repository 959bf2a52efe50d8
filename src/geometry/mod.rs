//! Shapes at rest: triangle meshes, their files, reports, mass properties and procedural models.

pub mod convex;
mod fingerprint;
pub mod mass_properties;
pub mod procedural;
pub(crate) mod random;
pub mod read;
pub mod report;
pub mod topology;
mod triangle_mesh;
pub(crate) mod weld;
pub mod write;

pub use triangle_mesh::{Aabb, MeshError, Solidity, TriangleMesh};
