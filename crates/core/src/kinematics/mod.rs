//! Kinematics of rigid bodies: motions over a time interval with proved bounds, articulations, robots in URDF files.
//!
//! Time t runs from 0 to 1 over a motion, so a velocity is a length [m], and an angular velocity an angle [rad], per
//! motion. Poses map body to world coordinates.

pub mod articulation;
pub(crate) mod error;
pub mod format;
pub(crate) mod motion;
mod packages;
pub(crate) mod rigid_motion;
pub mod srdf;
pub mod urdf;
pub mod xacro;

pub use articulation::{Articulation, Joint, JointKind, LinkMotion, PlacedArticulation};
pub use error::RobotError;
pub use motion::Motion;
pub use rigid_motion::{MotionBounds, RigidMotion, Twist};

#[cfg(test)]
mod tests;
