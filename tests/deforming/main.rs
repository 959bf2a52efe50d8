//! Continuous collision of deforming meshes, through the public interface: closed forms, exact arithmetic, brute force.

mod culling;
mod elementary;
mod exactness;
mod meshes;
mod sheets;
