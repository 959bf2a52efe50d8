//! Soft bodies: tetrahedral finite elements whose contact comes from deformed distance fields [Fisher01].

pub mod contact;
pub mod interaction;
