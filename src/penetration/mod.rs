//! Penetration depth: the least translation that separates two overlapping shapes.

pub mod convex;
pub(crate) mod in_projection;
mod local;
pub mod translational;

pub use local::{LocalPenetration, local_penetrations};
pub use translational::{
    Effort, FreeConfiguration, LowerBound, MotionCoherence, Penetration, PenetrationError,
    TranslationalOptions, UnknownFreeConfiguration, penetration, penetration_coherent, penetration_from,
};
