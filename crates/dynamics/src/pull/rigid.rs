//! The force on a rigid body that is pulled.

use nalgebra::{Point3, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;

use super::mobility::{self, Resistance};
use super::spring::{LIMIT, TURNING, change_of_velocity, greatest_acceleration};
use crate::rigid::inertia_times;

/// A pull at a point of a rigid body during a step.
pub(crate) struct RigidPull {
    pub(crate) handle: RigidBodyHandle,
    /// Where it is held [m, body frame].
    pub(crate) point: Point3<f64>,
    /// Where it is pulled to [m, world].
    pub(crate) target: Point3<f64>,
    /// Bounding radius of the body [m].
    pub(crate) radius: f64,
    pub(crate) gravity: Vector3<f64>,
}

impl RigidPull {
    /// Lets the pull act on the body during rapier's next step of `h` [s], if the body can move.
    pub(crate) fn begin(&self, physics: &mut PhysicsWorld, h: f64) -> Option<()> {
        let resistance = mobility::of(physics, self.handle, &self.point)?;
        let body = &mut physics.bodies[self.handle];
        let arm = mobility::arm(body, &self.point);
        let [linear, angular]: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let stretch = self.target.coords - Vector3::from(body.center_of_mass()) - arm;
        let change = change_of_velocity(&stretch, &(linear + angular.cross(&arm)), h);
        let Resistance { mass, total, jointed } = resistance;
        let carried = if jointed { Vector3::zeros() } else { total * self.gravity };
        let most = total * greatest_acceleration(LIMIT, &self.gravity, self.radius);
        let force = (mass * change / h - carried).cap_magnitude(most);
        let lever = arm.cross(&force);
        let torque = if jointed { lever } else { turned(body, &lever, (force.norm(), arm.norm()), h) };
        body.add_force(force.into(), true);
        body.add_torque(torque.into(), true);
        Some(())
    }
}

/// Ends a pull that [began](RigidPull::begin) at a body.
pub(crate) fn end(physics: &mut PhysicsWorld, handle: RigidBodyHandle) {
    let body = &mut physics.bodies[handle];
    body.reset_forces(false);
    body.reset_torques(false);
}

/// Torque [N·m] on a free body whose grip, `reach` [m] from its centre of mass, is pulled by a `force` [N] with the torque
/// `lever`, over a step of `h` [s]. Turning by an angle changes that by up to force · reach times the angle, and the
/// turning about the grip fades: with both, the angular velocity at the end of the step is
/// (ω + h I⁻¹ lever) / (1 + h fading (1 + m reach²/I) + h² force · reach/I), by implicit Euler.
fn turned(body: &RigidBody, lever: &Vector3<f64>, (force, reach): (f64, f64), h: f64) -> Vector3<f64> {
    let angular: Vector3<f64> = body.angvel().into();
    let moments: Vector3<f64> = body.mass_properties().local_mprops.principal_inertia().into();
    let least = moments.min();
    let rate = TURNING * (1.0 + body.mass() * reach * reach / least) + h * force * reach / least;
    (lever - rate * inertia_times(body, &angular)) / (1.0 + h * rate)
}
