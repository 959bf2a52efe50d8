//! Separation of the bodies of a world by small translations: [`extricate_core::penetration::separate`] over every kind of
//! shape.
//!
//! Dynamic bodies move, others are fixed. Bodies connected by joints move as one, so that no joint is violated; where one of
//! them cannot move, none does. Orientations are unchanged.

mod groups;
mod pairs;
mod world;

pub use groups::Mobility;
