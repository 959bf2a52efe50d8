//! Force on a rigid body that is pulled.

use nalgebra::{Point3, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;

use super::mobility::{self, LinkMobility, Resistance};
use super::spring::{LIMIT, ROTATION_RATE, change_of_velocity, max_acceleration};
use crate::rigid::inertia_times;

/// A pull at a point of a rigid body during a step.
pub(crate) struct RigidPull {
    pub(crate) handle: RigidBodyHandle,
    /// Point at which it is held [m, body frame].
    pub(crate) point: Point3<f64>,
    /// Target of that point [m, world].
    pub(crate) target: Point3<f64>,
    /// Bounding radius of the body [m].
    pub(crate) radius: f64,
    pub(crate) gravity: Vector3<f64>,
    /// Mobility of the point of a link of a robot that rapier does not joint.
    pub(crate) link: Option<LinkMobility>,
}

impl RigidPull {
    /// Applies the pull to the body for rapier's next step of `h` [s], if the body can move.
    pub(crate) fn begin(&self, physics: &mut PhysicsWorld, h: f64) -> Option<()> {
        let resistance = mobility::of(physics, self.handle, &self.point, self.link.as_ref())?;
        let body = &mut physics.bodies[self.handle];
        let arm = mobility::arm(body, &self.point);
        let [linear, angular]: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let stretch = self.target.coords - Vector3::from(body.center_of_mass()) - arm;
        let change = change_of_velocity(&stretch, &(linear + angular.cross(&arm)), h);
        let Resistance { mass, total, jointed } = resistance;
        // The joints of a robot carry its weight already.
        let weight = if jointed { Vector3::zeros() } else { total * self.gravity };
        let max = total * max_acceleration(LIMIT, &self.gravity, self.radius);
        let force = (mass * change / h - weight).cap_magnitude(max);
        let moment = arm.cross(&force);
        let torque =
            if jointed { moment } else { damped_torque(body, &moment, (force.norm(), arm.norm()), h) };
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

/// Torque [N·m] on a free body whose grip, `reach` [m] from its centre of mass, is pulled by a `force` [N] with the
/// `moment` [N·m], over a step of `h` [s]. A rotation by an angle changes the moment by up to force · reach times the angle,
/// and the rotation about the grip is damped at the rate ρ = [`ROTATION_RATE`]: with both, the angular velocity at the end of
/// the step is (ω + h I⁻¹ moment) / (1 + h ρ (1 + m reach²/I) + h² force · reach/I), by implicit Euler.
fn damped_torque(
    body: &RigidBody,
    moment: &Vector3<f64>,
    (force, reach): (f64, f64),
    h: f64,
) -> Vector3<f64> {
    let angular: Vector3<f64> = body.angvel().into();
    let moments: Vector3<f64> = body.mass_properties().local_mprops.principal_inertia().into();
    let min = moments.min();
    // The smallest moment bounds the rate about every axis.
    let rate = ROTATION_RATE * (1.0 + body.mass() * reach * reach / min) + h * force * reach / min;
    (moment - rate * inertia_times(body, &angular)) / (1.0 + h * rate)
}
