//! Contacts of convex shapes: normals and distances from [`extricate_core::penetration::convex`], points by clipping the
//! features that face each other.

mod body;
mod clip;
mod feature;
mod half_space;
mod manifold;
mod rounded;

pub(super) use body::for_rapier;
pub(crate) use body::{ConvexBody, StandIn, mesh_of};
pub(super) use half_space::contacts as half_space_contacts;
pub(super) use manifold::{ConvexMemory, ConvexPair, SAME_PLACE, contacts};
