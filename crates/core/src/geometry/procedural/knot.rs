//! Torus knots, and the tube around a closed curve.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use super::ProceduralError;
use super::parameters::Checks;
use super::ring::parameter;
use super::surface::{loft_closed, turn};
use crate::geometry::TriangleMesh;

procedural! { "torus_knot"
    /// A tube around the torus knot (p, q): it winds p times about the z axis and q times about the tube of the
    /// torus that it lies on.
    pub struct TorusKnot {
        /// Windings about the axis; p and q have no common factor.
        p: u32 = 2,
        /// Windings about the tube of the torus.
        q: u32 = 3,
        /// Radius of the centre line of the torus [m].
        major_radius: f64 = 1.0,
        /// Radius of the tube of the torus [m].
        minor_radius: f64 = 0.45,
        /// Radius of the tube of the knot [m].
        tube_radius: f64 = 0.2,
        /// Steps along the knot.
        segments: u32 = 144,
        /// Steps around its tube.
        sides: u32 = 10,
    }
    mesh = TorusKnot::build
}

impl TorusKnot {
    fn build(&self) -> Result<TriangleMesh, ProceduralError> {
        let checks = Checks::of::<Self>();
        checks.at_least("p", self.p, 1, "at least 1")?;
        let coprime = gcd(self.p, self.q) == 1;
        checks.require(
            "q",
            f64::from(self.q),
            self.q > 0 && coprime,
            "positive, without a factor common with p",
        )?;
        checks.positive([("minor_radius", self.minor_radius), ("tube_radius", self.tube_radius)])?;
        let is_open = self.major_radius > self.minor_radius;
        checks.require("major_radius", self.major_radius, is_open, "more than the minor radius")?;
        let least = self.p.max(self.q).saturating_mul(3);
        checks.at_least("segments", self.segments, least, "at least three for every winding")?;
        checks.at_least("sides", self.sides, 3, "at least 3")?;
        checks.triangles([2, self.segments, self.sides])?;
        checks.free_of_itself(self.tube_radius, clearance(|t| self.center_line(t)))?;
        let tube = Tube {
            center: |t| self.center_line(t),
            outward: |t| self.torus_normal(t),
            radius: |_| self.tube_radius,
        };
        tube.mesh(self.segments, self.sides)
    }

    fn angles(&self, t: f64) -> (f64, f64) {
        (f64::from(self.p) * t, f64::from(self.q) * t)
    }

    fn center_line(&self, t: f64) -> Point3<f64> {
        let (around, across) = self.angles(t);
        let radius = self.major_radius + self.minor_radius * across.cos();
        Point3::new(radius * around.cos(), radius * around.sin(), self.minor_radius * across.sin())
    }

    fn torus_normal(&self, t: f64) -> Vector3<f64> {
        let (around, across) = self.angles(t);
        Vector3::new(across.cos() * around.cos(), across.cos() * around.sin(), across.sin())
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
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
    pub(super) fn mesh(&self, segments: u32, sides: u32) -> Result<TriangleMesh, ProceduralError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::Procedural as _;

    #[test]
    fn the_clearance_of_a_circle_is_its_radius() {
        let found = clearance(|t| Point3::new(3.0 * t.cos(), 3.0 * t.sin(), 0.0));
        assert!((found - 3.0).abs() < 1e-3, "{found}");
    }

    #[test]
    fn the_clearance_of_a_flat_ellipse_is_its_tightest_bend() {
        // Least radius of curvature: b²/a at the ends of the long axis.
        let found = clearance(|t| Point3::new(2.0 * t.cos(), 0.5 * t.sin(), 0.0));
        assert!((found - 0.125).abs() < 1e-3, "{found}");
    }

    #[test]
    fn a_knot_that_would_meet_itself_is_refused_with_its_clearance() {
        let error = TorusKnot { tube_radius: 0.45, ..TorusKnot::default() }.mesh().unwrap_err();
        let ProceduralError::SelfIntersecting { clearance, .. } = error else { panic!("{error}") };
        assert!(clearance > TorusKnot::default().tube_radius && clearance < 0.45, "{clearance}");
    }
}
