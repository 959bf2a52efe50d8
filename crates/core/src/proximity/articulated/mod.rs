//! Articulated models: links that collide with one another at rest, and the first contact of a moving articulation
//! [Lin17 §40.3, articulated models; TMK14].

mod allowed;
pub(crate) mod contact;
mod derived;
pub(crate) mod link_pairs;
pub(crate) mod model;

pub use self::model::ArticulatedModel;

pub use contact::{ArticulatedContact, ArticulatedMotion, MovingObstacle, Other, articulated};
pub use derived::{AllowedBecause, DerivedCollisions, Sampling};
pub use link_pairs::AllowedCollisions;

#[cfg(test)]
mod tests;
