//! Soft bodies: tetrahedral finite elements whose contact comes from deformed distance fields [Fisher01].

pub mod element;
pub mod interaction;
pub mod material;
#[cfg(test)]
mod samples;
