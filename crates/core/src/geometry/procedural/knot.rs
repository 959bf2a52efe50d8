//! Torus knots.

use nalgebra::{Point3, Vector3};

use super::parameters::Checks;
use super::tube::{Tube, clearance};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

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
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
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
        let min = self.p.max(self.q).saturating_mul(3);
        checks.at_least("segments", self.segments, min, "at least three for every winding")?;
        checks.at_least("sides", self.sides, 3, "at least 3")?;
        checks.triangles([2, self.segments, self.sides])?;
        checks.no_self_intersection(self.tube_radius, clearance(|t| self.center_line(t)))?;
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
        // Minimum radius of curvature: b²/a at the ends of the long axis.
        let found = clearance(|t| Point3::new(2.0 * t.cos(), 0.5 * t.sin(), 0.0));
        assert!((found - 0.125).abs() < 1e-3, "{found}");
    }

    #[test]
    fn a_knot_that_would_intersect_itself_is_refused_with_its_clearance() {
        let error = TorusKnot { tube_radius: 0.45, ..TorusKnot::default() }.mesh().unwrap_err();
        let ShapeError::SelfIntersecting { clearance, .. } = error else { panic!("{error}") };
        assert!(clearance > TorusKnot::default().tube_radius && clearance < 0.45, "{clearance}");
    }
}
