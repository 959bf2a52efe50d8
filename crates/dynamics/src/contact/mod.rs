//! Contacts, handed to rapier.
//!
//! rapier asks a *query dispatcher* for the contact manifolds of every pair of shapes that come near each other.
//! [`Dispatcher`] answers for every pair with a mesh in it and for pairs of convex shapes, unless the world leaves
//! those to rapier.

mod convex;
mod dispatcher;
mod explanation;
mod kept;
mod manifolds;
mod memory;
mod mesh_mesh;
mod mesh_shape;
mod plane;
mod proxy;
mod reduction;
mod round;
mod separation;
#[cfg(test)]
mod tests;

pub(super) use convex::{ConvexBody, StandIn, mesh_of as mesh_of_convex};
pub(super) use dispatcher::{ContactTally, Dispatcher};
pub(super) use mesh_mesh::depth;
pub(super) use mesh_shape::MeshShape;
pub(super) use proxy::new as proxy_of;
