//! Materials of soft bodies: density, elasticity, damping.

mod constitutive;
pub(super) mod lanes;
mod model;
mod projection;
mod singular;

pub(super) use constitutive::neo_hookean_energy;
pub use constitutive::{Response, Tangent};
pub use model::{Constitutive, Material};
pub use singular::SignedSvd;
