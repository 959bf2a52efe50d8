//! The Minkowski difference of two cores, known by its support function [Gao23 §II-B, eq. 5].

use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use crate::geometry::convex::shape::{ConvexShape, Core};

/// M = {a − b : a ∈ A, b ∈ B}, frame of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference<'a> {
    pub(super) a: &'a Core,
    pub(super) b: &'a Core,
    /// Rotation B → A.
    pub(super) rotation: Matrix3<f64>,
    /// Origin of B in the frame of A [m].
    pub(super) origin: Vector3<f64>,
    noise: f64,
    /// The radii around the cores [m].
    rounding: f64,
}

/// An extreme point of the difference, with the points of A and of B whose difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Vertex {
    /// a − b [m], frame of A.
    pub(super) point: Vector3<f64>,
    /// a [m], frame of A.
    pub(super) on_a: Vector3<f64>,
    /// b [m], frame of B.
    pub(super) on_b: Vector3<f64>,
    /// Vertices of the cores, as [`Core::support`] names them.
    pub(super) vertices: [u32; 2],
}

/// Rounding of a difference a − (R b + t), relative to the coordinates: it takes a dozen operations. Bounds are
/// accepted and cores count as touching within it. Half and twice change values by at most 4e-10 m and the supports by
/// less than 0.1 % (docs/sensitivity.md).
const NOISE: f64 = 4.0 * f64::EPSILON;

impl<'a> Difference<'a> {
    /// The difference of the cores of two shapes at a relative pose B → A.
    pub(super) fn new(a: &'a ConvexShape, b: &'a ConvexShape, b_to_a: &Isometry3<f64>) -> Self {
        let rounding = a.radius() + b.radius();
        let (a, b) = (a.core(), b.core());
        let rotation = b_to_a.rotation.to_rotation_matrix().into_inner();
        let origin = b_to_a.translation.vector;
        let noise = NOISE * (a.reach() + b.reach() + origin.norm());
        Self { a, b, rotation, origin, noise, rounding }
    }

    /// Accepted difference of the bounds of a gap of the cores [m]: a fraction of the distance of the shapes, plus rounding.
    pub(super) fn tolerance(&self, gap: f64, relative: f64) -> f64 {
        relative * (gap - self.rounding).abs() + self.noise
    }

    /// Lengths up to this are rounding [m].
    pub(super) fn noise(&self) -> f64 {
        self.noise
    }

    /// A point extreme in `direction`, frame of A [Gao23 §II-B, eq. 5]; the searches start at the vertices `start`.
    #[inline]
    pub(super) fn support(&self, direction: &Vector3<f64>, start: [u32; 2]) -> Vertex {
        self.support_along(direction, &self.direction_in_b(direction), start)
    }

    /// The same, with the direction in which B is extreme, frame of B.
    #[inline]
    pub(super) fn support_along(&self, on_a: &Vector3<f64>, on_b: &Vector3<f64>, start: [u32; 2]) -> Vertex {
        let on_a = self.a.support(on_a, start[0]);
        let on_b = self.b.support(on_b, start[1]);
        Vertex {
            point: self.point(&on_a.point, &on_b.point),
            on_a: on_a.point,
            on_b: on_b.point,
            vertices: [on_a.vertex, on_b.vertex],
        }
    }

    /// The direction in which B must be extreme for the difference to be so in `direction`, frame of B.
    #[inline]
    pub(super) fn direction_in_b(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        -self.rotation.tr_mul(direction)
    }

    /// a − b [m], frame of A, for a in the frame of A and b in that of B.
    #[inline]
    pub(super) fn point(&self, on_a: &Vector3<f64>, on_b: &Vector3<f64>) -> Vector3<f64> {
        on_a - self.of_b(on_b)
    }

    /// A point of B [m] in the frame of A.
    #[inline]
    pub(super) fn of_b(&self, on_b: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * on_b + self.origin
    }
}
