//! Bounding volume hierarchy over the triangles of a mesh, for ray casting.

use std::sync::Arc;

use nalgebra::Point3;

use crate::Ray;
use extricate_core::geometry::{Aabb, TriangleMesh};

/// Maximum number of triangles in a leaf: more make rays test more triangles, fewer make the tree larger.
const MAX_LEAF_TRIANGLES: usize = 4;

/// Tolerance of the barycentric coordinates: a ray this far outside a triangle still hits it, since rounding must not let
/// rays pass through the shared edge of two triangles.
const EDGE_TOLERANCE: f64 = 1e-9;

/// Relative tolerance of the exit distance of a box: a ray may hit a triangle at a vertex that is also a corner of the
/// box, where rounding can put the exit before the entry.
const BOX_TOLERANCE: f64 = 1e-9;

/// Bounding volume hierarchy over the triangles of a mesh, traversed without a stack.
#[derive(Debug)]
pub(super) struct RayTree {
    mesh: Arc<TriangleMesh>,
    /// In depth-first order: the first child of a node follows it.
    nodes: Vec<Node>,
    /// Triangle indices; those of a leaf are contiguous.
    order: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Index of the next node when the subtree of this one is skipped.
    skip: u32,
    /// Range in `order`: first position and number of triangles, zero except in leaves.
    triangles: [u32; 2],
}

impl RayTree {
    pub(super) fn new(mesh: &Arc<TriangleMesh>) -> Self {
        let count = u32::try_from(mesh.triangles().len()).expect("vertices are counted with 32 bits");
        let mut order: Vec<u32> = (0..count).collect();
        let centers: Vec<Point3<f64>> = (0..mesh.triangles().len())
            .map(|triangle| Aabb::of_points(&mesh.triangle(triangle)).center())
            .collect();
        let mut nodes = Vec::new();
        if !order.is_empty() {
            split(mesh, &centers, (&mut order, 0), &mut nodes);
        }
        Self { mesh: Arc::clone(mesh), nodes, order }
    }

    /// Distance at which a ray [body frame] first hits the mesh [m], if that is below `limit`.
    pub(super) fn hit(&self, ray: &Ray, limit: f64) -> Option<f64> {
        let mut nearest = limit;
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !(enters(ray, &node.bounds) <= nearest) {
                at = node.skip as usize;
                continue;
            }
            let [first, count] = node.triangles.map(|index| index as usize);
            for &triangle in &self.order[first..first + count] {
                if let Some(distance) = hit_triangle(ray, &self.mesh.triangle(triangle as usize)) {
                    nearest = nearest.min(distance);
                }
            }
            at += 1;
        }
        (nearest < limit).then_some(nearest)
    }
}

/// Appends the subtree over a slice of the order that starts at `first`, split at the median along the longest axis.
fn split(
    mesh: &TriangleMesh,
    centers: &[Point3<f64>],
    (order, first): (&mut [u32], u32),
    nodes: &mut Vec<Node>,
) {
    let mut bounds = Aabb::EMPTY;
    for &triangle in order.iter() {
        mesh.triangle(triangle as usize).iter().for_each(|corner| bounds.include(corner));
    }
    let index = nodes.len();
    let count = u32::try_from(order.len()).expect("no more than the mesh has");
    let is_leaf = order.len() <= MAX_LEAF_TRIANGLES;
    nodes.push(Node { bounds, skip: 0, triangles: if is_leaf { [first, count] } else { [0, 0] } });
    if !is_leaf {
        let axis = bounds.extents().imax();
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |&a, &b| {
            let [a, b] = [a, b].map(|triangle| centers[triangle as usize][axis]);
            a.total_cmp(&b)
        });
        let (left, right) = order.split_at_mut(middle);
        let half = u32::try_from(middle).expect("no more than the mesh has");
        split(mesh, centers, (left, first), nodes);
        split(mesh, centers, (right, first + half), nodes);
    }
    nodes[index].skip = u32::try_from(nodes.len()).expect("at most two nodes for each triangle");
}

/// Distance at which a ray enters a box [m]: 0 from inside, infinite if it misses (slab test).
pub(super) fn enters(ray: &Ray, bounds: &Aabb) -> f64 {
    let (mut near, mut far) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let inverse = ray.direction[axis].recip();
        if !inverse.is_finite() {
            // Parallel to the slab of this axis: the origin is inside the slab, or the ray misses the box.
            if bounds.min[axis] <= ray.origin[axis] && ray.origin[axis] <= bounds.max[axis] {
                continue;
            }
            return f64::INFINITY;
        }
        let ends = [bounds.min[axis], bounds.max[axis]].map(|end| (end - ray.origin[axis]) * inverse);
        near = near.max(ends[0].min(ends[1]));
        far = far.min(ends[0].max(ends[1]));
    }
    if near <= far * (1.0 + BOX_TOLERANCE) { near } else { f64::INFINITY }
}

/// Distance at which a ray hits a triangle, from either side [Möller97]; `p`, `q`, `u` and `v` as there.
pub(super) fn hit_triangle(ray: &Ray, [a, b, c]: &[Point3<f64>; 3]) -> Option<f64> {
    let [edge_b, edge_c] = [b - a, c - a];
    let p = ray.direction.cross(&edge_c);
    let inverse = edge_b.dot(&p).recip();
    let from_a = ray.origin - a;
    let u = from_a.dot(&p) * inverse;
    let q = from_a.cross(&edge_b);
    let v = ray.direction.dot(&q) * inverse;
    let distance = edge_c.dot(&q) * inverse;
    // For a ray in the plane, or a degenerate triangle, the inverse determinant is infinite and the test fails.
    let is_hit = u >= -EDGE_TOLERANCE
        && v >= -EDGE_TOLERANCE
        && u + v <= 1.0 + EDGE_TOLERANCE
        && distance >= 0.0
        && distance.is_finite();
    is_hit.then_some(distance)
}
