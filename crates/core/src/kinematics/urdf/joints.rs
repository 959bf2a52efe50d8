//! Conversion of the joints of a URDF file.

use nalgebra::{Isometry3, Vector3};

use super::document::{JointElement, JointType};
use crate::kinematics::articulation::joint::{Joint, JointKind};

/// Adds a joint; one with several degrees of freedom as a chain, with a link between any two joints.
pub(super) fn add(joint: &JointElement, links: &mut Vec<String>, joints: &mut Vec<Joint>) {
    let freedoms = freedoms(joint);
    let (mut parent, mut origin) = (joint.parent.clone(), joint.origin);
    for (index, (suffix, kind)) in freedoms.iter().enumerate() {
        let name = format!("{}{suffix}", joint.name);
        let child = if index + 1 == freedoms.len() {
            joint.child.clone()
        } else {
            links.push(name.clone());
            name.clone()
        };
        let mut made = Joint::new(&name, &parent, &child, *kind).at(origin);
        if freedoms.len() == 1 {
            made.limits = joint.limits;
            made.rest = joint.rest;
            made.mimic.clone_from(&joint.mimic);
        }
        joints.push(made);
        (parent, origin) = (child, Isometry3::identity());
    }
}

/// Degrees of freedom of a joint in their order, each with the suffix of its name.
fn freedoms(joint: &JointElement) -> Vec<(&'static str, JointKind)> {
    let slide = |axis: Vector3<f64>| JointKind::Prismatic { axis };
    let rotate = |axis: Vector3<f64>| JointKind::Revolute { axis };
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let axis = joint.axis;
    let rotations = [("/yaw", rotate(z)), ("/pitch", rotate(y)), ("/roll", rotate(x))];
    match joint.kind {
        JointType::Fixed => vec![("", JointKind::Fixed)],
        JointType::Revolute | JointType::Continuous => vec![("", rotate(axis))],
        JointType::Prismatic => vec![("", slide(axis))],
        JointType::Spherical => rotations.into(),
        JointType::Floating => {
            [("/x", slide(x)), ("/y", slide(y)), ("/z", slide(z))].into_iter().chain(rotations).collect()
        }
        JointType::Planar => {
            // Two directions in the plane. A zero normal leaves zero axes, which the articulation refuses later.
            let across = if axis.x.abs() < 0.9 * axis.norm() { x } else { y };
            let first = (across - axis * (axis.dot(&across) / axis.norm_squared().max(f64::MIN_POSITIVE)))
                .normalize();
            vec![("/x", slide(first)), ("/y", slide(axis.cross(&first))), ("/angle", rotate(axis))]
        }
    }
}
