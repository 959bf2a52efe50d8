//! A configuration of a robot as a line holds it: joints by name, and where the base is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::poses::{self, isometry};
use crate::repair::Robot;
use extricate_core::penetration::generalized::Pose;

/// A configuration; further keys are ignored.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Entry {
    /// Joint values by name [rad or m].
    #[serde(default)]
    pub joints: BTreeMap<String, f64>,
    /// Pose of the root link.
    #[serde(default)]
    pub base: poses::Pose,
}

/// The pose of a robot that the configuration says.
///
/// # Errors
/// Says what is wrong with it.
pub fn configuration(robot: &Robot, Entry { joints, base }: Entry) -> Result<Pose, String> {
    let base = isometry(base).map_err(|why| format!("base: {why}"))?;
    robot.pose(&joints, base).map_err(|error| error.to_string())
}
