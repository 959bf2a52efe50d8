//! The force on a rigid body that is pulled.

use nalgebra::Vector3;
use rapier3d::dynamics::RigidBodyHandle;

use super::mobility::{self, Resistance};
use super::{Grip, LIMIT, RATE, change_of_velocity, greatest_acceleration};
use crate::dynamics::World;
use crate::dynamics::world::inertia_times;

impl World {
    /// Lets the pull act on a rigid body during rapier's next step; answers which one it is.
    pub(in crate::dynamics) fn begin_pull(&mut self) -> Option<RigidBodyHandle> {
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
        let fading = if jointed { 0.0 } else { RATE / (1.0 + RATE * h) };
        let torque = arm.cross(&force) - fading * inertia_times(body, &angular);
        let body = &mut self.physics.bodies[handle];
        body.add_force(force.into(), true);
        body.add_torque(torque.into(), true);
        Some(handle)
    }

    /// Ends what [`World::begin_pull`] began.
    pub(in crate::dynamics) fn end_pull(&mut self, pulled: Option<RigidBodyHandle>) {
        if let Some(handle) = pulled {
            let body = &mut self.physics.bodies[handle];
            body.reset_forces(false);
            body.reset_torques(false);
        }
    }
}
