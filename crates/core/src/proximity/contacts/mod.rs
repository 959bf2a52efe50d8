//! Contact features: the pairs of a vertex and a face, or of two convex edges, at which two meshes touch or will
//! touch, with signed gaps.
//!
//! A contact feature is a local minimum of the distance between two surfaces. With `n` the unit normal from A to
//! B at such a minimum, no neighbour of the feature on A lies further along `n`, none on B further against it;
//! this *cone test* is what tells a corner that bears from one that merely is near a face. Where two surfaces
//! overlap by a little, the same pairs have negative gaps.
//!
//! A vertex over the border of a face is a vertex–edge or a vertex–vertex pair. Where faces or crossing edges are
//! near, those add nothing but false obstacles at corners that pass each other, so they are reported only when
//! nothing else was found.

mod adjacency;
mod core;
mod features;
mod front;

pub use adjacency::Adjacency;
pub use core::{Core, CoreFinder, CoreSide};
pub use features::{Feature, FeatureFinder, FeaturePair, Query};
pub use front::{FeatureFront, Side};

#[cfg(test)]
mod tests;
