//! The signed distance of two cores, in the frame of A.

use nalgebra::Vector3;

/// The signed distance of two cores, in the frame of A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    /// −h(normal) [m], a lower bound: a plane with this normal proves that the cores are not closer.
    pub(super) value: f64,
    /// Proved upper bound of the distance [m].
    pub(super) at_most: f64,
    /// Unit normal of the separating plane, from A to B.
    pub(super) normal: Vector3<f64>,
    /// The witness on A [m].
    pub(super) on_a: Vector3<f64>,
    /// The witness on B [m].
    pub(super) on_b: Vector3<f64>,
    /// Support evaluations of the difference.
    pub(super) supports: u32,
}

impl Gap {
    /// A gap in closed form: both bounds are the same.
    pub(super) fn exact(value: f64, normal: Vector3<f64>, on_a: Vector3<f64>) -> Self {
        Self { value, at_most: value, normal, on_a, on_b: on_a + normal * value, supports: 0 }
    }
}
