//! Camera of a scene.

use serde::Deserialize;

use super::Triple;

/// Viewpoint of the pictures of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Camera", deny_unknown_fields)]
pub struct CameraEntry {
    /// Position of the camera \[m\].
    pub eye: Triple,
    /// Point at the centre of the picture \[m\].
    pub target: Triple,
    /// Angle between the lower and the upper edge of the picture [°].
    #[serde(default = "default_field_of_view")]
    pub field_of_view: f64,
}

fn default_field_of_view() -> f64 {
    40.0
}
