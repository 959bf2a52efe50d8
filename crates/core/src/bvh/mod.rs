//! Bounding volume hierarchies over triangles: build, refit, save and load, one tree, two trees in tandem.
//!
//! Nodes are eight wide with boxes, and layers across patches that are nearly flat, in single precision rounded
//! outwards; leaves hold four triangles side by side in double precision, so that a query never gathers vertices.
//! Coordinates are relative to the centre of the mesh's box: a mesh far from its origin loses nothing.
//!
//! Other trees of boxes stay apart, since the order in which a tree is descended decides ties, and with them bits:
//!
//! | tree | holds | why not this one |
//! |---|---|---|
//! | `swept` | paths of moving triangles | the shape of this one, with boxes refitted at every step and degenerate triangles kept |
//! | `proximity::obstacle_tree` | pairs of subtrees of two models | grows where queries look, and is cast against, not met |
//! | `proximity::broad_phase` | boxes of whole bodies | implicit, in `f64` and exact, rebuilt while pairs are kept |
//! | soft contact | boxes of a mesh that deforms | depth-first without a stack, refitted in one pass from the back |
//! | picking of the viewer | triangles for rays | of the viewer alone, which asks nothing else |

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

#[cfg(test)]
mod tests;
