//! Rigid bodies as the soft solve sees them.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::state::SoftLoad;
use crate::rigid::inertia_times;
use crate::soft::ExtraBlock;
use crate::soft::contact::Motion;
use crate::stateful::{Mismatch, Stateful};

/// What a rigid body does in the soft solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It stands.
    Fixed,
    /// It is moved with the velocity that it has, and feels nothing.
    Driven,
    /// A part of a robot: it is moved with the velocity that it has, and feels forces in rapier's next step.
    Link,
    /// It takes part with two blocks.
    Free,
}

/// A rigid body beside soft ones.
#[derive(Debug, Clone)]
pub(super) struct Partner {
    pub(super) handle: RigidBodyHandle,
    pub(super) role: Role,
    /// Origin of the obstacle's frame [m, body frame]: the centre of mass, for a fixed body the origin of its frame.
    pub(super) centre: Vector3<f64>,
    /// Bounding radius [m].
    pub(super) radius: f64,
    /// Number of its first extra block, if it has blocks.
    pub(super) extra: Option<usize>,
    /// What of it the next step follows from.
    pub(super) state: PartnerState,
}

/// The state of a rigid body beside soft ones.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PartnerState {
    /// Velocities before rapier's last step: linear [m/s] and angular [rad/s].
    given: Option<[Vector3<f64>; 2]>,
    /// Accelerations that the soft bodies gave it in the last step: linear [m/s²] and angular [rad/s²].
    loaded: [Vector3<f64>; 2],
    /// What the soft bodies did to it in the last step.
    pub(super) load: SoftLoad,
}

impl Stateful for Partner {
    type State = PartnerState;

    fn snapshot(&self) -> PartnerState {
        self.state.clone()
    }

    fn restore(&mut self, state: PartnerState) -> Result<(), Mismatch> {
        self.state = state;
        Ok(())
    }
}

/// A rigid body during a step of the soft ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    /// Pose of the obstacle's frame.
    pub(super) pose: Isometry3<f64>,
    /// Velocity of the centre of mass [m/s] and angular velocity [rad/s].
    pub(super) velocity: [Vector3<f64>; 2],
    /// Accelerations by all but the soft bodies: linear [m/s²] and angular [rad/s²].
    pub(super) drift: [Vector3<f64>; 2],
    /// Changes of the velocities that the soft bodies make.
    pub(super) change: [Vector3<f64>; 2],
    /// Mass [kg] and inertia about the centre of mass in its own axes [kg·m²].
    mass: f64,
    inertia: Matrix3<f64>,
}

impl Partner {
    pub(super) fn new(handle: RigidBodyHandle, role: Role, centre: Vector3<f64>, radius: f64) -> Self {
        Self { handle, role, centre, radius, extra: None, state: PartnerState::default() }
    }

    /// Where the body is and how it will move during a step of `dt` [s].
    pub(super) fn moving(&self, physics: &PhysicsWorld, dt: f64) -> Moving {
        let body = &physics.bodies[self.handle];
        let pose = obstacle_pose(&(*body.position()).into(), &self.centre);
        let (linear, angular): (Vector3<f64>, Vector3<f64>) = (body.linvel().into(), body.angvel().into());
        let inertia =
            Matrix3::from_columns(&[0, 1, 2].map(|axis| inertia_times(body, &Vector3::ith(axis, 1.0))));
        let moves = self.role != Role::Fixed;
        Moving {
            pose,
            velocity: if moves { [linear, angular] } else { Default::default() },
            drift: if self.role == Role::Free { self.drift(body, physics, dt) } else { Default::default() },
            change: Default::default(),
            mass: body.mass(),
            inertia: pose.rotation.inverse().to_rotation_matrix()
                * inertia
                * pose.rotation.to_rotation_matrix(),
        }
    }

    /// Accelerations that are to be expected without the soft bodies: free fall, and what held the body against that and
    /// against the soft bodies' load in rapier's last step. More than it bore then no support is taken to bear: a
    /// collision, which is over, is not expected again.
    fn drift(&self, body: &RigidBody, physics: &PhysicsWorld, dt: f64) -> [Vector3<f64>; 2] {
        let fall: Vector3<f64> = physics.gravity.into();
        let Some(given) = self.state.given else { return [fall, Vector3::zeros()] };
        let now: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let bounds = [
            fall.norm() + self.state.loaded[0].norm(),
            fall.norm() / self.radius + self.state.loaded[1].norm(),
        ];
        let falls = [fall, Vector3::zeros()];
        [0, 1].map(|i| {
            let held = (now[i] - given[i]) / dt - falls[i] - self.state.loaded[i];
            falls[i] + held.cap_magnitude(bounds[i])
        })
    }

    /// Hands rapier what the soft bodies do to the body over a step of `dt` [s]: as a force that acts through it as gravity does,
    /// so that a body at rest stays there.
    pub(super) fn push(&mut self, physics: &mut PhysicsWorld, moving: &Moving, dt: f64) {
        let body = &mut physics.bodies[self.handle];
        if self.role == Role::Free {
            let [linear, angular] = moving.change.map(|change| change / dt);
            self.state.loaded = [linear, angular];
            self.state.load = SoftLoad { force: body.mass() * linear, torque: inertia_times(body, &angular) };
            self.state.given = Some([body.linvel().into(), body.angvel().into()]);
        }
        if matches!(self.role, Role::Free | Role::Link) {
            body.reset_forces(false);
            body.reset_torques(false);
            body.add_force(self.state.load.force.into(), true);
            body.add_torque(self.state.load.torque.into(), true);
        }
    }
}

impl Moving {
    /// The extra blocks of a body with the velocities `v`: position, and turn since now.
    pub(super) fn blocks(&self, [linear, angular]: [Vector3<f64>; 2]) -> [ExtraBlock; 2] {
        let rotation = self.pose.rotation.to_rotation_matrix();
        [
            ExtraBlock {
                inertia: Matrix3::from_diagonal_element(self.mass),
                position: self.pose.translation.vector,
                velocity: linear,
                falls: false,
            },
            ExtraBlock {
                inertia: rotation * self.inertia * rotation.inverse(),
                position: Vector3::zeros(),
                velocity: angular,
                falls: false,
            },
        ]
    }

    /// The velocities with a share of what the drift changes them by in `dt` [s].
    pub(super) fn pushed(&self, share: f64, dt: f64) -> [Vector3<f64>; 2] {
        [0, 1].map(|i| self.velocity[i] + share * dt * self.drift[i])
    }

    /// The pose after `dt` [s] at the velocities that it has.
    pub(super) fn pose_after(&self, dt: f64) -> Isometry3<f64> {
        let [linear, angular] = self.velocity;
        let turn = UnitQuaternion::from_scaled_axis(angular * dt);
        Isometry3::from_parts((self.pose.translation.vector + dt * linear).into(), turn * self.pose.rotation)
    }

    /// How an obstacle moves whose body is driven.
    pub(super) fn driven(&self) -> Motion {
        let [linear, angular] = self.velocity;
        Motion::Kinematic { linear, angular }
    }
}

/// Pose of an obstacle's frame, whose origin is at `centre` in the body.
pub(super) fn obstacle_pose(body: &Isometry3<f64>, centre: &Vector3<f64>) -> Isometry3<f64> {
    let origin = body * nalgebra::Point3::from(*centre);
    Isometry3::from_parts(origin.coords.into(), body.rotation)
}
