//! Translational penetration depth of polygon soups: PolyDepth \[Je12\].
//!
//! The depth is the infimum of the lengths of translations of A after which the models no longer overlap; the shortest
//! one found is returned, an upper bound. The returned translation keeps a documented clearance and is verified by an
//! independent query.

pub(crate) mod answer;
mod coherence;
pub(crate) mod collision_check;
mod constrained;
mod followed;
mod forced;
pub(crate) mod free_configuration;
pub(crate) mod from_free;
mod in_norm;
mod local_contact_space;
mod lower_bound;
pub(crate) mod options;
pub(crate) mod query;
mod sampled_obstacle;
mod scratch;
mod search;
mod steps;
mod trace;
mod translational_obstacle;
pub(crate) mod walk;
mod work_bound;

pub use self::answer::{Penetration, TranslationalEnd};
pub use self::query::{penetration, penetration_coherent};

pub use coherence::MotionCoherence;
pub use from_free::penetration_from;
pub use options::{Effort, LowerBound, TranslationalOptions};
pub use steps::{Trace, Walk, WalkContact, WalkStep, WalkStepKind};
pub use trace::penetration_traced;

pub use free_configuration::fibonacci;
