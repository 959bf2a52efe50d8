//! Where a scene is looked at from.

use serde::Deserialize;

use super::Triple;

/// Where pictures of a scene are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Camera", deny_unknown_fields)]
pub struct CameraEntry {
    /// Where the camera is [m].
    pub eye: Triple,
    /// What is in the middle of the picture [m].
    pub target: Triple,
    /// Angle between the lower and the upper edge of the picture [°].
    #[serde(default = "default_field_of_view")]
    pub field_of_view: f64,
}

fn default_field_of_view() -> f64 {
    40.0
}
