//! Self-collision culling: regions of a mesh that are proved free of self-collision during a step, by continuous normal
//! cones and contours.
//!
//! [Pro97] culls regions whose normals lie in a cone; [TCYM08] extends the cone over the step. The cone alone is not a
//! proof: a spiral ramp of more than one revolution has all normals upward. The proof requires both conditions:
//!
//! 1. **cone**: at all times every triangle of the patch faces the same side along one axis, n(t)·d > 0. The normal is
//!    quadratic in time and bounded by its three Bernstein coefficients;
//! 2. **contour**: at all times the projection of the contour along d is a simple loop ([`super::contour`]).
//!
//! *Proof.* Project the patch along d. By 1 every triangle covers its image once, positively; hence a generic point of the
//! plane is covered as often as its winding number with respect to the projected contour, which bounds the chain of
//! triangles. By 2 that is at most once. If two features without a common point of the surface met, their projections would
//! meet at a point p. At most one of the two points of the surface is on the contour, by 2; around the other one the
//! incident triangles cover a whole neighbourhood of p, and a triangle at the first point covers a part of it again: some
//! point would be covered twice. Thus no two features of the patch touch, at any time of the step.
//!
//! The proof does not require a manifold, but consistent orientation. It says nothing about distances, so that queries
//! with a minimum separation do not use it.
//!
//! Departs from [TCYM08]: normals are bounded by boxes rather than by cones, whose union takes no angles.

use nalgebra::{Point3, Vector3};

use super::contour::Contours;
use super::patches::{Patch, Patches};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::NONE;
use crate::bvh::swept::SweptBvh;
use crate::parallel;

/// Nodes or leaves per parallel task. Smaller tasks balance better and cost more scheduling; the result does not depend
/// on it.
const TASK: usize = 64;
/// Rounding of a component of a normal in units of roundoff and of the maximum components of its edges: two products
/// with three roundings each, and a mean; doubled.
const NORMAL_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Minimum component of a normal along the axis, relative to its 1-norm: far above the rounding of the axis.
const MIN_COMPONENT: f64 = 1e-9;

/// Box around normals, each of them scaled to a 1-norm of one.
#[derive(Debug, Clone, Copy)]
struct NormalBox {
    low: [f64; 3],
    high: [f64; 3],
}

/// Triangles and positions of a step.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) start: &'a [Point3<f64>],
    pub(super) end: &'a [Point3<f64>],
}

/// For each node of the tree, whether its triangles are proved not to collide with one another during the step. Nodes below
/// a free one are not tested and marked `false`.
pub(super) fn free_nodes(tree: &SweptBvh, patches: &Patches, step: &Step<'_>) -> Vec<bool> {
    let normals = normals_of_nodes(tree, step);
    let mut is_free = vec![false; tree.node_count()];
    let mut level = vec![0_u32];
    while !level.is_empty() {
        let test = |contours: &mut Contours, index: usize| {
            let node = level[index] as usize;
            is_self_collision_free(patches.of_node(node), &normals[node], step, contours)
        };
        let results = parallel::map_init(level.len(), TASK, Contours::default, test);
        let mut below = Vec::new();
        for (&node, free) in level.iter().zip(results) {
            is_free[node as usize] = free;
            // Below a free node nothing is left to prove.
            if !free {
                let children = (0..WIDTH).map_while(|lane| tree.node(node).child(lane));
                below.extend(children.filter_map(|child| match child {
                    Child::Inner(child) => Some(child),
                    Child::Leaf(_) => None,
                }));
            }
        }
        level = below;
    }
    is_free
}

/// Normal boxes of all triangles below each node.
fn normals_of_nodes(tree: &SweptBvh, step: &Step<'_>) -> Vec<NormalBox> {
    let of_leaves = parallel::map(tree.leaf_count(), TASK, |leaf| {
        let mut all = NormalBox::EMPTY;
        for triangle in tree.leaf(leaf as u32).triangles {
            if triangle != NONE {
                all = all.union(&step.normals(triangle));
            }
        }
        all
    });
    let mut of_nodes = vec![NormalBox::EMPTY; tree.node_count()];
    // Children are stored after their parents.
    for index in (0..of_nodes.len()).rev() {
        for lane in 0..WIDTH {
            let child = match tree.node(index as u32).child(lane) {
                Some(Child::Inner(child)) => of_nodes[child as usize],
                Some(Child::Leaf(leaf)) => of_leaves[leaf as usize],
                None => continue,
            };
            of_nodes[index] = of_nodes[index].union(&child);
        }
    }
    of_nodes
}

