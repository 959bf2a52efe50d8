//! A configuration of a robot as a line holds it: joints by name, and where the base is.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::batch::poses::{self, isometry};
use crate::repair::Robot;
use extricate_core::penetration::generalized::Pose;

/// A configuration; further keys are ignored.
#[derive(Debug, Default, Deserialize)]
pub struct Entry {
    #[serde(default)]
    pub(crate) joints: BTreeMap<String, f64>,
    #[serde(default)]
    pub(crate) base: poses::Pose,
}

/// The pose of a robot that the configuration says.
pub fn configuration(robot: &Robot, Entry { joints, base }: Entry) -> Result<Pose, String> {
    let base = isometry(base).map_err(|why| format!("base: {why}"))?;
    robot.pose(&joints, base).map_err(|error| error.to_string())
}
