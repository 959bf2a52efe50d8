//! Regions of a mesh that surely do not collide with themselves during a step: normal cones and contours.
//!
//! [Pro97] leaves out regions whose normals lie in a cone; [TCYM08] extends the cone over the step. The cone alone
//! proves nothing: a ramp that winds round more than once has all normals upward. The proof takes both of
//!
//! 1. **cone**: at all times every triangle of the patch is seen from the same side along one axis, n(t)·d > 0. The
//!    normal is quadratic in time, its three Bernstein coefficients bound it;
//! 2. **contour**: at all times the projection of the contour along d is a simple loop ([`super::contour`]).
//!
//! *Why that is enough.* Project the patch along d. By 1 every triangle covers its image once, positively; so a general
//! place in the plane is covered as often as the projected contour, which bounds the chain of triangles, winds round
//! it. By 2 that is at most once. If two features that share no point of the surface met, their projections would meet
//! at a place p. At most one of the two points of the surface is on the contour, by 2; around another one the triangles
//! that meet in it cover a whole neighbourhood of p, and a triangle at the other point covers a part of it again: some
//! place would be covered twice. Thus no two features of the patch touch, at any time of the step.
//!
//! The proof needs no manifold, but agreement about which side is which. It says nothing about a distance, so a query
//! with a minimum separation does without it.
//!
//! Departs from [TCYM08]: normals are kept in boxes rather than in cones, which take no angles to unite.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::contour::Contours;
use super::patches::{Patch, Patches};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::NONE;
use crate::bvh::swept::SweptBvh;

/// Nodes and leaves that are worth a task of their own.
const TASK: usize = 64;
/// Rounding of a component of a normal in units of roundoff and of the greatest components of its edges: two products
/// with three roundings each, and a mean; doubled.
const NORMAL_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Share of a normal by which it must lean towards the axis: far above the rounding of the axis.
const LEAN: f64 = 1e-9;

/// A box around normals, each divided by the sum of the sizes of its components.
#[derive(Debug, Clone, Copy)]
struct NormalBox {
    low: [f64; 3],
    high: [f64; 3],
}

/// The positions and triangles of a step.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) start: &'a [Point3<f64>],
    pub(super) end: &'a [Point3<f64>],
}

/// For each node of the tree whether its triangles surely do not collide with one another during the step. Below a node
/// that is free nothing is asked, and nothing said.
pub(super) fn free_nodes(tree: &SweptBvh, patches: &Patches, step: &Step<'_>) -> Vec<bool> {
    let normals = normals_of_nodes(tree, step);
    let mut is_free = vec![false; tree.node_count()];
    let mut level = vec![0_u32];
    while !level.is_empty() {
        let judge = |contours: &mut Contours, &node: &u32| {
            is_free_of_itself(patches.of_node(node as usize), &normals[node as usize], step, contours)
        };
        let judged = level.par_iter().with_min_len(TASK).map_init(Contours::default, judge);
        let judged = judged.collect::<Vec<_>>();
        let mut below = Vec::new();
        for (&node, free) in level.iter().zip(judged) {
            is_free[node as usize] = free;
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

/// Boxes around the normals of all triangles below each node.
fn normals_of_nodes(tree: &SweptBvh, step: &Step<'_>) -> Vec<NormalBox> {
    let of_leaves = (0..tree.leaf_count())
        .into_par_iter()
        .with_min_len(TASK)
        .map(|leaf| {
            let mut all = NormalBox::EMPTY;
            for triangle in tree.leaf(leaf as u32).triangles {
                if triangle != NONE {
                    all = all.union(&step.normals(triangle));
                }
            }
            all
        })
        .collect::<Vec<_>>();
    let mut of_nodes = vec![NormalBox::EMPTY; tree.node_count()];
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

fn is_free_of_itself(patch: &Patch, normals: &NormalBox, step: &Step<'_>, contours: &mut Contours) -> bool {
    if patch.contour.is_empty() {
        return false;
    }
    let normals = patch.grown.iter().fold(*normals, |all, &triangle| all.union(&step.normals(triangle)));
    let Some(axis) = normals.axis() else { return false };
    let plane = plane_across(&axis);
    contours.stays_simple(&patch.contour, step.start, step.end, &plane)
}

/// Two vectors that span the plane across an axis; their cross product is along it.
fn plane_across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let smallest = axis.iamin();
    let first = axis.cross(&Vector3::ith(smallest, 1.0)).normalize();
    [first, axis.cross(&first).normalize()]
}

impl Step<'_> {
    /// A box around the normals that a triangle has during the step; all of space where it may have none.
    #[inline(always)]
    fn normals(&self, triangle: u32) -> NormalBox {
        let [a, b, c] = self.triangles[triangle as usize];
        let (mut edges, mut greatest) = ([[[0.0; 3]; 2]; 2], [0.0_f64; 2]);
        for (time, positions) in [self.start, self.end].into_iter().enumerate() {
            let [a, b, c] = [&positions[a as usize], &positions[b as usize], &positions[c as usize]];
            for axis in 0..3 {
                edges[time][0][axis] = b[axis] - a[axis];
                edges[time][1][axis] = c[axis] - a[axis];
                for edge in 0..2 {
                    greatest[edge] = -lesser(-edges[time][edge][axis].abs(), -greatest[edge]);
                }
            }
        }
        let rounding = NORMAL_ROUNDING * greatest[0] * greatest[1] + f64::MIN_POSITIVE;
        let [[e, f], [g, h]] = &edges;
        let (crossed, mut mean) = ([cross(e, h), cross(g, f)], [0.0; 3]);
        for axis in 0..3 {
            mean[axis] = 0.5 * (crossed[0][axis] + crossed[1][axis]);
        }
        let mut all = NormalBox::EMPTY;
        for normal in [cross(e, f), mean, cross(g, h)] {
            let size = normal[0].abs() + normal[1].abs() + normal[2].abs();
            let is_known = size > rounding && size.is_finite();
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

/// The lesser of two numbers in one instruction.
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
    /// Whatever a normal may be, a slack of up to two included.
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

    /// A unit vector towards which all normals lean, if the middle of the box is one.
    fn axis(&self) -> Option<Vector3<f64>> {
        let middle = Vector3::from_fn(|k, _| 0.5 * (self.low[k] + self.high[k]));
        let axis = middle / middle.norm();
        let least: f64 = (0..3).map(|k| (axis[k] * self.low[k]).min(axis[k] * self.high[k])).sum();
        (least > LEAN).then_some(axis)
    }
}
