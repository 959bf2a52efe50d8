//! A tree over triangles that move: boxes around the paths of their corners, refitted at every step.
//!
//! The shape of the tree is that of the mesh at rest. A triangle without an area takes part, for it may gain one.

use std::ops::Range;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::build;
use super::node::{Bounds, Child, NONE, Node, PACKET, WIDTH};

/// Leaves or vertices that are worth a task of their own.
const TASK: usize = 1024;
/// Relative widening that takes a number rounded to single precision beyond the number itself.
const OUTWARDS: f32 = 1.5 * f32::EPSILON;
/// The same for numbers so small that they lose digits.
const OUTWARDS_AT_ZERO: f32 = 2.0 * f32::MIN_POSITIVE;

/// Eight boxes side by side and where they lead.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub(crate) struct SweptNode {
    pub(crate) min: [[f32; WIDTH]; 3],
    pub(crate) max: [[f32; WIDTH]; 3],
    children: [Option<Child>; WIDTH],
}

/// Four triangles with their boxes; a lane without a triangle has a box that overlaps nothing.
#[derive(Debug, Clone)]
pub(crate) struct SweptLeaf {
    pub(crate) min: [[f32; PACKET]; 3],
    pub(crate) max: [[f32; PACKET]; 3],
    pub(crate) triangles: [u32; PACKET],
}

/// A tree over the triangles of a moving mesh.
#[derive(Debug, Clone)]
pub(crate) struct SweptBvh {
    /// Parents before their children; the first is the root.
    nodes: Vec<SweptNode>,
    leaves: Vec<SweptLeaf>,
    /// Around the path of each vertex.
    vertices: Vec<Bounds>,
    origin: Point3<f64>,
}

impl SweptBvh {
    /// The tree over `triangles` with corners in `vertices`, at rest; all threads of the pool take part.
    pub(crate) fn new(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Self {
        let origin = middle(vertices.iter());
        let corners =
            |triangle: u32| triangles[triangle as usize].map(|i| Point3::from(vertices[i as usize] - origin));
        let all = (0..triangles.len() as u32).collect::<Vec<_>>();
        let arrays = build::build(&all, &corners);
        let leaves = arrays.packets.iter().map(|packet| SweptLeaf::over(packet.triangles)).collect();
        let nodes = arrays.nodes.iter().map(SweptNode::like).collect();
        let mut tree = Self { nodes, leaves, vertices: vec![Bounds::EMPTY; vertices.len()], origin };
        tree.refit(triangles, vertices, vertices);
        tree
    }

    /// Puts the boxes around the paths from `start` to `end`.
    pub(crate) fn refit(&mut self, triangles: &[[u32; 3]], start: &[Point3<f64>], end: &[Point3<f64>]) {
        self.origin = middle(start.iter().chain(end));
        let (origin, vertices) = (self.origin, &mut self.vertices);
        vertices.par_iter_mut().with_min_len(TASK).enumerate().for_each(|(i, slot)| {
            *slot = around(&(start[i] - origin), &(end[i] - origin));
        });
        let vertices = &self.vertices;
        self.leaves.par_iter_mut().with_min_len(TASK).for_each(|leaf| leaf.refit(triangles, vertices));
        for index in (0..self.nodes.len()).rev() {
            for lane in 0..WIDTH {
                let bounds = match self.nodes[index].children[lane] {
                    Some(Child::Inner(child)) => self.nodes[child as usize].hull(),
                    Some(Child::Leaf(leaf)) => self.leaves[leaf as usize].hull(),
                    None => continue,
                };
                self.nodes[index].set_bounds(lane, &bounds);
            }
        }
    }

    pub(crate) fn node(&self, index: u32) -> &SweptNode {
        &self.nodes[index as usize]
    }

    pub(crate) fn leaf(&self, index: u32) -> &SweptLeaf {
        &self.leaves[index as usize]
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The leaves below each node, which stand in a row.
    pub(crate) fn leaf_ranges(&self) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = vec![u32::MAX..0; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            for child in self.nodes[index].children.into_iter().flatten() {
                let of_child = match child {
                    Child::Inner(child) => ranges[child as usize].clone(),
                    Child::Leaf(leaf) => leaf..leaf + 1,
                };
                let range = &mut ranges[index];
                *range = range.start.min(of_child.start)..range.end.max(of_child.end);
            }
        }
        ranges
    }

    /// The box around the path of a vertex.
    #[inline(always)]
    pub(crate) fn vertex(&self, index: u32) -> &Bounds {
        &self.vertices[index as usize]
    }

    /// Origin of the boxes [m].
    pub(crate) fn origin(&self) -> Point3<f64> {
        self.origin
    }

    pub(crate) fn hull(&self) -> Bounds {
        self.nodes[0].hull()
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.leaves) + size_of_val(&*self.vertices)
    }
}

