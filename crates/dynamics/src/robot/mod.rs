//! Robots: articulations in a world.
//!
//! A robot is one of rapier's multibodies: its joints are coordinates, so they cannot come apart. Links that fixed joints
//! tie together are one body. What acts *within* a joint (motor, damping, friction, a limit that bears a load) is a spring
//! and a damper of that coordinate, solved with the mass matrix of the whole robot, backward in time: sixty motors in
//! series hold a beam to rounding, where constraints that a solver visits one by one let it sag by a multiple of the
//! exact deflection. What is bounded (efforts, Coulomb friction) is decided once a step, in [`drive`].

pub(crate) mod body;
pub(crate) mod description;
mod drive;
pub(crate) mod parts;
mod state;

pub use description::{Motor, RobotBase, RobotDescription, RobotJoint, RobotLink};
pub use state::{AllowedPair, RobotState};
