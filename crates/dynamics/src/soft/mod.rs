//! Soft bodies: tetrahedral finite elements whose contact comes from deformed distance fields \[Fisher01\].

pub mod attachment;
pub mod blocks;
pub(crate) mod bodies;
pub mod contact;
pub mod element;
pub mod interaction;
pub mod linear;
pub mod material;
mod matrices;
mod newton;
mod quasi_static;
mod report;
mod step;
mod support;
mod system;

pub use nalgebra_sparse;

pub use crate::error::SoftError;
pub use newton::NewtonOptions;
pub use report::{Energies, SoftStepReport, Times};
pub use step::{Scheme, StepOptions};
pub use system::{ExtraBlock, SoftSystem};

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
