//! Shapes of bodies: what they are, their meshes, volumes and heights, and rapier's own.

pub(crate) mod height;
mod kind;
pub(crate) mod primitive;
pub(crate) mod rounded;
pub(crate) mod volume;

pub use kind::Shape;
