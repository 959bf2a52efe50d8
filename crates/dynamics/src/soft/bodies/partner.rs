//! Partners: the rigid bodies coupled to the soft solve.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::state::SoftLoad;
use crate::rigid::inertia_times;
use crate::soft::ExtraBlock;
use crate::soft::contact::Motion;
use crate::stateful::{Mismatch, Stateful};

/// Rotation of a body within a step \[rad\] above which the support of the last step is not predicted again: it acted at another point of
/// the body, and where it does not appear again the body keeps as motion what the soft bodies put against it. On the seven runs of a capsule that a soft rod squeezes
/// against the ground (docs/measured.md) two and a half times the value gains nothing either; five and ten times: 1.1 to 1.7 of the energy scale in five runs.
const MAX_ROTATION: f64 = 0.1;

/// Support of a body in the soft solve, over its weight, up to which rapier's step finds its own: with more, of what soft bodies squeeze, that step would end far from where the
/// soft one did, and the beyond acts in it as a force.
const MAX_WEIGHTS: f64 = 20.0;

/// Role of a rigid body in the soft solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// At rest.
    Fixed,
    /// Moves with its current velocity, unaffected by forces.
    Driven,
    /// A link of a robot: moves with its current velocity, and receives forces in rapier's next step.
    Link,
    /// Solved for, with two blocks of unknowns.
    Free,
}

/// A rigid body coupled to the soft bodies.
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
    /// State carried from step to step.
    pub(super) state: PartnerState,
}

/// The state of a coupled rigid body.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PartnerState {
    /// Velocities before rapier's last step: linear [m/s] and angular [rad/s].
    velocity_before: Option<[Vector3<f64>; 2]>,
    /// Accelerations by the soft bodies in the last step: linear [m/s²] and angular [rad/s²].
    load_acceleration: [Vector3<f64>; 2],
    /// Load of the soft bodies on it in the last step.
    pub(super) load: SoftLoad,
    /// Pose of the obstacle's frame at the end of the last soft step, where that put a load on it.
    solved: Option<Isometry3<f64>>,
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

/// Motion of a coupled rigid body during a step of the soft bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    /// Pose of the obstacle's frame.
    pub(super) pose: Isometry3<f64>,
    /// Velocity of the centre of mass [m/s] and angular velocity [rad/s].
    pub(super) velocity: [Vector3<f64>; 2],
    /// Predicted accelerations without the soft bodies: linear [m/s²] and angular [rad/s²].
    pub(super) acceleration: [Vector3<f64>; 2],
    /// Changes of the velocities by the soft bodies.
    pub(super) change: [Vector3<f64>; 2],
    /// Changes of the velocities by the supports that the solve knows, beside them.
    pub(super) held: [Vector3<f64>; 2],
    /// Displacement [m] and rotation vector from the pose to the one at which the last soft step ended, from which the next solve sets out;
    /// zero after that.
    pub(super) lag: [Vector3<f64>; 2],
    /// Mean load so far, of a link that yields.
    pub(super) load: Option<SoftLoad>,
    /// Mass [kg] and inertia about the centre of mass in its own axes [kg·m²].
    mass: f64,
    inertia: Matrix3<f64>,
}

impl Partner {
    pub(super) fn new(handle: RigidBodyHandle, role: Role, centre: Vector3<f64>, radius: f64) -> Self {
        Self { handle, role, centre, radius, extra: None, state: PartnerState::default() }
    }

