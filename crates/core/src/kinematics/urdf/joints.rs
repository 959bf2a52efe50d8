//! The joints of a URDF file.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use urdf_rs::{JointLimit, JointType, Pose};

use crate::kinematics::articulation::joint::{Joint, JointKind, Mimic};

/// The pose of an `<origin>`: fixed-axis roll, pitch, yaw [rad], then the position [m].
pub(super) fn pose_of(origin: &Pose) -> Isometry3<f64> {
    let [roll, pitch, yaw] = origin.rpy.0;
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    Isometry3::from_parts(Translation3::from(Vector3::from(origin.xyz.0)), rotation)
}

/// Adds a joint; one with several freedoms as a chain, with a link between any two of them.
pub(super) fn add(joint: &urdf_rs::Joint, links: &mut Vec<String>, joints: &mut Vec<Joint>) {
    let freedoms = freedoms(joint);
    let (mut parent, mut origin) = (joint.parent.link.clone(), pose_of(&joint.origin));
    for (index, (suffix, kind)) in freedoms.iter().enumerate() {
        let name = format!("{}{suffix}", joint.name);
        let child = if index + 1 == freedoms.len() {
            joint.child.link.clone()
        } else {
            links.push(name.clone());
            name.clone()
        };
        let mut made = Joint::new(&name, &parent, &child, *kind).at(origin);
        if freedoms.len() == 1 {
            made.limits = limits_of(joint);
            made.mimic = joint.mimic.as_ref().map(|mimic| Mimic {
                joint: mimic.joint.clone(),
                factor: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            });
        }
        joints.push(made);
        (parent, origin) = (child, Isometry3::identity());
    }
}

/// What a joint can do, one after another, each with what is added to its name.
fn freedoms(joint: &urdf_rs::Joint) -> Vec<(&'static str, JointKind)> {
    let slide = |axis: Vector3<f64>| JointKind::Prismatic { axis };
    let turn = |axis: Vector3<f64>| JointKind::Revolute { axis };
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let axis = Vector3::from(joint.axis.xyz.0);
    let turns = [("/yaw", turn(z)), ("/pitch", turn(y)), ("/roll", turn(x))];
    match joint.joint_type {
        JointType::Fixed => vec![("", JointKind::Fixed)],
        JointType::Revolute | JointType::Continuous => vec![("", turn(axis))],
        JointType::Prismatic => vec![("", slide(axis))],
        JointType::Spherical => turns.into(),
        JointType::Floating => {
            [("/x", slide(x)), ("/y", slide(y)), ("/z", slide(z))].into_iter().chain(turns).collect()
        }
        JointType::Planar => {
            // Two directions in the plane; of a normal without a direction the axis itself is refused later.
            let across = if axis.x.abs() < 0.9 * axis.norm() { x } else { y };
            let first = (across - axis * (axis.dot(&across) / axis.norm_squared().max(f64::MIN_POSITIVE)))
                .normalize();
            vec![("/x", slide(first)), ("/y", slide(axis.cross(&first))), ("/angle", turn(axis))]
        }
    }
}

/// The limits, where there are any: a joint without the element moves freely.
fn limits_of(joint: &urdf_rs::Joint) -> Option<[f64; 2]> {
    let limited = matches!(joint.joint_type, JointType::Revolute | JointType::Prismatic);
    let limits = [joint.limit.lower, joint.limit.upper];
    let stated = joint.limit != JointLimit::default() && limits != [f64::NEG_INFINITY, f64::INFINITY];
    (limited && stated).then_some(limits)
}
