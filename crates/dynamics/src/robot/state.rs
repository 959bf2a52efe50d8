//! State of a robot at an instant.

use std::collections::BTreeMap;

use nalgebra::Isometry3;

use super::reading::{JointEfforts, Reading};
use extricate_core::proximity::AllowedReason;

/// Configuration and velocities of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotState {
    /// Name of the robot.
    pub name: String,
    /// Values of all joints that move, also of those that mimic others [rad or m], by name. Angles are not wrapped: they may
    /// be beyond ±π.
    pub joints: BTreeMap<String, f64>,
    /// Their speeds [rad/s or m/s], by name.
    pub velocities: BTreeMap<String, f64>,
    /// Forces within them in the last step, by name; zero before the first.
    pub efforts: BTreeMap<String, JointEfforts>,
    /// Root link → world.
    pub base: Isometry3<f64>,
    /// Values of its sensors, by name; none before the first step.
    pub sensors: BTreeMap<String, Reading>,
}

/// Two bodies of a robot whose contacts are off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedPair {
    /// Names of the bodies, `robot/link`.
    pub bodies: [String; 2],
    /// Reason.
    pub because: AllowedReason,
}
