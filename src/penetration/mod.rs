//! Penetration depth: the least translation that separates two overlapping shapes.

mod in_projection;
pub mod translational;

pub use translational::{
    Effort, MotionCoherence, Penetration, PenetrationError, TranslationalOptions, penetration,
    penetration_coherent, penetration_from,
};
