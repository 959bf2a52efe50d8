//! The one representation of a state.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::hash::Hash;
use super::json;
use super::soft_state::SoftState;
use extricate_dynamics::{BodyState, Energy, RobotState, SoftBodyState, World};

/// State of a world at an instant, SI units, world frame. Its JSON is a line of `states.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorldState {
    /// Number of steps taken; 0 is the start.
    pub step: u64,
    /// Time since the start [s].
    pub time: f64,
    /// Rigid bodies, sorted by name, those of robots as `robot/link` among them.
    #[serde(with = "json")]
    pub bodies: Vec<BodyState>,
    /// Robots, sorted by name. The speeds of their joints are not recorded.
    #[serde(with = "json", default, skip_serializing_if = "Vec::is_empty")]
    pub robots: Vec<RobotState>,
    /// Soft bodies, sorted by name.
    #[serde(with = "json", default, skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<SoftState>,
    /// Energy of the dynamic and the soft bodies.
    pub energy: Energy,
    /// Contact points that the solver of rigid bodies was given, and points of soft bodies in contact. Zero unless whoever took
    /// the step filled it in.
    pub contacts: usize,
    /// Maximum penetration depth of a pair, rigid or soft [m]. Zero unless it was measured.
    pub max_penetration: f64,
    /// Hash of the state, over the bodies sorted by name.
    pub hash: Hash,
    /// Maximum penetration depth of a pair over the size of its smaller body. Neither recorded nor measured with the rest.
    #[serde(skip)]
    pub relative_penetration: f64,
    /// Angular momentum of the dynamic and the soft bodies about the world's origin [kg·m²/s]. Not recorded.
    #[serde(skip)]
    pub angular_momentum: Vector3<f64>,
}

impl WorldState {
    /// The state of a world now.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let soft = |state: SoftBodyState| SoftState {
            nodes: world.soft_positions(&state.name).into_iter().flatten().map(|&node| node.into()).collect(),
            velocities: world.soft_velocities(&state.name).unwrap_or_default().to_vec(),
            ..state.into()
        };
        Self {
            step: world.steps(),
            time: world.time(),
            bodies: world.bodies(),
            robots: world.robots(),
            soft: world.soft_bodies().into_iter().map(soft).collect(),
            energy: world.energy(),
            hash: Hash(world.hash()),
            angular_momentum: world.momentum().angular,
            ..Self::default()
        }
    }

    /// Pose of a body, body → world.
    ///
    /// # Panics
    /// Where there are not so many bodies.
    #[must_use]
    pub fn pose(&self, body: usize) -> Isometry3<f64> {
        pose(&self.bodies[body])
    }

    /// Poses of all bodies, body → world.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = Isometry3<f64>> + Clone {
        self.bodies.iter().map(pose)
    }

    /// Puts a body elsewhere.
    ///
    /// # Panics
    /// Where there are not so many bodies.
    pub fn set_pose(&mut self, body: usize, pose: &Isometry3<f64>) {
        let body = &mut self.bodies[body];
        (body.position, body.rotation) = (pose.translation.vector.into(), pose.rotation);
    }
}

fn pose(body: &BodyState) -> Isometry3<f64> {
    Isometry3::from_parts(body.position.coords.into(), body.rotation)
}
