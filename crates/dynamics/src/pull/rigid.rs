//! The force on a rigid body that is pulled.

use nalgebra::Vector3;
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};

use super::mobility::{self, Resistance};
use super::{Grip, LIMIT, TURNING, change_of_velocity, greatest_acceleration};
use crate::World;
use crate::world::inertia_times;

impl World {
    /// Lets the pull act on a rigid body during rapier's next step; answers which one it is.
    pub(crate) fn begin_pull(&mut self) -> Option<RigidBodyHandle> {
        let pull = self.pull.as_ref()?;
        let Grip::Point(point) = pull.grip else { return None };
        let index = self.descriptions().binary_search_by(|body| body.name.cmp(&pull.body)).ok()?;
        let handle = self.handles[index];
        let resistance = mobility::of(&self.physics, handle, &point)?;
        let body = &self.physics.bodies[handle];
        let arm = mobility::arm(body, &point);
        let [linear, angular]: [Vector3<f64>; 2] = [body.linvel().into(), body.angvel().into()];
        let stretch = pull.target.coords - Vector3::from(body.center_of_mass()) - arm;
        let (h, gravity) = (self.options.time_step, &self.options.gravity);
        let change = change_of_velocity(&stretch, &(linear + angular.cross(&arm)), h);
        let Resistance { mass, total, jointed } = resistance;
        let carried = if jointed { Vector3::zeros() } else { total * gravity };
        let radius = self.descriptions()[index].shape.bounding_radius();
        let most = total * greatest_acceleration(LIMIT, gravity, radius);
        let force = (mass * change / h - carried).cap_magnitude(most);
        let lever = arm.cross(&force);
        let torque = if jointed { lever } else { turned(body, &lever, (force.norm(), arm.norm()), h) };
        let body = &mut self.physics.bodies[handle];
        body.add_force(force.into(), true);
        body.add_torque(torque.into(), true);
        Some(handle)
    }

    /// Ends what [`World::begin_pull`] began.
    pub(crate) fn end_pull(&mut self, pulled: Option<RigidBodyHandle>) {
        if let Some(handle) = pulled {
            let body = &mut self.physics.bodies[handle];
            body.reset_forces(false);
            body.reset_torques(false);
        }
    }
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
