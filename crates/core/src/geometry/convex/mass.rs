//! Volume and inertia of convex shapes.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Point3, Vector3};

use super::shape::{ConvexShape, Core};
use crate::geometry::mass_properties::MassProperties;

impl ConvexShape {
    /// Volume \[m³\]: infinite for a half-space, zero for a flat hull. For rounded cylinders, cones and hulls it is the volume of
    /// [`ConvexShape::inscribed_polyhedron`].
    #[must_use]
    pub fn volume(&self) -> f64 {
        let r = self.radius();
        match *self.core() {
            Core::Point => 4.0 / 3.0 * PI * r.powi(3),
            Core::Segment { half_length } => PI * r.powi(2) * (2.0 * half_length + 4.0 / 3.0 * r),
            Core::Cuboid { half_extents } if r == 0.0 => (2.0 * half_extents).product(),
            Core::Cylinder { radius, half_height } if r == 0.0 => PI * radius.powi(2) * (2.0 * half_height),
            Core::Cone { radius, half_height } if r == 0.0 => PI * radius.powi(2) * (2.0 * half_height) / 3.0,
            Core::HalfSpace => f64::INFINITY,
            _ => self.measured_mass().map_or(0.0, |unit| unit.volume),
        }
    }

    /// Volume, centre and inertia at density 1, if the shape has a volume: in closed form for a rounded box, otherwise those of
    /// [`ConvexShape::inscribed_polyhedron`], which are exact for hulls only.
    #[must_use]
    pub fn measured_mass(&self) -> Option<MassProperties> {
        match self.core() {
            Core::Cuboid { half_extents } => Some(of_rounded_box(&(2.0 * half_extents), self.radius())),
            _ => MassProperties::of_solid(&self.inscribed_polyhedron()?).ok(),
        }
    }
}

/// Mass properties of a rounded box, the Minkowski sum of a box and a ball of radius `r`: the box, a slab of thickness r on
/// each face, a quarter cylinder on each edge, one eighth of a ball on each corner.
fn of_rounded_box(size: &Vector3<f64>, r: f64) -> MassProperties {
    let volume = size.product()
        + 2.0 * r * (size.x * size.y + size.y * size.z + size.z * size.x)
        + PI * r.powi(2) * size.sum()
        + 4.0 / 3.0 * PI * r.powi(3);
    let second = Vector3::new(
        second_moment([size.x, size.y, size.z], r),
        second_moment([size.y, size.z, size.x], r),
        second_moment([size.z, size.x, size.y], r),
    );
    let inertia = Matrix3::from_diagonal(&second.map(|own| second.sum() - own));
    MassProperties { volume, center: Point3::origin(), inertia }
}

/// ∫ x² over a rounded box of core edges a (along x), b, c, with p = a/2, piece by piece.
fn second_moment([a, b, c]: [f64; 3], r: f64) -> f64 {
    let p = a / 2.0;
    // The pieces that do not extend beyond the core in x have the mean square p²/3.
    let within = a * b * c + 2.0 * r * a * (b + c) + PI * r.powi(2) * a;
    let slabs = 2.0 * b * c * ((p + r).powi(3) - p.powi(3)) / 3.0;
    let quarter_cylinder =
        PI * r.powi(2) / 4.0 * p.powi(2) + 2.0 * p * r.powi(3) / 3.0 + PI * r.powi(4) / 16.0;
    let eighth_of_ball =
        PI * r.powi(3) / 6.0 * p.powi(2) + 2.0 * p * PI * r.powi(4) / 16.0 + PI * r.powi(5) / 30.0;
    within * p.powi(2) / 3.0 + slabs + 4.0 * (b + c) * quarter_cylinder + 8.0 * eighth_of_ball
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::geometry::convex::ConvexHull;

    fn close(found: f64, exact: f64, tolerance: f64) {
        assert!((found - exact).abs() <= tolerance * exact, "{found} is not {exact}");
    }

    #[test]
    fn a_rounded_box_without_a_core_is_a_ball_and_without_a_radius_a_box() {
        let ball = of_rounded_box(&Vector3::zeros(), 0.7);
        close(ball.volume, 4.0 / 3.0 * PI * 0.343, 1e-14);
        close(ball.inertia.m11, 0.4 * ball.volume * 0.49, 1e-14);
        let cuboid = of_rounded_box(&Vector3::new(1.0, 2.0, 3.0), 0.0);
        close(cuboid.volume, 6.0, 1e-14);
        close(cuboid.inertia.m22, 6.0 / 12.0 * (1.0 + 9.0), 1e-14);
    }

    #[test]
    fn the_closed_form_of_a_rounded_box_is_that_of_its_fine_mesh() {
        let shape = ConvexShape::cuboid(Vector3::new(0.3, 0.5, 0.2)).rounded(0.1);
        let exact = shape.measured_mass().unwrap();
        let mesh = shape.inscribed_polyhedron().unwrap();
        let fine = MassProperties::of_solid(&mesh).unwrap();
        close(fine.volume, exact.volume, 3e-3);
        for axis in 0..3 {
            close(fine.inertia[(axis, axis)], exact.inertia[(axis, axis)], 5e-3);
        }
    }

    #[test]
    fn rounded_cylinders_cones_and_hulls_have_the_volume_of_their_steiner_formula() {
        // Volume = V + A r + M r² + 4/3 π r³ with the mean curvature M; for a cylinder M = π (h + π R), A the surface.
        let (r, radius, height) = (0.05, 0.3, 0.8);
        let cylinder = ConvexShape::cylinder(radius, height).rounded(r);
        let exact = PI * radius * radius * height
            + 2.0 * PI * radius * (height + radius) * r
            + PI * (height + PI * radius) * r * r
            + 4.0 / 3.0 * PI * r.powi(3);
        close(cylinder.volume(), exact, 2e-3);
        // A tetrahedron with three edges 1 at right angles: M = ½ Σ length · exterior angle.
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        let hull = ConvexShape::hull(Arc::new(ConvexHull::new(&corners).unwrap()));
        close(hull.volume(), 1.0 / 6.0, 1e-12);
        let slanted = PI - (1.0 / 3.0_f64.sqrt()).acos();
        let curvature = 0.5 * (3.0 * PI / 2.0 + 3.0 * 2.0_f64.sqrt() * slanted);
        let area = 1.5 + 3.0_f64.sqrt() / 2.0;
        let exact = 1.0 / 6.0 + area * r + curvature * r * r + 4.0 / 3.0 * PI * r.powi(3);
        close(hull.rounded(r).volume(), exact, 2e-3);
        // A cone of slant s and base angle β: its side has half the curvature π h, its rim π R (π − β).
        let cone = ConvexShape::cone(radius, height).rounded(r);
        let slant = radius.hypot(height);
        let exact = PI * radius * radius * height / 3.0
            + PI * radius * (radius + slant) * r
            + PI * (height + radius * (PI - height.atan2(radius))) * r * r
            + 4.0 / 3.0 * PI * r.powi(3);
        close(cone.volume(), exact, 2e-3);
    }
}
