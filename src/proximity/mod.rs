//! Proximity queries between triangle models: collision, inside, distance, contact features, time of contact; and
//! which of many boxes overlap, the broad phase.

pub(crate) mod broad_phase;
mod clear_configurations;
mod closest_point;
pub(crate) mod collision;
pub mod contacts;
pub(crate) mod distance;
mod face_normals;
pub(crate) mod first_free;
mod incidence;
pub(crate) mod inner_balls;
mod inside;
mod leaf_pair;
mod model;
pub(crate) mod obstacle_tree;
pub(crate) mod parts;
pub(crate) mod patch;
pub(crate) mod placement;
mod principal_axes;
pub(crate) mod time_of_contact;
pub(crate) mod triangle_pair;
mod winding;

pub use broad_phase::{BoxHandle, BoxPair, BroadPhase, BroadPhaseError, PairChanges, overlapping_pairs};
pub use clear_configurations::{
    ClearConfigurations, ClearConfigurationsError, ClearPlace, RESOLUTION, RESOLUTIONS,
};
pub use closest_point::{ClosestPoint, closest_point, closest_point_up_to, signed_distance};
pub use collision::{collide, intersecting_pairs, pairs_within, surfaces_collide};
pub use distance::{Distance, DistanceCache, distance, distance_up_to, distance_with_cache, is_within};
pub use model::Model;
pub use time_of_contact::{TimeOfContact, translational};

#[cfg(test)]
mod same_bits;
#[cfg(test)]
mod shapes;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exact promises")]
mod tests;
