//! Generalized penetration: the least change of poses and joints after which nothing overlaps, for rigid and articulated
//! models, alone or several at once [Tang14].
//!
//! The measure of a change is the object norm σ [m²] ([`object_norm`](super::object_norm)); of several movers it is the mean
//! weighted by their volumes. Links, obstacles and other movers are all kept apart, links of one mover as well but for
//! the pairs that are allowed to collide, and joints are kept within their limits. Every answer has been checked by a
//! query that knows nothing of how it was found.
//!
//! | part | holds |
//! |---|---|
//! | [`Shape`] | convex pieces, or triangles |
//! | [`Mover`] | what may move: a rigid body, or a robot on a fixed or floating base |
//! | [`Obstacle`] | what stands still |
//! | [`Arrangement`] | all of them, made ready: is it free, what collides, what is the least change |

pub(crate) mod arrangement;
mod articulated;
mod chart;
mod descent;
pub(crate) mod error;
mod exits;
mod follow;
mod mesh_rows;
pub(crate) mod mover;
pub(crate) mod options;
mod pairs;
pub(crate) mod part;
pub(crate) mod pose;
mod query;
mod rigid;
mod rows;
mod search;
pub(crate) mod shape;
mod stand_in;
mod starts;
mod tree;
mod verify;
mod watch;
mod workspace;

#[cfg(test)]
mod tests;

pub use arrangement::Arrangement;
pub use error::GeneralizedError;
pub use mover::{Base, Mover, Obstacle};
pub use options::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedSource, GeneralizedStart,
};
pub use part::{CollidingPair, Part};
pub use pose::Pose;
pub use rigid::{rigid, rigid_coherent};
pub use shape::Shape;
pub use watch::CollisionWatch;
