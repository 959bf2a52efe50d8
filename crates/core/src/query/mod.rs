//! Queries about any two shapes: one [`Shape`], one calling convention, one [`QueryError`].
//!
//! Every query takes two [`Posed`] shapes and options with common names ([`options`]), and selects the algorithm:
//! certified ones for convex shapes, tree traversals for meshes, closed forms for half-spaces. A round shape is never
//! silently replaced by triangles: where triangles determine a direction, the result states the error, and where it can be
//! made exact again, it is.
//!
//! | query | result |
//! |---|---|
//! | [`collide`] | whether the shapes have a point in common |
//! | [`distance`], [`closest_points`] | the distance of the shapes, and the closest points |
//! | [`distance_in_norm`] | the distance in L1 or L∞ |
//! | [`signed_distance`] | the distance, or minus the penetration depth |
//! | [`penetration`] | the minimum translation that separates them |
//! | [`penetrating_parts`] | one such translation for every pair of parts, such as links of a robot |
//! | [`local_penetrations`] | one depth for every region of the overlap |
//! | [`penetration_rigid`] | the minimum rigid motion that separates them |
//! | [`time_of_contact`] | the first contact of two motions |
//! | [`hausdorff`] | the maximum deviation of two surfaces |
//! | [`spanning`] | the maximum distance of two points |
//! | [`growth_distance`] | the factor by which two convex shapes grow until they touch |
//!
//! [`penetration`] and [`time_of_contact`] return `Ok(Some(…))`, `Ok(None)` for a *proved* absence, or `Err`. A sequence of
//! queries of the same two shapes is warm-started by the variants that end in `_with` and one [`Cache`].

mod cache;
mod collide;
mod constrained;
mod convex_mesh;
mod convex_mesh_in_norm;
mod description;
mod distance;
mod error;
mod gap_in_norm;
mod growth;
mod hausdorff;
mod local;
pub mod options;
mod pair;
mod penetration;
mod posed;
mod relative_world;
mod rigid;
mod robot;
mod shape;
mod spanning;
mod time_of_contact;

pub use cache::Cache;
pub use collide::{CollidingParts, collide, collide_with, colliding_parts};
pub use distance::{
    Distance, closest_points, distance, distance_in_norm, distance_up_to, distance_up_to_with, distance_with,
    signed_distance, signed_distance_with,
};
pub use error::QueryError;
pub use growth::{GrowthDistance, growth_distance};
pub use hausdorff::hausdorff;
pub use local::{local_penetrations, local_penetrations_of, local_penetrations_until};
pub use options::{
    CollideOptions, DistanceOptions, GrowthDistanceOptions, HausdorffOptions, PenetrationOptions,
    SpanningOptions, TimeOfContactOptions,
};
pub use penetration::{penetrating_parts, penetrating_parts_with, penetration, penetration_with};
pub use posed::{Moving, Part, Posed};
pub use rigid::{RigidPenetration, RigidPenetrationOptions, penetration_rigid, penetration_rigid_with};
pub use robot::Robot;
pub use shape::{Shape, Triangles};
pub use spanning::{Spanning, spanning};
pub use time_of_contact::time_of_contact;

pub use crate::geometry::Norm;
pub use crate::penetration::{AllowedTranslations, LocalPenetration, Penetration};
pub use crate::proximity::{ContactInTime, Hausdorff, Side};
