//! Kinematics of rigid bodies: motions over a time interval with proved bounds, articulations, robots in URDF and MJCF files.
//!
//! Time t runs from 0 to 1 over a motion, so a velocity is a length \[m\], and an angular velocity an angle \[rad\], per
//! motion. Poses map body to world coordinates.

pub mod articulation;
pub mod closing;
pub(crate) mod closure;
pub(crate) mod error;
pub mod format;
pub mod mjcf;
pub(crate) mod motion;
mod named;
mod packages;
pub(crate) mod rigid_motion;
pub(crate) mod robot;
pub mod sensor;
pub mod srdf;
pub mod urdf;
pub mod xacro;

pub use articulation::{Articulation, Joint, JointKind, LinkMotion, PlacedArticulation};
pub use closure::{Closure, ClosureKind};
pub use error::RobotError;
pub use format::{RobotFormat, robot_format};
pub use motion::Motion;
pub use named::{NamedConfiguration, named_joints};
pub use rigid_motion::{MotionBounds, RigidMotion, Twist};
pub use robot::{parse_robot, read_robot};
pub use sensor::{Sensor, SensorKind};

#[cfg(test)]
mod tests;
