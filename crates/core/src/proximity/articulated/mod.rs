//! Articulated models: self-collision of links at a configuration, and continuous collision detection of a moving
//! articulation [Lin17 §40.3, articulated models; TMK14].

mod allowed;
pub(crate) mod contact;
mod derived;
pub(crate) mod link_pairs;
pub(crate) mod model;

pub use self::model::ArticulatedModel;

pub use contact::{
    ArticulatedContact, ArticulatedMotion, ContactPartner, MovingObstacle, articulated, articulated_pair,
};
pub use derived::{AllowedReason, DerivedCollisions, Sampling};
pub use link_pairs::AllowedCollisions;

#[cfg(test)]
mod tests;
