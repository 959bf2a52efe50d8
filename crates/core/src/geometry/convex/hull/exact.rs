//! Exact orientation predicates [Shewchuk97].
//!
//! Adaptive floating-point predicates are exact unless a product underflows or overflows. The points are therefore scaled
//! by a power of two, which rounds nothing, to coordinates below two.

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Fraction of the maximum coordinate below which a coordinate counts as zero: 2⁻²⁰⁰. All that remain are multiples of
/// 2⁻²⁵³, so that every product of three is representable, and the predicates are exact.
const MIN_COORDINATE: f64 = 6.223_015_277_861_142e-61;

/// Maximum exponent of the power of two by which points are scaled; coordinates below its reciprocal have few digits anyway.
const MAX_EXPONENT: i32 = 1000;

/// Points with exact orientation predicates.
#[derive(Debug)]
pub(super) struct ExactPoints {
    points: Vec<Coord3D<f64>>,
    scale: f64,
}

impl ExactPoints {
    /// Scales the points, which must be finite.
    pub(super) fn new(points: &[Point3<f64>]) -> Self {
        let max = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        // Scaled by it, the largest coordinate is at least one and below two.
        let exponent = if max > 0.0 { -max.log2().floor() as i32 } else { 0 };
        let scale = 2_f64.powi(exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT));
        let scaled = |x: f64| if x.abs() * scale < MIN_COORDINATE { 0.0 } else { x * scale };
        let points = points.iter().map(|p| Coord3D { x: scaled(p.x), y: scaled(p.y), z: scaled(p.z) });
        Self { points: points.collect(), scale }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// The power of two by which the points are scaled to coordinates of order one.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// The scaled point.
    pub(super) fn scaled(&self, index: u32) -> Vector3<f64> {
        let point = self.points[index as usize];
        Vector3::new(point.x, point.y, point.z)
    }

    /// A positive multiple of the signed height of a point above the plane of three points, counterclockwise seen from above
    /// (`orient3d`). The factor depends on the three points alone; the sign is exact.
    #[inline]
    pub(super) fn height(&self, [a, b, c]: [u32; 3], point: u32) -> f64 {
        let at = |index: u32| self.points[index as usize];
        // `orient3d` is positive below the plane.
        -orient3d(at(a), at(b), at(c), at(point))
    }

    /// Twice the signed area of a triangle in the projection along an axis: positive if it is counterclockwise seen from the
    /// positive end of that axis (`orient2d`). The sign is exact.
    pub(super) fn orientation(&self, axis: usize, [a, b, c]: [u32; 3]) -> f64 {
        let at = |index: u32| {
            let [x, y] = self.projected(axis, index);
            Coord { x, y }
        };
        orient2d(at(a), at(b), at(c))
    }

    /// Coordinates of a scaled point in the projection along an axis.
    pub(super) fn projected(&self, axis: usize, index: u32) -> [f64; 2] {
        let Coord3D { x, y, z } = self.points[index as usize];
        match axis {
            0 => [y, z],
            1 => [z, x],
            _ => [x, y],
        }
    }

    /// Whether three points are collinear, exactly.
    pub(super) fn are_collinear(&self, triangle: [u32; 3]) -> bool {
        (0..3).all(|axis| self.orientation(axis, triangle) == 0.0)
    }
}
