//! Prediction of the gaps that close: a bound of the gap of each pair of features by the motion of the last step at that place.
//!
//! | here | meaning                                                                                    |
//! |------|--------------------------------------------------------------------------------------------|
//! | x    | point, frame of A                                                                            |
//! | v(x) | displacement of A relative to B at x in the last step [m], frame of A: D⁻¹x − x              |
//! | n    | unit contact normal from A to B; v·n is the approach along it [m]                          |

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::features::FeaturePair;
use crate::proximity::relative_pose::RelativePose;

/// Bound of the gaps of a search by the approach of both bodies at each place: bodies that move apart there, or past each other,
/// have no need of contacts that are far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Maps points of B now to where they were before the last step, D⁻¹; frame of A.
    pub to_before: Isometry3<f64>,
    /// Gap \[m\] up to which feature pairs are found wherever they are.
    pub min: f64,
    /// Number of steps like the last one within which a larger gap has to close for its pair to be found.
    pub steps: f64,
    /// Approach \[m\] in a step besides that of the last one.
    pub more: f64,
}

impl Approach {
    /// Maximum gap \[m\] of a contact at a point of B along a normal; both in the frame of A.
    #[must_use]
    pub fn reach(&self, on_b: &Point3<f64>, normal: &Vector3<f64>) -> f64 {
        let approach = (self.to_before * on_b - on_b).dot(normal).max(0.0);
        self.min.max(self.steps * (approach + self.more))
    }

    pub(super) fn admits(&self, pair: &FeaturePair) -> bool {
        pair.gap <= self.reach(&pair.points[1], &pair.normal)
    }

    /// Upper bound of the change of v(x) over a distance, relative to the distance.
    pub(super) fn variation(&self) -> f64 {
        self.to_before.rotation.angle()
    }
}

/// v(x) as an affine function of the coordinates of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApproachField {
    pub(super) matrix: Matrix3<f64>,
    pub(super) vector: Vector3<f64>,
}

impl ApproachField {
    /// In the coordinates of the tree of A, which has this centre.
    pub(super) fn in_tree_of_a(approach: &Approach, center: &Point3<f64>) -> Self {
        let matrix = approach.to_before.rotation.to_rotation_matrix().into_inner() - Matrix3::identity();
        Self { matrix, vector: matrix * center.coords + approach.to_before.translation.vector }
    }

    /// Displacement of B relative to A.
    pub(super) fn reversed(&self) -> Self {
        Self { matrix: -self.matrix, vector: -self.vector }
    }

    /// In the coordinates of another tree.
    pub(super) fn placed(&self, pose: &RelativePose) -> Self {
        let (rotation, translation) = (&pose.rotation, &pose.translation);
        let matrix = rotation * self.matrix * rotation.transpose();
        Self { matrix, vector: rotation * self.vector - matrix * translation }
    }
}
