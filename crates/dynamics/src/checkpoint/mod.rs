//! The whole state of a world, saved and taken on by another one of the same build: it goes on with the same bits.
//!
//! Saved is what a step leaves for the next one: rapier's bodies, joints, islands, pairs with their impulses and the
//! memories of our contacts; bounces, overlaps that are being resolved, the energy that the run is watched by; what joints
//! of robots remember; soft bodies with their velocities, the overlaps that they release and the neighbourhoods in
//! which contacts are looked for; what is pulled. Shapes, masses and options are not: they come from the world that takes
//! the state on, which must have been built alike. Caches that only spare work are found anew.

mod container;
mod error;
mod physics;
mod world;

pub use container::Checkpoint;
pub use error::CheckpointError;
