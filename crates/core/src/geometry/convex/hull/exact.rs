//! Orientation of points, decided exactly [Shewchuk97].
//!
//! Adaptive floating-point predicates are exact as long as no product underflows or overflows. The points are
//! therefore scaled by a power of two, which changes no digit, to coordinates of at most one.

use nalgebra::{Point3, Vector3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Share of the greatest coordinate below which a coordinate counts as zero: 2⁻²⁰⁰. All that remain are multiples of
/// 2⁻²⁵³, so that every product of three is a number, and the predicates are exact.
const SMALLEST: f64 = 6.223_015_277_861_142e-61;

/// Largest power of two by which points are scaled; what is smaller than its reciprocal has few digits left anyway.
const LARGEST_EXPONENT: i32 = 1000;

/// Points whose orientations are decided exactly.
#[derive(Debug)]
pub(super) struct ExactPoints {
    points: Vec<Coord3D<f64>>,
    scale: f64,
}

impl ExactPoints {
    /// The points, which must be finite.
    pub(super) fn new(points: &[Point3<f64>]) -> Self {
        let greatest = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        let exponent = if greatest > 0.0 { -greatest.log2().floor() as i32 } else { 0 };
        let scale = 2_f64.powi(exponent.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT));
        let scaled = |x: f64| if x.abs() * scale < SMALLEST { 0.0 } else { x * scale };
        let points = points.iter().map(|p| Coord3D { x: scaled(p.x), y: scaled(p.y), z: scaled(p.z) });
        Self { points: points.collect(), scale }
    }

    /// How many points there are.
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

    /// A positive multiple of the height of a point above the plane of three points, which turn counterclockwise seen
    /// from above. The multiple belongs to the three points; the sign is exact.
    #[inline]
    pub(super) fn height(&self, [a, b, c]: [u32; 3], point: u32) -> f64 {
        let at = |index: u32| self.points[index as usize];
        -orient3d(at(a), at(b), at(c), at(point))
    }

    /// Twice the signed area of a triangle in the projection along an axis: positive if it turns counterclockwise
    /// seen from the positive end of that axis. The sign is exact.
    pub(super) fn turn(&self, axis: usize, [a, b, c]: [u32; 3]) -> f64 {
        let at = |index: u32| {
            let [x, y] = self.projected(axis, index);
            Coord { x, y }
        };
        orient2d(at(a), at(b), at(c))
    }

    /// The coordinates of a scaled point in the projection along an axis.
    pub(super) fn projected(&self, axis: usize, index: u32) -> [f64; 2] {
        let Coord3D { x, y, z } = self.points[index as usize];
        match axis {
            0 => [y, z],
            1 => [z, x],
            _ => [x, y],
        }
    }

    /// Whether three points lie on a line, exactly.
    pub(super) fn are_collinear(&self, triangle: [u32; 3]) -> bool {
        (0..3).all(|axis| self.turn(axis, triangle) == 0.0)
    }
}
