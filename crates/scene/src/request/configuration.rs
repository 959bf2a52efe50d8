//! A configuration of a robot as a line of JSON: joint values by name, and the pose of the base.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::poses::{self, isometry};
use crate::repair::Robot;
use extricate_core::penetration::generalized::Pose;

/// A configuration of a robot; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct ConfigurationFields {
    /// Named configuration, a keyframe of MJCF or a group state of SRDF: its values hold for joints that `joints` does not name.
    #[serde(default)]
    pub at: Option<String>,
    /// Joint values by name [rad or m].
    #[serde(default)]
    pub joints: BTreeMap<String, f64>,
    /// Pose of the root link.
    #[serde(default)]
    pub base: poses::Pose,
}

/// The pose of a robot in the configuration.
///
/// # Errors
/// A message that describes the error.
pub fn configuration(
    robot: &Robot,
    ConfigurationFields { at, joints: values, base }: ConfigurationFields,
) -> Result<Pose, String> {
    let base = isometry(base).map_err(|why| format!("base: {why}"))?;
    let named = at.map(|name| robot.named_joints(&name)).transpose().map_err(|error| error.to_string())?;
    let mut joints = named.cloned().unwrap_or_default();
    joints.extend(values);
    robot.pose(&joints, base).map_err(|error| error.to_string())
}
