//! The state of a robot at an instant.

use std::collections::BTreeMap;

use nalgebra::Isometry3;

use extricate_core::proximity::AllowedBecause;

/// Where a robot is and how it moves.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotState {
    /// Its name.
    pub name: String,
    /// Values of all joints that move, also of those that follow others [rad or m], by name. Turns are counted: an angle
    /// may be beyond ±π.
    pub joints: BTreeMap<String, f64>,
    /// Their speeds [rad/s or m/s], by name.
    pub velocities: BTreeMap<String, f64>,
    /// Root link → world.
    pub base: Isometry3<f64>,
}

/// Two bodies of a robot whose contacts are off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedPair {
    /// Names of the bodies, `robot/link`.
    pub bodies: [String; 2],
    /// Why.
    pub because: AllowedBecause,
}
