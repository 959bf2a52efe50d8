//! Free bodies as trees of one link.

use std::borrow::Cow;

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;

use super::motion::MovingTree;
use crate::rigid::{inertia_times, show_colliders};
use extricate_core::multibody::{JointModel, LinkModel, Multibody, SpatialVector};

/// State of a body before rapier's step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartState {
    pub(super) pose: Isometry3<f64>,
    /// Velocity of the centre of mass [m/s].
    pub(super) linear: Vector3<f64>,
    pub(super) angular: Vector3<f64>,
    /// Force and torque about the centre of mass.
    pub(super) load: SpatialVector,
}

/// Sets a free body to the coordinates and velocities of its tree.
pub(super) fn show_body(physics: &mut PhysicsWorld, handle: RigidBodyHandle, q: &[f64], v: &[f64]) {
    let body = &mut physics.bodies[handle];
    let center: Vector3<f64> = body.mass_properties().local_mprops.local_com.into();
    let pose = JointModel::Floating.transform(q) * Translation3::from(-center);
    body.set_position(pose.into(), true);
    body.set_linvel(Vector3::new(v[0], v[1], v[2]).into(), true);
    body.set_angvel(Vector3::new(v[3], v[4], v[5]).into(), true);
    show_colliders(physics, handle);
}

/// A free body as a tree of one link, whose frame is at its centre of mass.
pub(super) fn free_body<'a>(body: &RigidBody, start: &StartState) -> MovingTree<'a> {
    let mut multibody = Multibody::new();
    let center: Vector3<f64> = body.mass_properties().local_mprops.local_com.into();
    let rotation = start.pose.rotation;
    // Inertia in the axes of the body, from that in the world at the present pose.
    let present = nalgebra::UnitQuaternion::<f64>::from(*body.rotation());
    let columns =
        [0, 1, 2].map(|axis| present.inverse() * inertia_times(body, &(present * Vector3::ith(axis, 1.0))));
    multibody.add(LinkModel {
        parent: None,
        origin: Isometry3::identity(),
        joint: JointModel::Floating,
        mass: body.mass(),
        center: Vector3::zeros(),
        inertia: Matrix3::from_columns(&columns),
        armature: 0.0,
    });
    let position = start.pose * Point3::from(center);
    let mut q = vec![0.0; 7];
    JointModel::Floating.set_transform(&Isometry3::from_parts(position.coords.into(), rotation), &mut q);
    let v = start.linear.iter().chain(start.angular.iter()).copied().collect();
    let mut tree = MovingTree::new(Cow::Owned(multibody), Isometry3::identity(), q, v);
    tree.loads.push(start.load);
    tree.damping = [body.linear_damping(), body.angular_damping()];
    tree
}
