//! Generalized penetration depth PDg: the minimum change of poses and joint values after which nothing overlaps, for rigid
//! and articulated models, alone or several at once [Tang14 eq. 3].
//!
//! The metric is the object norm σ \[m²\] ([`object_norm`](super::object_norm)); for several movable models it is the mean
//! weighted by their volumes. Links, obstacles and other movable models are all separated from each other, links of one
//! movable model as well except for the pairs that are allowed to collide, and joints satisfy their limits. Every result
//! has been verified by a collision query that is independent of the search.
//!
//! | type | contents |
//! |---|---|
//! | [`Shape`] | convex pieces, or triangles |
//! | [`MovableModel`] | a rigid body, or a robot on a fixed or floating base |
//! | [`Obstacle`] | a static body |
//! | [`PoseConstraint`] | a closed loop, or something that a link keeps |
//! | [`CollisionWorld`] | all of them, preprocessed: collision test, colliding pairs, generalized penetration |

mod articulated;
mod balance;
mod best_effort;
#[cfg(test)]
mod bound_tests;
mod bounded_projection;
mod chart;
pub(crate) mod collision_world;
pub(crate) mod constraint;
mod constraint_check;
pub(crate) mod constraint_error;
pub(crate) mod constraint_frame;
mod constraint_rows;
#[cfg(test)]
mod constraint_tests;
mod crossing;
mod descent;
mod equality;
pub(crate) mod error;
mod exits;
mod follow;
mod growth;
mod limbs;
mod lower_bound;
mod mesh_rows;
mod monitor;
pub(crate) mod movable;
pub(crate) mod options;
mod oriented_box;
mod overlap;
mod pairs;
pub(crate) mod part;
mod patience;
#[cfg(test)]
mod patience_tests;
mod penetration_rigid;
mod piece_tree;
pub(crate) mod pose;
pub(crate) mod proxy_geometry;
mod query;
mod rows;
mod search;
pub(crate) mod shape;
mod sources;
#[cfg(test)]
mod sources_tests;
mod starts;
mod stuck;
mod tighten;
mod tree;
#[cfg(test)]
mod unrepairable_tests;
mod verify;
mod work;
mod workspace;

#[cfg(test)]
mod moved_back_tests;
#[cfg(test)]
mod restoration_tests;
#[cfg(test)]
mod tests;

pub use collision_world::CollisionWorld;
pub use constraint::{AxisMotion, Kept, Lock, PoseConstraint, RotationLock};
pub use constraint_error::ConstraintError;
pub use constraint_frame::{ConstraintEnd, ConstraintFrame};
pub use error::{GeneralizedError, immobilised};
pub use monitor::CollisionMonitor;
pub use movable::{Base, MovableModel, Obstacle};
pub use options::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedSource, GeneralizedStart,
    SearchEnd, SearchSummary, WorkBounds,
};
pub use part::{CollidingPair, Part};
pub use penetration_rigid::{penetration_rigid, penetration_rigid_coherent};
pub use pose::Pose;
pub use shape::Shape;
