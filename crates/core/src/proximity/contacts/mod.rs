//! Contact features: the pairs of a vertex and a face, or of two convex edges, at which two meshes touch or will
//! touch, with signed gaps.
//!
//! A contact feature is a local minimum of the distance between two surfaces. With `n` the unit normal from A to
//! B at such a minimum, no neighbour of the feature on A lies further along `n`, none on B further against it;
//! this *cone test* distinguishes a supporting corner from one that is merely near a face. Where two surfaces
//! overlap slightly, the same pairs have negative gaps.
//!
//! A vertex beyond the border of a face forms a vertex–edge or a vertex–vertex pair. Where vertex–face or edge–edge pairs
//! exist, those add only ghost contacts at corners that pass each other, so they are reported only when nothing else was
//! found.

mod adjacency;
mod below_plane;
mod cone_tree;
mod core;
mod edges;
mod features;
mod front;
mod leaf_features;
mod near_triangles;
mod normal_cone;
mod opposed;
mod touching;

pub use adjacency::Adjacency;
pub use cone_tree::ConeTree;
pub use core::{CoreFinder, CoreShape, CoreSide};
pub use features::{Feature, FeatureFinder, FeaturePair, FeatureQuery};
pub use front::{ContactMesh, FeatureFront};

#[cfg(test)]
mod tests;
