//! What a path is planned for.

use serde::Deserialize;

use super::{Entries, JointValue, Rotation, Triple};

/// Where a robot or a body is to go.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Plan", deny_unknown_fields)]
pub struct PlanEntry {
    /// Name of the robot or body that moves; all others stand still.
    pub mover: String,
    /// Where joints end, by name; the others where they start.
    #[serde(default)]
    pub joints: Entries<JointValue>,
    /// Where it ends [m]: a body, or a robot on a floating base.
    #[serde(default)]
    pub position: Option<Triple>,
    /// Its orientation there.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Joints that stay where they are.
    #[serde(default)]
    pub fixed: Vec<String>,
    /// Limits of joints on the way, by name, least and greatest value, within those of the file.
    #[serde(default)]
    pub limits: Entries<(JointValue, JointValue)>,
    /// Corners of the box in which positions are sampled [m]; around everything where it is missing.
    #[serde(default)]
    pub region: Option<(Triple, Triple)>,
}
