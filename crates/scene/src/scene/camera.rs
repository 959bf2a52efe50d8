//! Camera of a scene.

use nalgebra::Point3;

use super::placement::point;
use super::schema::CameraEntry;

/// Viewpoint of the pictures of a scene, world frame. The upper edge of the picture is towards +z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position of the camera \[m\].
    pub eye: Point3<f64>,
    /// Point at the centre of the picture \[m\].
    pub target: Point3<f64>,
    /// Angle between the lower and the upper edge of the picture \[rad\].
    pub field_of_view: f64,
}

impl From<CameraEntry> for Camera {
    fn from(entry: CameraEntry) -> Self {
        let field_of_view = entry.field_of_view.to_radians();
        Self { eye: point(entry.eye), target: point(entry.target), field_of_view }
    }
}
