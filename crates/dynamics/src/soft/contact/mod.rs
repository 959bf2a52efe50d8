//! Contact of soft bodies with each other, themselves and rigid ones, from deformed distance fields [Fisher01 §5].
//!
//! A node m of a surface that lies in a tetrahedron of any body, its own included, is d̃(m) deep: the depths at rest of the
//! element's nodes, interpolated (`cell.rs`). It is pushed by the energy ½ k A d̃² with A the area that it stands for, and so are
//! edges that pass through (`edge.rs`), nodes in the signed distance of a rigid body and samples of a rigid body in tetrahedra.
//! An element that the node belongs to, or one near it at rest, is no contact. The field vanishes on the surface and
//! is continuous; a node that has gone deep is still pushed out, which is why overlaps heal.
//!
//! Limits: the field is zero on inner faces whose nodes all lie on the surface; an inverted element has none; edges are not
//! tested against rigid bodies, whose samples and whose field stand for them.

mod body;
mod cell;
mod contacts;
mod detect;
mod distance;
mod edge;
mod exact;
mod friction;
mod groups;
mod held;
mod neighbours;
mod obstacle;
mod options;
mod overlaps;
mod point;
mod scene;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod tree;

pub use body::node_depths;
pub use contacts::SoftContact;
pub use distance::{Primitive, SignedDistance};
pub use obstacle::{Motion, Obstacle};
pub use options::ContactOptions;
pub use overlaps::{Overlap, Wrench};
pub use point::{Contact, Field, Probe};
