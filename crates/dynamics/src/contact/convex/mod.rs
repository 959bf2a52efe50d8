//! Contacts of convex shapes: normals and distances from [`extricate_core::penetration::convex`], points by clipping
//! support features.

pub(super) mod body;
mod clip;
mod feature;
pub(super) mod half_space;
pub(super) mod manifold;
