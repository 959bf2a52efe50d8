//! Bounding volume hierarchies over triangles: build, refit, save and load, one tree, two trees in tandem.
//!
//! Nodes are eight wide with boxes, and layers across patches that are nearly flat, in single precision rounded
//! outwards; leaves hold four triangles side by side in double precision, so that a query never gathers vertices.
//! Coordinates are relative to the centre of the mesh's box: a mesh far from its origin loses nothing.

mod build;
pub(crate) mod file;
mod growth;
pub(crate) mod lanes;
mod layers;
mod levels;
pub(crate) mod node;
pub(crate) mod packet;
pub(crate) mod single;
pub(crate) mod swept;
pub(crate) mod tandem;
pub(crate) mod tree;

pub use self::tree::TriangleBvh;
pub use file::TreeFileError;

#[cfg(test)]
mod tests;
