//! Values of joints in a scene, in the units of their joints.

use super::error::Fault;
use super::schema::JointValue;
use extricate_core::kinematics::JointKind;
use extricate_dynamics::RobotDescription;

/// Tolerance [rad or m] by which a start value may exceed its limits: the rounding of a conversion from degrees. Zero would
/// reject a start exactly at a limit; a tolerance that is visible would start the run with a violated limit.
const LIMIT_TOLERANCE: f64 = 1e-9;

/// Indices of a joint that a scene names: in the articulation, and of its coordinate.
pub(super) struct JointIndices {
    pub(super) joint: usize,
    pub(super) coordinate: usize,
}

/// The value of a joint [rad or m]; its unit must suit the kind of the joint.
pub(super) fn value_of(robot: &RobotDescription, joint: usize, value: JointValue) -> Result<f64, Fault> {
    let joint = &robot.articulation.joints()[joint];
    let (value, is_angle) = value.in_si();
    let is_revolute = matches!(joint.kind, JointKind::Revolute { .. });
    if is_revolute == is_angle {
        return Ok(value);
    }
    let (kind, unit) = if is_revolute {
        ("revolute", "`degrees(…)` or `radians(…)`")
    } else {
        ("prismatic", "`metres(…)`")
    };
    let message = format!("wrong unit: joint `{}` is {kind} and takes {unit}", joint.name);
    Err(Fault::Contradiction { message })
}

/// The value of a joint [rad or m]; its unit must suit the joint, and it must be within the limits.
pub(super) fn within_limits(robot: &RobotDescription, joint: usize, value: JointValue) -> Result<f64, Fault> {
    let value = value_of(robot, joint, value)?;
    let joint = &robot.articulation.joints()[joint];
    match joint.limits {
        Some([lower, upper]) if !(lower - LIMIT_TOLERANCE <= value && value <= upper + LIMIT_TOLERANCE) => {
            let unit = if matches!(joint.kind, JointKind::Revolute { .. }) { "rad" } else { "m" };
            Err(Fault::OutsideLimits { joint: joint.name.clone(), value, lower, upper, unit })
        }
        _ => Ok(value),
    }
}
