//! Checkpoints: the whole state of a world, saved and restored into another one of the same build, which continues with the
//! same bits.
//!
//! A checkpoint contains everything that a step leaves for the next one: rapier's bodies, joints, islands, pairs with their
//! impulses and the memories of our contacts; the states of restitution, of overlaps that are being resolved and of the
//! energy monitor; the memories of robot joints; soft bodies with their velocities, the overlaps that they release and the
//! neighbourhoods in which contacts are sought; the pull. Shapes, masses and options are not in it: they come from the
//! world into which the state is restored, which must have been built alike. Caches that only save work are recomputed.

mod container;
mod error;
mod physics;
mod world;

pub use container::Checkpoint;
pub use error::CheckpointError;
