//! Keyframes: named values of all joints, in the order of the bodies.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::bodies::{Bodies, Model};
use super::defaults::MAIN;
use crate::kinematics::named::NamedConfiguration;
use crate::kinematics::urdf::RobotFileError;
use crate::kinematics::urdf::document::{JointElement, JointType};

/// Reads the keyframes; one with another number of values than the model has is a correction.
pub(super) fn keyframes<'a>(
    model: &Model<'a>,
    bodies: &mut Bodies<'a>,
) -> Result<Vec<NamedConfiguration>, RobotFileError> {
    let size: usize = bodies.joints.iter().map(|joint| values_of(joint.kind)).sum();
    let mut found = Vec::new();
    for (index, key) in model.root.section("keyframe").enumerate() {
        let own = model.defaults.fill(key, MAIN)?;
        let name = key.get("name").map_or_else(|| index.to_string(), str::to_owned);
        let Some(values) = own.list("qpos", size.max(1))? else {
            found.push(NamedConfiguration { name, joints: BTreeMap::new() });
            continue;
        };
        if values.len() != size {
            let part = format!("keyframe \"{name}\"");
            let given = format!("`qpos` has {} numbers, but the joints have {size}", values.len());
            bodies.corrections.push(key.correction(part, given, "it is ignored"));
            continue;
        }
        let (mut joints, mut rest) = (BTreeMap::new(), values.as_slice());
        for joint in &bodies.joints {
            let (own, others) = rest.split_at(values_of(joint.kind));
            joints.extend(coordinates(joint, own));
            rest = others;
        }
        found.push(NamedConfiguration { name, joints });
    }
    Ok(found)
}

/// Number of values of a joint in a keyframe: quaternions have four.
fn values_of(kind: JointType) -> usize {
    match kind {
        JointType::Fixed => 0,
        JointType::Spherical => 4,
        JointType::Floating => 7,
        _ => 1,
    }
}

/// The values of a joint, or those of the chain that it becomes: displacement, then yaw, pitch and roll. A free joint states
/// the pose of its body in the world; a joint that mimics another one has no value of its own.
fn coordinates(joint: &JointElement, values: &[f64]) -> Vec<(String, f64)> {
    let rotation = |w: &[f64]| {
        let quaternion = Quaternion::new(w[0], w[1], w[2], w[3]);
        // As MuJoCo does it: a quaternion of length zero means no rotation.
        UnitQuaternion::try_new(quaternion, 0.0).unwrap_or_default()
    };
    let named = |suffixes: &[&str], values: &[f64]| {
        suffixes
            .iter()
            .zip(values)
            .map(|(suffix, value)| (format!("{}{suffix}", joint.name), *value))
            .collect()
    };
    let angles = |rotation: UnitQuaternion<f64>| {
        let (roll, pitch, yaw) = rotation.euler_angles();
        [yaw, pitch, roll]
    };
    match joint.kind {
        JointType::Spherical => named(&["/yaw", "/pitch", "/roll"], &angles(rotation(values))),
        JointType::Floating => {
            let place = Translation3::new(values[0], values[1], values[2]);
            let local = joint.origin.inv_mul(&Isometry3::from_parts(place, rotation(&values[3..])));
            let [x, y, z] = local.translation.vector.into();
            let [yaw, pitch, roll] = angles(local.rotation);
            named(&["/x", "/y", "/z", "/yaw", "/pitch", "/roll"], &[x, y, z, yaw, pitch, roll])
        }
        _ if joint.mimic.is_some() => Vec::new(),
        _ => named(&[""], values),
    }
}
