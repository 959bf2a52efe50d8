//! Tubes around closed curves.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use super::surface::{loft_closed, turn};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

/// The turn around a closed curve that step `i` of `count` has made [rad].
pub(super) fn parameter(i: u32, count: u32) -> f64 {
    TAU * f64::from(i) / f64::from(count)
}

/// A tube around a closed curve over t in [0, 2π].
///
/// `outward` is a direction that is never along the curve and closes with it: unlike a frame carried along the
/// curve, its frames meet at the seam without a twist.
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
    /// The tube's surface, `segments` rings of `sides` points.
    pub(super) fn mesh(&self, segments: u32, sides: u32) -> Result<TriangleMesh, ShapeError> {
        loft_closed((0..segments).map(|i| self.ring(parameter(i, segments), sides)))
    }

    fn ring(&self, t: f64, sides: u32) -> Vec<Point3<f64>> {
        let center = (self.center)(t);
        let tangent = tangent(&self.center, t);
        let outward = (self.outward)(t);
        let normal = (outward - tangent * outward.dot(&tangent)).normalize();
        let binormal = tangent.cross(&normal);
        let radius = (self.radius)(t);
        (0..sides)
            .map(|i| turn(i, sides).1)
            .map(|direction| center + (normal * direction.x + binormal * direction.y) * radius)
            .collect()
    }
}

fn tangent(center: impl Fn(f64) -> Point3<f64>, t: f64) -> Vector3<f64> {
    /// Step of the central difference [rad]: near the cube root of the rounding unit, where the error is least.
    const STEP: f64 = 1e-5;
    (center(t + STEP) - center(t - STEP)).normalize()
}

/// Radius [m] that a tube around the closed curve can have before it meets itself: the least radius of the circle
/// through a point of the curve, tangent there, and through another point (the global radius of curvature).
/// Sampled at 1024 points, so it is exact to about one part in 10⁴ for curves of a few windings.
pub(super) fn clearance(center: impl Fn(f64) -> Point3<f64>) -> f64 {
    const SAMPLES: u32 = 1024;
    let at = |i| TAU * f64::from(i) / f64::from(SAMPLES);
    let samples: Vec<_> = (0..SAMPLES).map(|i| (center(at(i)), tangent(&center, at(i)))).collect();
    let mut least = f64::INFINITY;
    for (i, (point, tangent)) in samples.iter().enumerate() {
        for (_, (other, _)) in samples.iter().enumerate().filter(|&(j, _)| j != i) {
            let chord = other - point;
            // r = |chord|² / (2 · distance of the other point from the tangent line)
            least = least.min(chord.norm_squared() / (2.0 * tangent.cross(&chord).norm()));
        }
    }
    least
}
