//! Bounding volume hierarchies over triangles: build, refit, save and load, one tree, two trees in tandem.
//!
//! Nodes are eight wide with boxes, and layers across patches that are nearly flat, in single precision rounded
//! outwards; leaves hold four triangles side by side in double precision, so that a query never gathers vertices from
//! the mesh. Coordinates are relative to the centre of the mesh's box: a mesh far from its origin loses no precision.
//!
//! Other trees of boxes are separate, since the order of a traversal decides ties, and with them bits:
//!
//! | tree | holds | difference |
//! |---|---|---|
//! | `swept` | paths of moving triangles | the topology of this one, with boxes refitted at every step and degenerate triangles included |
//! | `proximity::obstacle_tree` | pairs of subtrees of two models | expanded lazily by queries, which cast rays against it |
//! | `proximity::broad_phase` | boxes of whole bodies | implicit, in `f64` and exact, rebuilt while pairs persist |
//! | soft contact | boxes of a mesh that deforms | depth-first without a stack, refitted in one pass from the back |
//! | picking of the viewer | triangles for rays | used by the viewer alone |

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
