//! Path planning problem of a scene.

use serde::Deserialize;

use super::{Entries, JointValue, Rotation, Triple};

/// Goal of a robot or body, and constraints on its path.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Plan", deny_unknown_fields)]
pub struct PlanEntry {
    /// Name of the robot or body that moves; all others are static.
    #[serde(alias = "mover")]
    pub movable: String,
    /// Goal values of joints, by name; the others end at their start values.
    #[serde(default)]
    pub joints: Entries<JointValue>,
    /// Goal position \[m\], of a body or of a robot with a floating base.
    #[serde(default)]
    pub position: Option<Triple>,
    /// Goal orientation.
    #[serde(default)]
    pub rotation: Option<Rotation>,
    /// Joints that do not move.
    #[serde(default)]
    pub fixed: Vec<String>,
    /// Minimum and maximum values of joints along the path, by name, within the limits of the file.
    #[serde(default)]
    pub limits: Entries<(JointValue, JointValue)>,
    /// Corners of the box in which positions are sampled \[m\]; by default a box around everything.
    #[serde(default)]
    pub region: Option<(Triple, Triple)>,
}
