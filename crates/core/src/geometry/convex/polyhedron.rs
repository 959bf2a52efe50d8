//! Circumscribed polyhedra of convex shapes, for algorithms that require triangles.
//!
//! The polyhedron *contains* the shape, so that everything free of contact with it is free of contact with the shape: it is
//! the Minkowski sum of a polyhedron around the core (prisms and pyramids around cylinders and cones) and one around the
//! rounding ball.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};

use super::{ConvexHull, ConvexShape, Core};
use crate::geometry::TriangleMesh;
use crate::geometry::procedural::{Procedural, Sphere};

/// Sides of the polygon around a circle: its corners are farther out by 1/cos(π/48) − 1 = 0.22 %. Half as many quadruple this
/// excess.
const SIDES: u32 = 48;
/// Subdivisions of an icosahedron's edge for the polyhedron around a ball: up to 1.5 % larger. The error falls with the square
/// of this number, and the corners of the Minkowski sum grow with it.
const FREQUENCY: u32 = 5;

impl ConvexShape {
    /// Circumscribed polyhedron [m, frame of the shape]: the shape itself if it is a box or a hull, up to a few percent of a
    /// radius larger if it is round. `None` for a half-space, and for a hull without area.
    #[must_use]
    pub fn circumscribed_polyhedron(&self) -> Option<TriangleMesh> {
        let corners = corners(self.core())?;
        if !(self.radius() > 0.0) {
            return ConvexHull::new(&corners).ok()?.mesh().ok();
        }
        let ball = ball(self.radius())?;
        let sums = corners.iter().flat_map(|corner| ball.iter().map(move |offset| corner + offset));
        ConvexHull::new(&sums.collect::<Vec<_>>()).ok()?.mesh().ok()
    }
}

/// Corners of a polyhedron around a core.
fn corners(core: &Core) -> Option<Vec<Point3<f64>>> {
    let circle = |radius: f64, z: f64| {
        // The radius of the corners for which the sides touch the circle.
        let radius = radius / (PI / f64::from(SIDES)).cos();
        let angle = move |i: u32| TAU * f64::from(i) / f64::from(SIDES);
        (0..SIDES).map(move |i| Point3::new(radius * angle(i).cos(), radius * angle(i).sin(), z))
    };
    Some(match core {
        Core::Point => vec![Point3::origin()],
        Core::Segment { half_length: h } => [-h, *h].map(|z| Point3::new(0.0, 0.0, z)).to_vec(),
        Core::Cuboid { half_extents } => box_corners(half_extents),
        Core::Cylinder { radius, half_height: h } => circle(*radius, -h).chain(circle(*radius, *h)).collect(),
        Core::Cone { radius, half_height: h } => {
            circle(*radius, -h).chain(std::iter::once(Point3::new(0.0, 0.0, *h))).collect()
        }
        Core::Hull(hull) => hull.vertices().to_vec(),
        Core::HalfSpace => return None,
    })
}

/// Corners of a box with half extents [m].
pub(crate) fn box_corners(half: &Vector3<f64>) -> Vec<Point3<f64>> {
    let side = |i: u32, axis: usize| if i >> axis & 1 == 0 { -half[axis] } else { half[axis] };
    (0..8).map(|i| Point3::new(side(i, 0), side(i, 1), side(i, 2))).collect()
}

/// Corners of a polyhedron around a ball.
fn ball(radius: f64) -> Option<Vec<Vector3<f64>>> {
    let mesh = Sphere { radius: 1.0, frequency: FREQUENCY }.mesh().ok()?;
    let height = |i: usize| {
        let [a, b, c] = mesh.triangle(i);
        (b - a).cross(&(c - a)).normalize().dot(&a.coords)
    };
    // Scaled such that the face nearest to the centre touches the ball.
    let min = (0..mesh.triangles().len()).map(height).fold(f64::INFINITY, f64::min);
    Some(mesh.vertices().iter().map(|vertex| vertex.coords * (radius / min)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::convex::START_ANYWHERE;
    use crate::geometry::mass_properties::signed_volume;

    #[test]
    fn a_polyhedron_contains_its_shape_and_is_hardly_larger() {
        let shapes = [
            (ConvexShape::sphere(0.4), 4.0 / 3.0 * PI * 0.064),
            (ConvexShape::capsule(0.2, 0.6), PI * 0.04 * 0.6 + 4.0 / 3.0 * PI * 0.008),
            (ConvexShape::cuboid(Vector3::new(1.0, 2.0, 3.0)), 6.0),
            (ConvexShape::cylinder(0.7, 0.3), PI * 0.49 * 0.3),
            (ConvexShape::cone(0.7, 0.3), PI * 0.49 * 0.1),
        ];
        for (shape, volume) in shapes {
            let mesh = shape.circumscribed_polyhedron().unwrap();
            let ratio = signed_volume(&mesh) / volume;
            assert!((1.0 - 1e-12..1.06).contains(&ratio), "{shape:?}: {ratio}");
            // Every face lies beyond the farthest point of the shape along its normal.
            for i in 0..mesh.triangles().len() {
                let [a, b, c] = mesh.triangle(i);
                let normal = (b - a).cross(&(c - a));
                if normal.norm() > 1e-9 {
                    let normal = normal.normalize();
                    let core = shape.core().support(&normal, START_ANYWHERE).point;
                    let farthest = normal.dot(&core) + shape.radius();
                    assert!(normal.dot(&a.coords) - farthest > -1e-12, "{shape:?}");
                }
            }
        }
    }
}