impl SweptNode {
    fn like(node: &Node) -> Self {
        let mut children = [None; WIDTH];
        for (lane, child) in children.iter_mut().enumerate() {
            *child = node.child(lane);
        }
        Self { min: node.min, max: node.max, children }
    }

    #[inline(always)]
    pub(crate) fn child(&self, lane: usize) -> Option<Child> {
        self.children[lane]
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, lane: usize) -> Bounds {
        Bounds {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    fn set_bounds(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    pub(crate) fn hull(&self) -> Bounds {
        let used = (0..WIDTH).filter(|&lane| self.children[lane].is_some());
        used.fold(Bounds::EMPTY, |hull, lane| hull.union(&self.bounds(lane)))
    }
}

impl SweptLeaf {
    fn over(triangles: [u32; PACKET]) -> Self {
        Self { min: [[f32::INFINITY; PACKET]; 3], max: [[f32::NEG_INFINITY; PACKET]; 3], triangles }
    }

    fn refit(&mut self, triangles: &[[u32; 3]], vertices: &[Bounds]) {
        for lane in 0..PACKET {
            if self.triangles[lane] == NONE {
                continue;
            }
            let [a, b, c] = triangles[self.triangles[lane] as usize].map(|i| vertices[i as usize]);
            let bounds = a.union(&b).union(&c);
            for axis in 0..3 {
                self.min[axis][lane] = bounds.min[axis];
                self.max[axis][lane] = bounds.max[axis];
            }
        }
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, lane: usize) -> Bounds {
        Bounds {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    pub(crate) fn hull(&self) -> Bounds {
        (0..PACKET).fold(Bounds::EMPTY, |hull, lane| hull.union(&self.bounds(lane)))
    }
}

/// Middle of the box around some points.
fn middle<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> Point3<f64> {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for point in points {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    Point3::from(0.5 * low + 0.5 * high)
}

/// The box around a path. Differences to the origin are rounded, but never change their order.
#[inline(always)]
fn around(start: &Vector3<f64>, end: &Vector3<f64>) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for axis in 0..3 {
        let (low, high) =
            if start[axis] < end[axis] { (start[axis], end[axis]) } else { (end[axis], start[axis]) };
        bounds.min[axis] = outwards(low, -1.0);
        bounds.max[axis] = outwards(high, 1.0);
    }
    bounds
}

/// A box moved by `shift` and grown by `margin` [m] on all sides; never smaller than that.
#[inline(always)]
pub(crate) fn moved(bounds: &Bounds, shift: &Vector3<f64>, margin: f64) -> Bounds {
    let mut moved = Bounds::EMPTY;
    for axis in 0..3 {
        moved.min[axis] = outwards(f64::from(bounds.min[axis]) + shift[axis] - margin, -1.0);
        moved.max[axis] = outwards(f64::from(bounds.max[axis]) + shift[axis] + margin, 1.0);
    }
    moved
}

/// Whether two boxes overlap (touching counts).
#[inline(always)]
pub(crate) fn overlap(a: &Bounds, b: &Bounds) -> bool {
    let mut overlap = true;
    for axis in 0..3 {
        overlap &= a.min[axis] <= b.max[axis];
        overlap &= b.min[axis] <= a.max[axis];
    }
    overlap
}

/// A single-precision number beyond `x` in the direction of `sign`.
#[inline(always)]
fn outwards(x: f64, sign: f32) -> f32 {
    let rounded = x as f32;
    rounded + sign * (rounded.abs() * OUTWARDS + OUTWARDS_AT_ZERO)
}