/// Whether a patch satisfies both conditions of the proof.
fn is_self_collision_free(
    patch: &Patch,
    normals: &NormalBox,
    step: &Step<'_>,
    contours: &mut Contours,
) -> bool {
    if patch.contour.is_empty() {
        return false;
    }
    // The contour is that of the extended patch, whose triangles must all satisfy the cone condition.
    let normals = patch.added.iter().fold(*normals, |all, &triangle| all.union(&step.normals(triangle)));
    let Some(axis) = normals.axis() else { return false };
    let plane = plane_across(&axis);
    contours.stays_simple(&patch.contour, step.start, step.end, &plane)
}

/// Orthonormal vectors that span the plane perpendicular to an axis.
fn plane_across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    // The coordinate axis that is farthest from parallel.
    let smallest = axis.iamin();
    let first = axis.cross(&Vector3::ith(smallest, 1.0)).normalize();
    [first, axis.cross(&first).normalize()]
}

impl Step<'_> {
    /// Box around the normals of a triangle during the step; [`NormalBox::EVERYTHING`] where it may degenerate.
    #[inline(always)]
    fn normals(&self, triangle: u32) -> NormalBox {
        let [a, b, c] = self.triangles[triangle as usize];
        let (mut edges, mut max) = ([[[0.0; 3]; 2]; 2], [0.0_f64; 2]);
        for (time, positions) in [self.start, self.end].into_iter().enumerate() {
            let [a, b, c] = [&positions[a as usize], &positions[b as usize], &positions[c as usize]];
            for axis in 0..3 {
                edges[time][0][axis] = b[axis] - a[axis];
                edges[time][1][axis] = c[axis] - a[axis];
                for edge in 0..2 {
                    max[edge] = -lesser(-edges[time][edge][axis].abs(), -max[edge]);
                }
            }
        }
        let rounding = NORMAL_ROUNDING * max[0] * max[1] + f64::MIN_POSITIVE;
        let [[e, f], [g, h]] = &edges;
        // Bernstein coefficients of the normal: those at both ends, and the mean of the mixed products.
        let (crossed, mut mean) = ([cross(e, h), cross(g, f)], [0.0; 3]);
        for axis in 0..3 {
            mean[axis] = 0.5 * (crossed[0][axis] + crossed[1][axis]);
        }
        let mut all = NormalBox::EMPTY;
        for normal in [cross(e, f), mean, cross(g, h)] {
            let size = normal[0].abs() + normal[1].abs() + normal[2].abs();
            let is_known = size > rounding && size.is_finite();
            // A coefficient within its rounding of zero has no known direction.
            if !is_known {
                return NormalBox::EVERYTHING;
            }
            let reciprocal = 1.0 / size;
            for axis in 0..3 {
                let (part, slack) = (normal[axis] * reciprocal, 2.0 * rounding * reciprocal);
                all.low[axis] = lesser(part - slack, all.low[axis]);
                all.high[axis] = -lesser(-(part + slack), -all.high[axis]);
            }
        }
        all
    }
}

/// Minimum of two numbers in one instruction, unlike `f64::min` with its treatment of NaN.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl NormalBox {
    const EMPTY: Self = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
    /// Box around all scaled normals, including a slack of up to two.
    const EVERYTHING: Self = Self { low: [-3.0; 3], high: [3.0; 3] };

    #[inline(always)]
    fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        for axis in 0..3 {
            union.low[axis] = lesser(other.low[axis], union.low[axis]);
            union.high[axis] = -lesser(-other.high[axis], -union.high[axis]);
        }
        union
    }

    /// Unit vector along which all normals of the box have positive components, if its centre is one.
    fn axis(&self) -> Option<Vector3<f64>> {
        let middle = Vector3::from_fn(|k, _| 0.5 * (self.low[k] + self.high[k]));
        let axis = middle / middle.norm();
        let min: f64 = (0..3).map(|k| (axis[k] * self.low[k]).min(axis[k] * self.high[k])).sum();
        (min > MIN_COMPONENT).then_some(axis)
    }
}
