//! Penetration depth: the minimum translation that separates two overlapping shapes.

pub(crate) mod allowed_translations;
mod clearance;
pub mod convex;
pub(crate) mod error;
pub(crate) mod extreme_translations;
pub(crate) mod free_configuration;
pub mod generalized;
mod local;
pub mod n_bodies;
pub mod object_norm;
pub(crate) mod quadratic_program;
pub mod translational;

pub use self::quadratic_program::in_projection;
pub use allowed_translations::{AllowedTranslations, UnknownAllowedTranslations};
pub use clearance::default_clearance;
pub use error::PenetrationError;
pub use free_configuration::{FreeConfiguration, UnknownFreeConfiguration};
pub(crate) use local::local_penetrations_until;
pub use local::{LocalPenetration, local_penetrations};
pub use n_bodies::{
    Body, DisplacementMeasure, Overlap, Separation, SeparationError, SeparationOptions, separate,
};
pub use translational::{
    Effort, LowerBound, MotionCoherence, Penetration, Trace, TranslationalEnd, TranslationalOptions, Walk,
    WalkContact, WalkStep, WalkStepKind, penetration, penetration_coherent, penetration_from,
    penetration_traced,
};
