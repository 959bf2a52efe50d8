//! Pose of a movable model.

use nalgebra::Isometry3;

/// The pose of a movable model.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// Pose of the root link, link to world.
    pub base: Isometry3<f64>,
    /// Configuration of its articulation [rad, m]; empty for a rigid body.
    pub joints: Vec<f64>,
}

impl From<Isometry3<f64>> for Pose {
    /// The pose of a rigid body.
    fn from(base: Isometry3<f64>) -> Self {
        Self { base, joints: Vec::new() }
    }
}
