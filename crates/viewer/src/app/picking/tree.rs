//! A tree of boxes over the triangles of a mesh, for rays.

use std::sync::Arc;

use nalgebra::Point3;

use crate::Ray;
use extricate_core::geometry::{Aabb, TriangleMesh};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// How far outside a triangle a ray still hits it, in barycentric coordinates: rounding must not let rays through an edge
/// that two triangles share.
const OUTSIDE: f64 = 1e-9;

/// How far beside a box a ray still enters it, as a share of the distance: it may meet a triangle at a corner that is one of
/// the box as well.
const BESIDE: f64 = 1e-9;

/// A tree of boxes over the triangles of a mesh.
#[derive(Debug)]
pub(super) struct RayTree {
    mesh: Arc<TriangleMesh>,
    /// In the order of a walk that goes down first: a node's first child follows it.
    nodes: Vec<Node>,
    /// Triangles, those of a leaf side by side.
    order: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Index of the node that follows when this one is left out.
    skip: u32,
    /// First triangle in the order and number of triangles: none but in leaves.
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

    /// Distance at which a ray [body frame] meets the mesh first, if that is below a limit.
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

/// Adds the tree over a part of the order that begins at an index: halves it at the median of the longest axis.
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
    let is_leaf = order.len() <= LEAF;
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

/// Distance at which a ray enters a box, 0 from inside; infinite where it misses it.
pub(super) fn enters(ray: &Ray, bounds: &Aabb) -> f64 {
    let (mut near, mut far) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let inverse = ray.direction[axis].recip();
        if !inverse.is_finite() {
            // Along the faces of this axis it is between them or not.
            if bounds.min[axis] <= ray.origin[axis] && ray.origin[axis] <= bounds.max[axis] {
                continue;
            }
            return f64::INFINITY;
        }
        let ends = [bounds.min[axis], bounds.max[axis]].map(|end| (end - ray.origin[axis]) * inverse);
        near = near.max(ends[0].min(ends[1]));
        far = far.min(ends[0].max(ends[1]));
    }
    if near <= far * (1.0 + BESIDE) { near } else { f64::INFINITY }
}

/// Distance at which a ray meets a triangle, from either side [Möller97].
pub(super) fn hit_triangle(ray: &Ray, [a, b, c]: &[Point3<f64>; 3]) -> Option<f64> {
    let [edge_b, edge_c] = [b - a, c - a];
    let across = ray.direction.cross(&edge_c);
    let inverse = edge_b.dot(&across).recip();
    let from_a = ray.origin - a;
    let u = from_a.dot(&across) * inverse;
    let turned = from_a.cross(&edge_b);
    let v = ray.direction.dot(&turned) * inverse;
    let distance = edge_c.dot(&turned) * inverse;
    // Along the plane all of these are infinite or not numbers.
    let is_hit =
        u >= -OUTSIDE && v >= -OUTSIDE && u + v <= 1.0 + OUTSIDE && distance >= 0.0 && distance.is_finite();
    is_hit.then_some(distance)
}
