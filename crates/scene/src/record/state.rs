//! A recorded state: one line of `states.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Hash, SoftLine};
use extricate_dynamics::{BodyState, Energy, RobotState};

/// A recorded state, SI units, world frame.
#[derive(Debug, Clone, Serialize)]
pub struct StateLine<'a> {
    /// Number of steps taken; 0 is the start.
    pub step: u64,
    /// Time since the start [s].
    pub time: f64,
    /// Bodies by name.
    pub bodies: BTreeMap<&'a str, BodyLine>,
    /// Robots by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub robots: BTreeMap<&'a str, RobotLine<'a>>,
    /// Soft bodies by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub soft: BTreeMap<&'a str, SoftLine>,
    /// Energy of the dynamic and the soft bodies.
    pub energy: EnergyLine,
    /// Contact points that the solver of rigid bodies was given, and points of soft bodies in contact.
    pub contacts: usize,
    /// Largest penetration depth of a pair, rigid or soft [m].
    pub max_penetration: f64,
    /// Hash of the state, over the bodies sorted by name.
    pub hash: Hash,
}

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BodyLine {
    /// Position of the origin [m].
    pub position: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub rotation: [f64; 4],
    /// Velocity of the centre of mass [m/s].
    pub linear_velocity: [f64; 3],
    /// Angular velocity [rad/s].
    pub angular_velocity: [f64; 3],
}

/// Where a robot is: its bodies stand among the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RobotLine<'a> {
    /// Values of its joints by name [rad or m].
    pub joints: &'a BTreeMap<String, f64>,
    /// Pose of its root link.
    pub base: BaseLine,
}

/// Pose of a root link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaseLine {
    /// Position of the origin [m].
    pub translation: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub rotation: [f64; 4],
}

impl<'a> From<&'a RobotState> for RobotLine<'a> {
    fn from(state: &'a RobotState) -> Self {
        let q = state.base.rotation.quaternion();
        let base =
            BaseLine { translation: state.base.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] };
        Self { joints: &state.joints, base }
    }
}

/// Energy of the dynamic and the soft bodies [J].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EnergyLine {
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Potential energy [J], zero at the world's origin.
    pub potential: f64,
    /// Energy stored in the elements of soft bodies [J].
    pub elastic: f64,
}

impl From<&BodyState> for BodyLine {
    fn from(state: &BodyState) -> Self {
        let q = state.rotation.quaternion();
        Self {
            position: state.position.coords.into(),
            rotation: [q.w, q.i, q.j, q.k],
            linear_velocity: state.linear_velocity.into(),
            angular_velocity: state.angular_velocity.into(),
        }
    }
}

impl From<Energy> for EnergyLine {
    fn from(energy: Energy) -> Self {
        Self { kinetic: energy.kinetic, potential: energy.potential, elastic: energy.elastic }
    }
}
