//! Shapes of bodies: their heights above planes, and rapier's primitives.

pub(crate) mod height;
pub(crate) mod primitive;
