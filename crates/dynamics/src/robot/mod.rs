//! Robots: articulations in a world.
//!
//! A robot is a [tree] in generalized coordinates, which [`crate::multibody`] steps, or one of rapier's multibodies where there are
//! joints between bodies: its joints cannot come apart. Links connected by fixed joints are one body. Forces
//! *within* a joint (motor, damping, friction, a limit that bears a load) are a spring and a damper of that coordinate, integrated implicitly with the mass matrix of the whole robot: sixty motors in
//! series hold a beam to rounding, where constraints that a solver visits one by one let it sag by a multiple of the exact
//! deflection. Bounds (efforts, Coulomb friction) are predicted in [`drive`], and
//! corrected by the motion that follows where [`crate::multibody`] steps the robot ([`curve`]).

mod action;
pub(crate) mod body;
pub(crate) mod carried;
mod closed_feedforward;
pub(crate) mod closed_rows;
pub(crate) mod coupling;
mod curve;
pub(crate) mod description;
mod drive;
pub(crate) mod expectation;
mod feedforward;
pub(crate) mod lift;
pub(crate) mod limited;
pub(crate) mod loops;
mod motor;
mod mount;
pub(crate) mod outside;
pub(crate) mod parts;
mod rapier_joints;
mod reading;
mod sensing;
mod state;
pub(crate) mod subtree;
mod target_curve;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub use description::{RobotBase, RobotDescription, RobotJoint, RobotLink};
pub use motor::Motor;
pub use reading::{ContactForce, JointEfforts, Reading};
pub use state::{AllowedPair, RobotState};
pub use target_curve::TargetCurve;
