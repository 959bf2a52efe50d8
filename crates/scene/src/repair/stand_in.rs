//! Triangles that stand for what has none, where something else is known by its triangles alone.
//!
//! A polyhedron *contains* the shape it stands for, so that what is free of it is free of the shape: it is the Minkowski
//! sum of a polyhedron around the core (prisms and pyramids around cylinders and cones) and one around the ball that
//! rounds it. A half-space has none; the search meets it by its plane.

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Actor, Prop};
use extricate_core::geometry::convex::{ConvexHull, ConvexShape, Core};
use extricate_core::geometry::procedural::{Procedural, Sphere};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::penetration::generalized::{Mover, Shape};
use extricate_core::proximity::Model;

/// Sides of the polygon around a circle: up to 0.22 % larger.
const SIDES: u32 = 48;
/// Parts of an icosahedron's edge on the polyhedron around a ball: up to 1.5 % larger.
const FREQUENCY: u32 = 5;

/// The shape with triangles: itself where it has some, or where none can be made. What stands for a convex shape contains
/// it and is up to a few percent larger where it is round.
#[must_use]
pub fn with_triangles(shape: &Shape) -> Shape {
    if shape.model().is_some() {
        return shape.clone();
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for piece in shape.pieces() {
        let Some(mesh) = around(&piece.shape) else { return shape.clone() };
        let mesh = mesh.transformed(&piece.pose);
        #[expect(clippy::cast_possible_truncation, reason = "a mesh has no more than u32 vertices")]
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    match TriangleMesh::new(vertices, triangles) {
        Ok(mesh) => Shape::of_model(Model::new(mesh, Solidity::Solid)),
        Err(_) => shape.clone(),
    }
}

/// Where something is known by its triangles alone, all that has none gets some.
pub(super) fn with_triangles_where_needed(
    mut actors: Vec<Actor>,
    mut props: Vec<Prop>,
) -> (Vec<Actor>, Vec<Prop>) {
    let of_actors = actors.iter().flat_map(|actor| actor.mover.shapes().iter().flatten());
    let shapes: Vec<&Shape> = of_actors.chain(props.iter().map(|prop| &prop.obstacle.shape)).collect();
    if shapes.iter().all(|shape| shape.convex_pieces().is_some()) {
        return (actors, props);
    }
    for actor in &mut actors {
        let shapes = actor.mover.shapes().iter().map(|shape| Some(with_triangles(shape.as_ref()?)));
        let (norm, allowed) = (actor.mover.norm().clone(), actor.mover.allowed().clone());
        actor.mover = Mover::with_norm(norm, shapes.collect(), allowed, actor.mover.base());
    }
    for prop in &mut props {
        prop.obstacle.shape = with_triangles(&prop.obstacle.shape);
    }
    (actors, props)
}

/// A polyhedron around a convex shape.
fn around(shape: &ConvexShape) -> Option<TriangleMesh> {
    let corners = corners(shape.core())?;
    let radius = shape.radius();
    if !(radius > 0.0) {
        return ConvexHull::new(&corners).ok()?.mesh().ok();
    }
    let ball = ball(radius)?;
    let sums = corners.iter().flat_map(|corner| ball.iter().map(move |offset| corner + offset));
    ConvexHull::new(&sums.collect::<Vec<_>>()).ok()?.mesh().ok()
}

/// Corners of a polyhedron around a core.
fn corners(core: &Core) -> Option<Vec<Point3<f64>>> {
    let circle = |radius: f64, z: f64| {
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

fn box_corners(half: &Vector3<f64>) -> Vec<Point3<f64>> {
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
    let least = (0..mesh.triangles().len()).map(height).fold(f64::INFINITY, f64::min);
    Some(mesh.vertices().iter().map(|vertex| vertex.coords * (radius / least)).collect())
}

/// The pose of a half-space z ≤ 0 whose normal is another one.
pub(super) fn facing(normal: &Vector3<f64>) -> Isometry3<f64> {
    let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), normal)
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
    Isometry3::from_parts(nalgebra::Translation3::identity(), turn)
}

/// The plane of a half-space at a pose: its outward unit normal and its height along that [m]; `None` of another shape.
pub(super) fn plane(shape: &Shape, pose: &Isometry3<f64>) -> Option<(Vector3<f64>, f64)> {
    let [piece] = shape.pieces() else { return None };
    if !matches!(piece.shape.core(), Core::HalfSpace) {
        return None;
    }
    let place = pose * piece.pose;
    let normal = place.rotation * Vector3::z();
    Some((normal, normal.dot(&place.translation.vector) + piece.shape.radius()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::convex::START_ANYWHERE;
    use extricate_core::geometry::mass_properties::signed_volume;

    #[test]
    fn a_stand_in_contains_its_shape_and_is_hardly_larger() {
        let shapes = [
            (ConvexShape::sphere(0.4), 4.0 / 3.0 * PI * 0.064),
            (ConvexShape::capsule(0.2, 0.6), PI * 0.04 * 0.6 + 4.0 / 3.0 * PI * 0.008),
            (ConvexShape::cuboid(Vector3::new(1.0, 2.0, 3.0)), 6.0),
            (ConvexShape::cylinder(0.7, 0.3), PI * 0.49 * 0.3),
            (ConvexShape::cone(0.7, 0.3), PI * 0.49 * 0.1),
        ];
        for (shape, volume) in shapes {
            let mesh = around(&shape).unwrap();
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

    #[test]
    fn a_half_space_faces_its_normal() {
        for normal in [Vector3::z(), -Vector3::z(), Vector3::x(), Vector3::new(0.6, 0.0, -0.8)] {
            assert!((facing(&normal).rotation * Vector3::z() - normal).norm() < 1e-15);
        }
    }
}
