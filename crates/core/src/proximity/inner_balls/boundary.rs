//! Boundary of a solid that consists of pieces which overlap or touch: its triangles without the parts that have the
//! interior on both sides.
//!
//! Each triangle is cut along the planes of the triangles that cross it, and along the edges of those that lie in its
//! own plane. No triangle crosses a fragment, so one point of it decides whether all of it is internal; of triangles that none
//! cuts, one point decides for a whole connected region. The work is bounded.

use nalgebra::{Matrix3, Point3, Vector3};

use super::uncut::{is_cut_by, representatives};
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::proximity::collision::pairs_within_at_most;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Maximum number of triangles of a mesh whose boundary is computed: above it the cost exceeds the benefit of tighter
/// depths.
const TRIANGLES: usize = 8192;
/// Maximum number of fragments of a triangle, which is left whole above it: depths are then smaller, still lower
/// bounds.
const FRAGMENTS: usize = 64;
/// Maximum number of pairs of nearby triangles; above it, as in soups of triangles that all overlap, the whole mesh is the boundary.
const PAIRS: usize = 1 << 18;
/// Maximum number of tests of containment, each of two winding numbers: about 0.1 s.
const TESTS: usize = 1 << 13;
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
    if !pairs_within_at_most(PAIRS, model, model, &at_itself, BESIDE * size, &mut pairs) {
        return None;
    }
    pairs.sort_unstable();
    let all = (0..model.mesh().triangles().len() as u32).map(|index| corners(model, index));
    let all = all.collect::<Vec<_>>();
    let cutting = cutting_triangles(&all, &pairs, BESIDE * size);
    let is_cut = cutting.iter().map(|others| !others.is_empty()).collect::<Vec<_>>();
    let representatives = representatives(&all, &is_cut);
    let mut tests = Tests { model, left: TESTS, known: vec![None; all.len()] };
    let (mut vertices, mut triangles, mut removed) = (Vec::new(), Vec::new(), false);
    let mut add = |polygon: &[Vector3<f64>]| {
        let first = vertices.len() as u32;
        vertices.extend(polygon.iter().map(|&corner| Point3::from(corner)));
        triangles.extend((2..polygon.len() as u32).map(|i| [first, first + i - 1, first + i]));
    };
    for (index, own) in all.iter().enumerate() {
        if !is_cut[index] {
            let is_internal = tests.is_region_internal(&all, representatives[index]);
            removed |= is_internal;
            if !is_internal {
                add(own);
            }
            continue;
        }
        for fragment in fragments(own, &cutting[index], size) {
            let is_internal = tests.is_internal(&fragment, &normal(own));
            removed |= is_internal;
            if !is_internal {
                add(&fragment);
            }
        }
    }
    removed.then(|| TriangleMesh::new(vertices, triangles).ok()).flatten()
}

/// For each triangle those that cut it, in order.
fn cutting_triangles(
    all: &[[Vector3<f64>; 3]],
    pairs: &[[u32; 2]],
    tolerance: f64,
) -> Vec<Vec<[Vector3<f64>; 3]>> {
    let mut cutting = vec![Vec::new(); all.len()];
    for &[own, other] in pairs.iter().filter(|[own, other]| own != other) {
        let (own, other) = (own as usize, &all[other as usize]);
        if is_cut_by(&all[own], other, tolerance) {
            cutting[own].push(*other);
        }
    }
    cutting
}

/// Tests of containment with a bound on their number: a fragment that is not tested stays in the boundary, whose depths are then
/// smaller, still lower bounds.
struct Tests<'a> {
    model: &'a Model,
    left: usize,
    /// Results for the triangles that represent regions.
    known: Vec<Option<bool>>,
}

impl Tests<'_> {
    fn is_region_internal(&mut self, all: &[[Vector3<f64>; 3]], representative: usize) -> bool {
        if let Some(known) = self.known[representative] {
            return known;
        }
        let triangle = &all[representative];
        let found = self.is_internal(triangle, &normal(triangle));
        self.known[representative] = Some(found);
        found
    }

    fn is_internal(&mut self, fragment: &[Vector3<f64>], normal: &Vector3<f64>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        is_internal(self.model, fragment, normal)
    }
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
