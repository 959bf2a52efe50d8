//! Penetration depth: the least translation that separates two overlapping shapes.

pub mod convex;
pub mod generalized;
mod local;
pub mod n_bodies;
pub mod object_norm;
pub(crate) mod quadratic_program;
pub mod translational;

pub use self::quadratic_program::in_projection;
pub use local::{LocalPenetration, local_penetrations};
pub use n_bodies::{Body, Measure, Overlap, Separation, SeparationError, SeparationOptions, separate};
pub use translational::{
    Effort, FreeConfiguration, LowerBound, MotionCoherence, Penetration, PenetrationError, Trace,
    TranslationalOptions, UnknownFreeConfiguration, Walk, WalkContact, WalkStep, WalkStepKind, penetration,
    penetration_coherent, penetration_from, penetration_traced,
};
