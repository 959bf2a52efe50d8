//! Proximity queries between triangle models: collision, containment, distance, contact features, time of contact; and
//! the broad phase, the overlaps of many boxes.

pub(crate) mod articulated;
pub(crate) mod blocking_pairs;
pub(crate) mod broad_phase;
mod clear_configurations;
mod clear_place;
pub(crate) mod closest_point;
pub(crate) mod collision;
pub mod contacts;
pub(crate) mod contained_parts;
pub(crate) mod continuous;
pub(crate) mod crossings;
pub(crate) mod curves_and_patches;
pub mod deforming;
pub(crate) mod depth_grid;
pub(crate) mod distance;
pub(crate) mod error;
mod face_normals;
pub(crate) mod first_free;
pub(crate) mod gyration;
mod hausdorff;
mod incidence;
pub(crate) mod inner_ball;
pub(crate) mod inner_balls;
pub(crate) mod inside;
mod intersection;
mod leaf_and_box;
mod leaf_pair;
pub(crate) mod model;
pub(crate) mod near_leaves;
mod nearest;
pub(crate) mod obstacle_tree;
pub(crate) mod outline;
mod outline_sampling;
mod overlap;
pub(crate) mod parts;
pub(crate) mod patch;
mod principal_axes;
pub(crate) mod relative_pose;
mod self_collision;
mod spanning;
pub(crate) mod time_of_contact;
pub(crate) mod triangle_distance;
pub mod triangle_pair;
mod winding;
pub(crate) mod work_limit;

pub use articulated::{
    AllowedCollisions, AllowedReason, ArticulatedContact, ArticulatedModel, ArticulatedMotion,
    ContactPartner, DerivedCollisions, MovingObstacle, Sampling, articulated, articulated_pair,
};
pub use broad_phase::{BoxHandle, BoxPair, BroadPhase, PairChanges, overlapping_pairs};
pub use clear_place::{ClearConfigurations, ClearPlace, RESOLUTION, RESOLUTIONS};
pub use closest_point::{closest_point, closest_point_up_to, signed_distance};
pub use collision::{collide, collide_until, intersecting_pairs, pairs_within, surfaces_collide};
pub use continuous::{ContactInTime, ContinuousOptions, time_of_contact_rigid};
pub use distance::{
    Distance, DistanceCache, DistanceOptions, clearance_of_surfaces, distance, distance_in_norm,
    distance_up_to, distance_with, distance_with_cache, is_within,
};
pub use error::ProximityError;
pub use hausdorff::{Hausdorff, HausdorffOptions, Side, hausdorff_distance};
pub use intersection::{IntersectionSegment, intersection_segments};
pub use model::Model;
pub use nearest::ClosestPoint;
pub use self_collision::{SelfCollisionOptions, is_self_colliding, self_collisions};
pub use spanning::{Spanning, spanning_distance};
pub use time_of_contact::{TimeOfContact, translational};

#[cfg(test)]
mod degenerate;
#[cfg(test)]
mod same_bits;
#[cfg(test)]
pub(crate) mod shapes;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exact promises")]
mod tests;
