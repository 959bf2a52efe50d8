//! Proxy geometry: triangles in place of convex shapes that meet bodies known by their triangles alone.
//!
//! A half-space is tested vertex by vertex, exactly. Any other shape is tessellated: exactly for boxes and hulls; for round
//! shapes by the hull of points of the surface, which lies within the shape by up to 1 % of a radius.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::rows::ContactRow;
use super::shape::Piece;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::Core;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};
use crate::penetration::translational::free_configuration::spread::fibonacci;
use crate::proximity::model::Model;

/// Directions in which round surfaces are sampled: the gap between shape and proxy falls in inverse proportion, 1 % of a
/// radius at 600.
const DIRECTIONS: u32 = 600;

/// A solid model of the union of convex pieces; `None` where one of them is a half-space, or flat.
pub(crate) fn tessellated(pieces: &[Piece]) -> Option<Model> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for piece in pieces {
        let (core, radius) = (piece.shape.core(), piece.shape.radius());
        let points: Vec<Point3<f64>> = match core {
            Core::HalfSpace => return None,
            Core::Hull(hull) if radius <= 0.0 => hull.vertices().to_vec(),
            _ => {
                let point = |i| {
                    let direction = fibonacci(i, DIRECTIONS);
                    Point3::from(core.support(&direction, START_ANYWHERE).point + direction * radius)
                };
                (0..DIRECTIONS).map(point).collect()
            }
        };
        let hull = ConvexHull::new(&points).ok()?;
        let first = vertices.len() as u32;
        vertices.extend(hull.vertices().iter().map(|point| piece.pose * point));
        triangles.extend(hull.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    TriangleMesh::new(vertices, triangles).ok().map(|mesh| Model::new(mesh, Solidity::Solid))
}

/// Boundary plane of a half-space: its outward normal and a point of it [m, world].
pub(crate) fn plane(pieces: &[Piece], pose: &Isometry3<f64>) -> Option<(Unit<Vector3<f64>>, Point3<f64>)> {
    let [piece] = pieces else { return None };
    if !matches!(piece.shape.core(), Core::HalfSpace) {
        return None;
    }
    let place = pose * piece.pose;
    let normal = Unit::new_normalize(place.rotation * Vector3::z());
    Some((normal, Point3::from(place.translation.vector + normal.into_inner() * piece.shape.radius())))
}

/// Height of the lowest vertex of a model above a plane [m].
pub(crate) fn height(
    model: &Model,
    pose: &Isometry3<f64>,
    (normal, through): &(Unit<Vector3<f64>>, Point3<f64>),
) -> f64 {
    let (local, offset) = local_plane(pose, normal, through);
    used(model).map(|vertex| local.dot(&vertex.coords) + offset).fold(f64::INFINITY, f64::min)
}

/// Appends a row for every vertex within `horizon` [m] of the height of the lowest one and of the plane; returns that height
/// [m]. `half_space_first` means that the half-space is the first body.
pub(crate) fn plane_rows(
    (bodies, half_space_first): ([u32; 2], bool),
    (model, pose): (&Model, &Isometry3<f64>),
    plane: &(Unit<Vector3<f64>>, Point3<f64>),
    horizon: f64,
    rows: &mut Vec<ContactRow>,
) -> f64 {
    let lowest = height(model, pose, plane);
    let (local, offset) = local_plane(pose, &plane.0, &plane.1);
    // Below the plane the horizon starts at the plane, so that all penetrating vertices have rows.
    let reach = lowest.max(0.0) + horizon;
    let first = rows.len();
    for vertex in used(model) {
        let gap = local.dot(&vertex.coords) + offset;
        if gap <= reach && lowest <= horizon {
            let point = pose * vertex;
            let on_plane = point - plane.0.into_inner() * gap;
            let (normal, points) =
                if half_space_first { (-plane.0, [on_plane, point]) } else { (plane.0, [point, on_plane]) };
            rows.push(ContactRow { bodies, gap, normal, points });
        }
    }
    // A vertex occurs once per triangle that uses it: the lowest rows are retained without duplicates.
    rows[first..].sort_by(|x, y| x.gap.total_cmp(&y.gap));
    let mut retained = first;
    for at in first..rows.len() {
        let same = |other: &ContactRow| other.points == rows[at].points;
        if !rows[first..retained].iter().any(same) && retained - first < ROWS {
            rows[retained] = rows[at];
            retained += 1;
        }
    }
    rows.truncate(retained);
    lowest
}

/// Maximum number of rows of a body over a plane: the lowest vertices; more only cost time in the quadratic program.
const ROWS: usize = 32;

fn local_plane(
    pose: &Isometry3<f64>,
    normal: &Unit<Vector3<f64>>,
    through: &Point3<f64>,
) -> (Vector3<f64>, f64) {
    let local = pose.rotation.inverse() * normal.into_inner();
    (local, normal.dot(&(pose.translation.vector - through.coords)))
}

fn used(model: &Model) -> impl Iterator<Item = &Point3<f64>> {
    let vertices = model.mesh().vertices();
    model.mesh().triangles().iter().flatten().map(|&index| &vertices[index as usize])
}

#[cfg(test)]
mod tests {
    use super::super::{CollisionWorld, GeneralizedOptions, MovableModel, Obstacle, Pose, Shape};
    use super::*;
    use crate::geometry::convex::ConvexShape;
    use crate::geometry::procedural::{Procedural, Torus};

    fn torus() -> Shape {
        Shape::of_model(Model::new(Torus::default().mesh().unwrap(), Solidity::Solid))
    }

    fn collision_world(shape: ConvexShape) -> CollisionWorld {
        let obstacle = Obstacle { shape: Shape::convex(shape), pose: Isometry3::identity() };
        CollisionWorld::new(vec![MovableModel::rigid(torus()).unwrap()], vec![obstacle]).unwrap()
    }

    #[test]
    fn a_ring_of_triangles_that_has_sunk_into_the_ground_is_lifted_out() {
        let minor = Torus::default().minor_radius;
        let collision_world = collision_world(ConvexShape::half_space());
        let sunk: [Pose; 1] = [Isometry3::translation(0.0, 0.0, 0.7 * minor).into()];
        assert!(!collision_world.is_free(&sunk, 0.0).unwrap());
        assert_eq!(collision_world.colliding(&sunk).unwrap().len(), 1);
        let found =
            collision_world.penetration(&sunk, &GeneralizedOptions::fast()).unwrap().expect("it overlaps");
        assert!(found.verified_free && (found.depth - 0.3 * minor).abs() < 1e-4, "{}", found.depth);
        let above: [Pose; 1] = [Isometry3::translation(0.0, 0.0, 1.1 * minor).into()];
        assert!(
            collision_world.is_free(&above, 0.0).unwrap()
                && !collision_world.is_free(&above, 0.2 * minor).unwrap()
        );
    }

    #[test]
    fn a_ring_of_triangles_and_a_ball_see_each_other() {
        let Torus { major_radius, minor_radius, .. } = Torus::default();
        let collision_world = collision_world(ConvexShape::sphere(0.5 * minor_radius));
        let at = |x: f64| -> [Pose; 1] { [Isometry3::translation(x, 0.0, 0.0).into()] };
        assert!(collision_world.is_free(&at(0.0), 0.0).unwrap());
        let touching = major_radius - 0.8 * minor_radius;
        assert!(!collision_world.is_free(&at(touching), 0.0).unwrap());
        let found = collision_world.penetration(&at(touching), &GeneralizedOptions::fast()).unwrap();
        assert!(found.expect("they overlap").depth < 1.5 * minor_radius);
    }
}
