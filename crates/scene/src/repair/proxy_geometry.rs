//! Proxy geometry: triangles for shapes that have none, where another shape is known by its triangles alone.
//!
//! They are those of a polyhedron that contains the shape
//! ([`ConvexShape::circumscribed_polyhedron`](extricate_core::geometry::convex::ConvexShape::circumscribed_polyhedron)).
//! A half-space has none; the search uses its plane.

use nalgebra::{Isometry3, Vector3};

use super::parts::{Actor, NamedObstacle};
use extricate_core::geometry::convex::Core;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::penetration::generalized::Shape;
use extricate_core::proximity::Model;

/// The shape with triangles: itself where it has some, or where none can be made. The proxy of a convex shape contains
/// it and is up to a few percent larger where it is round.
#[must_use]
pub fn with_triangles(shape: &Shape) -> Shape {
    if shape.model().is_some() {
        return shape.clone();
    }
    let pieces = shape.pieces().iter();
    let meshes = pieces.map(|piece| Some(piece.shape.circumscribed_polyhedron()?.transformed(&piece.pose)));
    match meshes.collect::<Option<Vec<_>>>().map(TriangleMesh::joined) {
        Some(Ok(mesh)) => Shape::of_model(Model::new(mesh, Solidity::Solid)),
        _ => shape.clone(),
    }
}

/// Adds triangles to all shapes without any, if some shape is known by its triangles alone.
pub(super) fn with_triangles_where_needed(
    mut actors: Vec<Actor>,
    mut obstacles: Vec<NamedObstacle>,
) -> (Vec<Actor>, Vec<NamedObstacle>) {
    let of_actors = actors.iter().flat_map(|actor| actor.movable.shapes().iter().flatten());
    let shapes: Vec<&Shape> = of_actors.chain(obstacles.iter().map(|named| &named.obstacle.shape)).collect();
    if shapes.iter().all(|shape| shape.convex_pieces().is_some()) {
        return (actors, obstacles);
    }
    for actor in &mut actors {
        let shapes = actor.movable.shapes().iter().map(|shape| Some(with_triangles(shape.as_ref()?)));
        let shapes = shapes.collect();
        actor.movable = actor.movable.clone().with_shapes(shapes);
    }
    for named in &mut obstacles {
        named.obstacle.shape = with_triangles(&named.obstacle.shape);
    }
    (actors, obstacles)
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
