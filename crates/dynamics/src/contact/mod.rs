//! Contacts, handed to rapier.
//!
//! rapier calls a *query dispatcher* for the contact manifolds of every pair of shapes that come near each other.
//! [`Dispatcher`](dispatcher::Dispatcher) computes those of every pair with a mesh in it and of pairs of convex shapes, unless the world leaves
//! the latter to rapier.

pub(crate) mod clearance;
mod convex;
pub(crate) mod dispatcher;
mod envelope;
mod local_separation;
mod manifolds;
mod memory;
pub(crate) mod mesh_mesh;
pub(crate) mod mesh_shape;
pub(crate) mod patch;
mod plane;
mod point;
pub(crate) mod proxy;
mod reduction;
pub(crate) mod round;
mod separation;
pub(crate) mod shapes;
#[cfg(test)]
mod tests;
mod workspace;
