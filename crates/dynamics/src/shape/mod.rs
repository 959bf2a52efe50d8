//! Shapes of bodies: their heights above planes, and rapier's own.

pub(crate) mod height;
pub(crate) mod primitive;
