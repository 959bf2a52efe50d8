//! Soft bodies: tetrahedral finite elements whose contact comes from deformed distance fields [Fisher01].

pub mod attachment;
pub mod blocks;
pub mod contact;
pub mod element;
pub mod interaction;
pub mod linear;
pub mod material;
mod newton;
mod quasi_static;
mod report;
mod step;
mod system;

pub use newton::NewtonOptions;
pub use report::{Energies, SoftError, SoftStepReport, Times};
pub use step::{Scheme, StepOptions};
pub(crate) use system::KeptSystem;
pub use system::{ExtraBlock, SoftSystem};

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
