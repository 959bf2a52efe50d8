//! State of a world at an instant.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hash::Hash;
use super::json::{self, BodyValue, EnergyValue, RobotValue};
use super::soft_state::{SoftState, SoftValues};
use extricate_dynamics::{BodyState, Energy, RobotState, SoftBodyState, World};

/// State of a world at an instant, SI units, world frame. Its JSON is a line of `states.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorldState {
    /// Number of steps taken; 0 is the start.
    pub step: u64,
    /// Time since the start \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
    /// Rigid bodies, sorted by name, those of robots as `robot/link` among them.
    #[serde(with = "json")]
    #[schemars(with = "BTreeMap<String, BodyValue>")]
    pub bodies: Vec<BodyState>,
    /// Robots, sorted by name; missing where there are none. The speeds of their joints are not recorded.
    #[serde(with = "json", default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, RobotValue>")]
    pub robots: Vec<RobotState>,
    /// Soft bodies, sorted by name; missing where there are none.
    #[serde(with = "json", default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, SoftValues>")]
    pub soft: Vec<SoftState>,
    /// Energy of the dynamic and the soft bodies.
    #[serde(with = "EnergyValue")]
    pub energy: Energy,
    /// Number of contact points of the rigid solver, and of points of soft bodies in contact. Zero unless the caller that took
    /// the step set it.
    pub contacts: usize,
    /// Maximum penetration depth of a pair, rigid or soft \[m\]. Zero unless it was measured.
    #[schemars(range(min = 0.0))]
    pub max_penetration: f64,
    /// Hash of the state, over the bodies sorted by name.
    pub hash: Hash,
    /// Maximum penetration depth of a pair, relative to the size of its smaller body. Neither recorded nor measured with the rest.
    #[serde(skip)]
    pub relative_penetration: f64,
    /// Angular momentum of the dynamic and the soft bodies about the world's origin [kg·m²/s]. Not recorded.
    #[serde(skip)]
    pub angular_momentum: Vector3<f64>,
}

impl WorldState {
    /// Current state of a world.
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
    /// When there is no such body.
    #[must_use]
    pub fn pose(&self, body: usize) -> Isometry3<f64> {
        pose(&self.bodies[body])
    }

    /// Poses of all bodies, body → world.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = Isometry3<f64>> + Clone {
        self.bodies.iter().map(pose)
    }

    /// First body or robot whose quaternion deviates from unit length by more than a tolerance, with that length.
    pub(crate) fn non_unit_rotation(&self, tolerance: f64) -> Option<(&str, f64)> {
        let bodies = self.bodies.iter().map(|body| (&body.name, &body.rotation));
        let robots = self.robots.iter().map(|robot| (&robot.name, &robot.base.rotation));
        let lengths =
            bodies.chain(robots).map(|(name, rotation)| (name.as_str(), rotation.quaternion().norm()));
        lengths.into_iter().find(|(_, length)| !((length - 1.0).abs() <= tolerance))
    }

    /// Sets the pose of a body.
    ///
    /// # Panics
    /// When there is no such body.
    pub fn set_pose(&mut self, body: usize, pose: &Isometry3<f64>) {
        let body = &mut self.bodies[body];
        (body.position, body.rotation) = (pose.translation.vector.into(), pose.rotation);
    }
}

fn pose(body: &BodyState) -> Isometry3<f64> {
    Isometry3::from_parts(body.position.coords.into(), body.rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of `states.jsonl` with one of everything.
    const LINE: &str = concat!(
        r#"{"step":3,"time":0.5,"bodies":{"a":{"position":[1.0,2.0,3.5e-17],"rotation":[0.6,0.8,0.0,-0.0],"#,
        r#""linear_velocity":[0.1,0.0,0.0],"angular_velocity":[0.0,0.0,7.0]}},"#,
        r#""robots":{"r":{"joints":{"x":0.25},"base":{"translation":[1.0,2.0,3.0],"rotation":[0.0,0.0,0.6,0.8]}},"#,
        r#""s":{"joints":{},"base":{"translation":[0.0,0.0,0.0],"rotation":[1.0,0.0,0.0,0.0]},"sensors":{"#,
        r#""a":{"joint":{"position":0.1,"velocity":0.2,"motor":0.3,"friction":-0.4,"limit":5e-17}},"#,
        r#""b":{"contact":{"force":[1.0,2.0,3.0],"moment":[4.0,5.0,6.0],"normal":7.0}},"#,
        r#""c":{"imu":{"specific_force":[1.0,0.0,9.81],"angular_velocity":[0.0,0.5,0.0]}},"#,
        r#""d":{"frame":{"position":[1.0,2.0,3.0],"rotation":[0.6,0.8,0.0,0.0],"#,
        r#""linear_velocity":[1.0,2.0,3.0],"angular_velocity":[4.0,5.0,6.0]}}}}},"#,
        r#""soft":{"s":{"centroid":[1.0,2.0,3.0],"velocity":[4.0,5.0,6.0],"max_penetration":0.5,"volume":2.0,"#,
        r#""volume_change":0.125,"inverted":1}},"energy":{"kinetic":1.0,"potential":-2.0,"elastic":0.0},"#,
        r#""contacts":4,"max_penetration":0.001,"hash":"00000000000000ab"}"#,
    );

    #[test]
    fn a_line_that_is_read_and_written_is_the_same_line() {
        let state: WorldState = serde_json::from_str(LINE).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), LINE);
        assert_eq!((state.bodies[0].name.as_str(), state.bodies[0].rotation.quaternion().w), ("a", 0.6));
        assert!(serde_json::from_str::<WorldState>(&LINE.replacen("[1.0,2.0,3.0]", "[1.0,2.0]", 1)).is_err());
    }
}