    /// Pose, velocity and predicted acceleration of the body at the start of a step of `dt` [s].
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
            acceleration: if self.role == Role::Free {
                self.expected_acceleration(body, physics, dt)
            } else {
                Default::default()
            },
            change: Default::default(),
            held: Default::default(),
            lag: self.lag(body, &pose, (physics.gravity.into(), dt)),
            load: None,
            mass: body.mass(),
            inertia: pose.rotation.inverse().to_rotation_matrix()
                * inertia
                * pose.rotation.to_rotation_matrix(),
        }
    }

    /// Displacement and rotation vector from the `pose` of the body to the one at which the last soft step, of `dt` [s], left it.
    ///
    /// Rapier's step had contacts that the soft one did not know: a body that hits the ground stops there, and has gone into the soft body that
    /// falls with it by what it would have moved. The solve sets out from where the soft bodies were in balance with it instead. Zero where
    /// they did not touch it, where both steps ended at the same place, and where the body was put elsewhere.
    fn lag(
        &self,
        body: &RigidBody,
        pose: &Isometry3<f64>,
        (gravity, dt): (Vector3<f64>, f64),
    ) -> [Vector3<f64>; 2] {
        let PartnerState { velocity_before, load_acceleration, solved, .. } = &self.state;
        let (Role::Free, Some(solved), Some(before)) = (self.role, solved, velocity_before) else {
            return Default::default();
        };
        let lag = [
            solved.translation.vector - pose.translation.vector,
            (solved.rotation * pose.rotation.inverse()).scaled_axis(),
        ];
        let now: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let falls = [gravity.norm(), gravity.norm() / self.radius];
        // Twice what the velocities before and after explain.
        let explained = |i: usize| {
            let gained = dt * (falls[i] + load_acceleration[i].norm());
            2.0 * dt * (before[i].norm() + now[i].norm() + gained)
        };
        // What rests, where the steps of both differ by what they make of its support, must not set out from elsewhere each time.
        let has_hit = (0..2).any(|i| {
            lag[i].norm() > dt * dt * falls[i] && before[i].norm().max(now[i].norm()) > dt * falls[i]
        });
        if has_hit && (0..2).all(|i| lag[i].norm() <= explained(i)) { lag } else { Default::default() }
    }

    /// Predicted accelerations without the soft bodies: free fall plus the support of rapier's last step, which is the measured
    /// acceleration less free fall and soft load. The support is bounded by the load that it balanced: an impact, which is over,
    /// is not predicted again. Neither is that of a body that rotates by more than [`MAX_ROTATION`] in a step.
    fn expected_acceleration(&self, body: &RigidBody, physics: &PhysicsWorld, dt: f64) -> [Vector3<f64>; 2] {
        let fall: Vector3<f64> = physics.gravity.into();
        let Some(before) = self.state.velocity_before else { return [fall, Vector3::zeros()] };
        let now: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let bounds = [
            fall.norm() + self.state.load_acceleration[0].norm(),
            fall.norm() / self.radius + self.state.load_acceleration[1].norm(),
        ];
        let falls = [fall, Vector3::zeros()];
        if dt * before[1].norm().max(now[1].norm()) > MAX_ROTATION {
            return falls;
        }
        [0, 1].map(|i| {
            let held = (now[i] - before[i]) / dt - falls[i] - self.state.load_acceleration[i];
            falls[i] + held.cap_magnitude(bounds[i])
        })
    }

    /// Applies the load of the soft bodies over a step of `dt` [s] in rapier: as a force throughout its step, as gravity is, so
    /// that a body at rest stays at rest, together with what supports beyond [`MAX_WEIGHTS`] did in the soft solve.
    pub(super) fn apply_load(&mut self, physics: &mut PhysicsWorld, moving: &Moving, dt: f64) {
        let gravity: Vector3<f64> = physics.gravity.into();
        let body = &mut physics.bodies[self.handle];
        if self.role == Role::Free {
            let [linear, angular] = moving.change.map(|change| change / dt);
            self.state.load_acceleration = [linear, angular];
            self.state.load = SoftLoad { force: body.mass() * linear, torque: inertia_times(body, &angular) };
            let loaded = moving.change.iter().any(|change| *change != Vector3::zeros());
            self.state.solved = loaded.then_some(moving.pose);
            self.state.velocity_before = Some([body.linvel().into(), body.angvel().into()]);
        }
        if matches!(self.role, Role::Free | Role::Link) {
            body.reset_forces(false);
            body.reset_torques(false);
            let mut load = self.state.load;
            if self.role == Role::Free {
                let left = moving.balanced(gravity.norm() * dt);
                let [linear, angular] = moving.held.map(|change| left / dt * change);
                load.force += body.mass() * linear;
                load.torque += inertia_times(body, &angular);
            }
            body.add_force(load.force.into(), true);
            body.add_torque(load.torque.into(), true);
        }
    }
}

impl Moving {
    /// The extra blocks of a body with given velocities: position, and rotation vector since the start of the step, both with the lag.
    pub(super) fn blocks(&self, [linear, angular]: [Vector3<f64>; 2]) -> [ExtraBlock; 2] {
        let rotation = self.pose.rotation.to_rotation_matrix();
        [
            ExtraBlock {
                inertia: Matrix3::from_diagonal_element(self.mass),
                position: self.pose.translation.vector + self.lag[0],
                velocity: linear,
                falls: false,
            },
            ExtraBlock {
                inertia: rotation * self.inertia * rotation.inverse(),
                position: self.lag[1],
                velocity: angular,
                falls: false,
            },
        ]
    }

    /// Inverse of the mass [1/kg].
    pub(super) fn inverse_mass(&self) -> f64 {
        1.0 / self.mass
    }

    /// Changes of the velocities by a force [N] and a torque [N·m] within `dt` [s].
    pub(super) fn response(&self, [force, torque]: [Vector3<f64>; 2], dt: f64) -> [Vector3<f64>; 2] {
        let rotation = self.pose.rotation.to_rotation_matrix();
        let inertia = rotation * self.inertia * rotation.inverse();
        [dt / self.mass * force, dt * inertia.try_inverse().unwrap_or_default() * torque]
    }

    /// Fraction of what the supports did that is beyond [`MAX_WEIGHTS`], with the change of velocity by a weight [m/s].
    fn balanced(&self, weight: f64) -> f64 {
        let (held, most) = (self.held[0].norm(), MAX_WEIGHTS * weight);
        if held > most { 1.0 - most / held } else { 0.0 }
    }

    /// The velocities after a fraction of `dt` [s] at the predicted accelerations, with which the blocks make up for the lag within `dt`, too.
    pub(super) fn velocity_with_drift(&self, fraction: f64, dt: f64) -> [Vector3<f64>; 2] {
        [0, 1].map(|i| self.velocity[i] + fraction * dt * self.acceleration[i] - self.lag[i] / dt)
    }

    /// The pose after `dt` [s] at the current velocities.
    pub(super) fn pose_after(&self, dt: f64) -> Isometry3<f64> {
        let [linear, angular] = self.velocity;
        let rotation = UnitQuaternion::from_scaled_axis(angular * dt);
        Isometry3::from_parts(
            (self.pose.translation.vector + dt * linear).into(),
            rotation * self.pose.rotation,
        )
    }

    /// Kinematic motion of the obstacle with the current velocities.
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
