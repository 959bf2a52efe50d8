//! A contact for the solver.

use nalgebra::{Point3, Vector3};

use extricate_core::proximity::contacts::Feature;

/// A contact for the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ContactPoint {
    /// The point on the second shape [m], frame of the first.
    pub(super) point: Point3<f64>,
    /// Unit normal from the first shape to the second, frame of the first.
    pub(super) normal: Vector3<f64>,
    /// Signed distance along the normal [m].
    pub(super) distance: f64,
    /// Features in contact, of the first and of the second shape.
    pub(super) features: [Feature; 2],
}

/// Whether contacts were computed with the two shapes as they came, or exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// In rapier's order.
    Original,
    /// Exchanged.
    Swapped,
}

impl Order {
    /// Returns the opposite order.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::Original => Self::Swapped,
            Self::Swapped => Self::Original,
        }
    }
}
