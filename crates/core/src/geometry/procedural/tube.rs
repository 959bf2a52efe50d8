//! Tubes around closed curves.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use super::surface::{angle_and_direction, loft_closed};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Curve parameter in [0, 2π) of step `i` of `count` around a closed curve.
pub(super) fn parameter(i: u32, count: u32) -> f64 {
    TAU * f64::from(i) / f64::from(count)
}

/// A tube around a closed curve over t in [0, 2π].
///
/// `outward` is a periodic direction that is never tangential to the curve: unlike parallel-transported frames, frames
/// derived from it match at the seam without a twist.
pub(super) struct Tube<C, O, R> {
    pub(super) center: C,
    pub(super) outward: O,
    pub(super) radius: R,
}

impl<C, O, R> Tube<C, O, R>
where
    C: Fn(f64) -> Point3<f64>,
    O: Fn(f64) -> Vector3<f64>,
    R: Fn(f64) -> f64,
{
    /// Surface of the tube, `segments` rings of `sides` points.
    pub(super) fn mesh(&self, segments: u32, sides: u32) -> Result<TriangleMesh, ShapeError> {
        loft_closed((0..segments).map(|i| self.ring(parameter(i, segments), sides)))
    }

    fn ring(&self, t: f64, sides: u32) -> Vec<Point3<f64>> {
        let center = (self.center)(t);
        let tangent = tangent(&self.center, t);
        let outward = (self.outward)(t);
        // Gram–Schmidt: the frame of the section is orthonormal.
        let normal = (outward - tangent * outward.dot(&tangent)).normalize();
        let binormal = tangent.cross(&normal);
        let radius = (self.radius)(t);
        (0..sides)
            .map(|i| angle_and_direction(i, sides).1)
            .map(|direction| center + (normal * direction.x + binormal * direction.y) * radius)
            .collect()
    }
}

fn tangent(center: impl Fn(f64) -> Point3<f64>, t: f64) -> Vector3<f64> {
    /// Step of the central difference [rad]: near the cube root of the machine epsilon, where the sum of truncation and
    /// rounding errors is minimal.
    const STEP: f64 = 1e-5;
    (center(t + STEP) - center(t - STEP)).normalize()
}

/// Maximum radius [m] of a tube around the closed curve that does not intersect itself: the minimum radius of a circle through
/// a point of the curve, tangent there, and through another point (the global radius of curvature).
/// Sampled at 1024 points, so it is accurate to about one part in 10⁴ for curves of a few windings; twice as many samples
/// take four times as long.
pub(super) fn clearance(center: impl Fn(f64) -> Point3<f64>) -> f64 {
    const SAMPLES: u32 = 1024;
    let at = |i| TAU * f64::from(i) / f64::from(SAMPLES);
    let samples: Vec<_> = (0..SAMPLES).map(|i| (center(at(i)), tangent(&center, at(i)))).collect();
    let mut min = f64::INFINITY;
    for (i, (point, tangent)) in samples.iter().enumerate() {
        for (_, (other, _)) in samples.iter().enumerate().filter(|&(j, _)| j != i) {
            let chord = other - point;
            // r = |chord|² / (2 · distance of the other point from the tangent line)
            min = min.min(chord.norm_squared() / (2.0 * tangent.cross(&chord).norm()));
        }
    }
    min
}
