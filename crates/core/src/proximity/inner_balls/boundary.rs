//! Boundary of a solid that consists of pieces which overlap or touch: its triangles without the parts that have the
//! interior on both sides.
//!
//! Each triangle is cut along the planes of the triangles that cross it, and along the edges of those that lie in its
//! own plane. No triangle crosses a fragment, so one point of it decides whether all of it is internal.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::proximity::collision::pairs_within_at;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Maximum number of triangles of a mesh whose boundary is computed: above it the cost exceeds the benefit of tighter
/// depths.
const TRIANGLES: usize = 8192;
/// Maximum number of fragments of a triangle, which is left whole above it: depths are then smaller, still lower
/// bounds.
const FRAGMENTS: usize = 64;
/// Distance from a fragment at which containment is tested, relative to the size: a narrower gap between pieces counts
/// as closed.
const BESIDE: f64 = 1e-9;
/// Distance from a plane, relative to the size, below which a point is on it: rounding of coordinates.
const ON_PLANE: f64 = 1e-13;
/// Distance of a fragment's centre from its edges, relative to the size, below which it is not tested and stays: the
/// test points would be too close to other triangles.
const THIN: f64 = 1e-7;

type Polygon = Vec<Vector3<f64>>;

/// The boundary of the solid [m, frame of the tree] if it is not all of the triangles.
pub(super) fn boundary_of(model: &Model, topology: &Topology) -> Option<TriangleMesh> {
    // A single manifold piece is taken to have no internal faces; if it intersects itself, its depths are
    // underestimated.
    let is_one_piece = topology.components == 1 && topology.non_manifold_edges == 0;
    if is_one_piece || model.mesh().triangles().len() > TRIANGLES {
        return None;
    }
    let size = model.radius();
    let mut pairs = Vec::new();
    let at_itself = RelativePose::new(Matrix3::identity(), Vector3::zeros(), 2.0 * size);
    pairs_within_at(model, model, &at_itself, BESIDE * size, &mut pairs);
    let (mut vertices, mut triangles, mut removed) = (Vec::new(), Vec::new(), false);
    for of_one in pairs.chunk_by(|x, y| x[0] == y[0]) {
        let others = of_one.iter().map(|pair| pair[1]).filter(|&other| other != of_one[0][0]);
        let others = others.map(|other| corners(model, other)).collect::<Vec<_>>();
        let own = corners(model, of_one[0][0]);
        for fragment in fragments(&own, &others, size) {
            if is_internal(model, &fragment, &normal(&own)) {
                removed = true;
                continue;
            }
            let first = vertices.len() as u32;
            vertices.extend(fragment.iter().map(|&corner| Point3::from(corner)));
            triangles.extend((2..fragment.len() as u32).map(|i| [first, first + i - 1, first + i]));
        }
    }
    removed.then(|| TriangleMesh::new(vertices, triangles).ok()).flatten()
}

fn corners(model: &Model, triangle: u32) -> [Vector3<f64>; 3] {
    model.mesh().triangle(triangle as usize).map(|corner| corner - model.center())
}

fn normal([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a)).normalize()
}

/// Fragments of `own` cut by `others`; `own` itself above [`FRAGMENTS`].
fn fragments(own: &[Vector3<f64>; 3], others: &[[Vector3<f64>; 3]], size: f64) -> Vec<Polygon> {
    let mut parts = vec![own.to_vec()];
    let own_normal = normal(own);
    for other in others {
        for plane in cuts(own, &own_normal, other, size) {
            parts = parts.into_iter().flat_map(|part| split(part, &plane, ON_PLANE * size)).collect();
            if parts.len() > FRAGMENTS {
                return vec![own.to_vec()];
            }
        }
    }
    parts
}

/// A plane: unit normal and offset along it [m].
type Plane = (Vector3<f64>, f64);

/// The planes along which `other` cuts `own`: the plane of `other`, or those through its edges normal to `own` if they
/// are coplanar.
fn cuts(
    own: &[Vector3<f64>; 3],
    own_normal: &Vector3<f64>,
    other: &[Vector3<f64>; 3],
    size: f64,
) -> Vec<Plane> {
    let is_on = |corner: &Vector3<f64>| own_normal.dot(&(corner - own[0])).abs() <= BESIDE * size;
    // Not coplanar: the plane of the other one is cut along.
    if !other.iter().all(is_on) {
        let across = normal(other);
        return vec![(across, across.dot(&other[0]))];
    }
    let upright = (0..3).filter_map(|k| {
        let across = own_normal.cross(&(other[(k + 1) % 3] - other[k])).try_normalize(0.0)?;
        Some((across, across.dot(&other[k])))
    });
    upright.collect()
}

/// Splits a convex polygon at a plane, unless it is on one side of it.
fn split(polygon: Polygon, (normal, offset): &Plane, on_plane: f64) -> Vec<Polygon> {
    let heights = polygon.iter().map(|corner| normal.dot(corner) - offset).collect::<Vec<_>>();
    let reaches = |sign: f64| heights.iter().any(|height| sign * height > on_plane);
    if !(reaches(1.0) && reaches(-1.0)) {
        return vec![polygon];
    }
    let side = |sign: f64| {
        let mut part = Polygon::new();
        for here in 0..polygon.len() {
            let next = (here + 1) % polygon.len();
            let (h, k) = (sign * heights[here], sign * heights[next]);
            if h >= -on_plane {
                part.push(polygon[here]);
            }
            if (h > on_plane && k < -on_plane) || (h < -on_plane && k > on_plane) {
                part.push(polygon[here] + (polygon[next] - polygon[here]) * (h / (h - k)));
            }
        }
        part
    };
    vec![side(1.0), side(-1.0)]
}

/// Whether the interior of the solid is on both sides of a fragment.
fn is_internal(model: &Model, fragment: &[Vector3<f64>], normal: &Vector3<f64>) -> bool {
    let size = model.radius();
    let middle = fragment.iter().sum::<Vector3<f64>>() / fragment.len() as f64;
    let is_clear_of_edge = |k: usize| {
        let edge = fragment[(k + 1) % fragment.len()] - fragment[k];
        // Two corners at one place have no edge between them.
        let across = normal.cross(&edge).try_normalize(ON_PLANE * size);
        across.is_none_or(|across| across.dot(&(middle - fragment[k])).abs() > THIN * size)
    };
    let beside = |side: f64| middle + normal * (side * BESIDE * size);
    (0..fragment.len()).all(is_clear_of_edge)
        && [1.0, -1.0].into_iter().all(|side| model.contains_in_tree(&beside(side)))
}
