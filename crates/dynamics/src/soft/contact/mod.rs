//! Contact of soft bodies with each other, themselves and rigid ones, from deformed distance fields [Fisher01 §5].
//!
//! A surface node m inside a tetrahedron of any body, its own included, has the depth d̃(m): the rest depths of the element's
//! nodes, interpolated (`cell.rs`). Its potential is ½ k A d̃² with A the surface area attributed to it; edges that pass through a body
//! (`edge.rs`), nodes in the signed distance field of a rigid body and samples of a rigid body in tetrahedra have such potentials,
//! too. Elements that the node belongs to, and with an option those near it at rest, are excluded. The field vanishes on the surface and
//! is continuous; a node that has gone deep is still pushed out, so overlaps recover.
//!
//! Limits: an inverted element has no field; edges are not tested against rigid bodies, only their end nodes and the bodies'
//! samples.

mod active_set;
mod body;
mod cell;
mod contacts;
mod curvature;
mod detect;
mod distance;
mod edge;
mod exact;
mod firmness;
mod folding;
mod folds;
mod following;
mod friction;
mod groups;
mod initial;
mod neighbours;
mod obstacle;
mod options;
mod overlaps;
mod pairs;
mod penalty;
mod point;
mod pressure;
mod reference;
mod release;
mod scene;
mod search;
mod slips;
mod state;
#[cfg(test)]
mod tests;
mod tree;

pub use body::node_depths;
pub(crate) use contacts::Memory;
pub use contacts::SoftContact;
pub use distance::{Primitive, SignedDistance};
pub use following::{DepthUpdate, FieldWork};
pub(crate) use initial::Pressure;
pub use obstacle::{Motion, Obstacle};
pub use options::ContactOptions;
pub use overlaps::{Overlap, Wrench};
pub use point::{Contact, Field, Probe};
pub(crate) use release::Among;
