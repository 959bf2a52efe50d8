//! Composite inertias of the bodies at rest, by which MuJoCo scales the damping of servos.
//!
//! The inertia of a joint is the entry of it on the diagonal of the mass matrix \[Featherstone08 §6.2\], with all other joints held: that of
//! the links that it carries, about or along its axis, and its armature.

use std::collections::HashMap;

use nalgebra::{Isometry3, Matrix3, Translation3, Vector3};

use super::bodies::Bodies;
use crate::kinematics::urdf::Inertial;
use crate::kinematics::urdf::document::{JointElement, JointType};

/// Inertias of the joints at the values of the file [kg·m² or kg], in the order of the joints; zero of those with several coordinates.
pub(super) fn joint_inertias(bodies: &Bodies<'_>) -> Vec<f64> {
    let index: HashMap<&str, usize> =
        bodies.links.iter().enumerate().map(|(index, link)| (link.name.as_str(), index)).collect();
    let has_mass = |own: &Inertial| own.mass > 0.0;
    let mut carried: Vec<Option<Inertial>> =
        bodies.links.iter().map(|link| link.inertial.filter(has_mass)).collect();
    let mut inertias = vec![0.0; bodies.joints.len()];
    // A joint comes after those that carry it.
    for (joint, inertia) in bodies.joints.iter().zip(&mut inertias).rev() {
        let (parent, child) = (index[joint.parent.as_str()], index[joint.child.as_str()]);
        let Some(own) = carried[child] else { continue };
        *inertia = about_axis(joint, &own) + joint.dynamics.armature;
        let moved = own.transformed(&pose_at_rest(joint));
        carried[parent] = Some(carried[parent].map_or(moved, |sum| sum.joined(&moved)));
    }
    inertias
}

/// Inertia that a joint moves, of what is fixed to its child.
fn about_axis(joint: &JointElement, own: &Inertial) -> f64 {
    let Some(axis) = joint.axis.try_normalize(0.0) else { return 0.0 };
    match joint.kind {
        JointType::Revolute => {
            let r = own.center.coords;
            let about_origin =
                own.inertia + own.mass * (Matrix3::identity() * r.norm_squared() - r * r.transpose());
            axis.dot(&(about_origin * axis))
        }
        JointType::Prismatic => own.mass,
        _ => 0.0,
    }
}

/// Child → parent where the body is in the pose of the file.
fn pose_at_rest(joint: &JointElement) -> Isometry3<f64> {
    let axis = joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    match joint.kind {
        JointType::Revolute => joint.origin * Isometry3::rotation(axis * joint.rest),
        JointType::Prismatic => joint.origin * Translation3::from(axis * joint.rest),
        _ => joint.origin,
    }
}
