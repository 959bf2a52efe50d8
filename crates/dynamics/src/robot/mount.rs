//! Frames on bodies.

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};

/// A frame on a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mount {
    pub(super) body: RigidBodyHandle,
    /// Frame → body.
    pub(super) frame: Isometry3<f64>,
}

impl Mount {
    pub(super) fn pose(&self, body: &RigidBody) -> Isometry3<f64> {
        Isometry3::from(*body.position()) * self.frame
    }

    /// Velocity of the origin.
    pub(super) fn velocity(&self, body: &RigidBody) -> Vector3<f64> {
        let origin = Point3::from(self.pose(body).translation.vector);
        velocity_at(body, &origin)
    }
}

/// Velocity of a point of a body [m/s].
pub(super) fn velocity_at(body: &RigidBody, point: &Point3<f64>) -> Vector3<f64> {
    let center = Point3::from(Vector3::from(body.center_of_mass()));
    let (linear, angular): (Vector3<f64>, Vector3<f64>) = (body.linvel().into(), body.angvel().into());
    linear + angular.cross(&(point - center))
}
