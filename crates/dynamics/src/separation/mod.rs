//! Bodies of a world taken apart by small translations: [`extricate_core::penetration::separate`] over every kind of shape.
//!
//! Dynamic bodies move, others stay. Bodies that joints tie together move as one, so that no joint is violated; where
//! one of them cannot move, none does. Orientations stay.

mod groups;
mod pairs;
mod world;

pub use groups::Mobility;
