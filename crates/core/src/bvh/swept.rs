//! BVH over moving triangles for continuous collision detection: boxes around the linear paths of their corners,
//! refitted at every step.
//!
//! The topology of the tree is that of the mesh at rest. A triangle without an area is included, since it may gain one.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use super::build;
use super::lanes::isa::{Isa, Mask, Single};
use super::node::{Child, Node, WIDTH};
use super::packet::{Bounds, NONE, PACKET};
use crate::parallel;

/// Minimum number of leaves or vertices per parallel task: fewer cost more scheduling than they save.
const TASK: usize = 1024;
/// Relative widening that exceeds the rounding to single precision, half an `f32::EPSILON`, and that of the widening
/// itself. Twice as much makes boxes hardly larger; less than one `f32::EPSILON` could lose a contact.
const OUTWARDS: f32 = 1.5 * f32::EPSILON;
/// Absolute widening for subnormal numbers, which lose digits.
const OUTWARDS_AT_ZERO: f32 = 2.0 * f32::MIN_POSITIVE;

/// A node: the boxes of its eight children.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub(crate) struct SweptNode {
    pub(crate) min: [[f32; WIDTH]; 3],
    pub(crate) max: [[f32; WIDTH]; 3],
    children: [Option<Child>; WIDTH],
}

/// A box in the layout of a one-instruction overlap test: minimum coordinates, negated maximum ones, each padded with a
/// zero.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct SweptBox([f32; 8]);

/// The other operand of that test: maximum coordinates, negated minimum ones.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct BoxQuery([f32; 8]);

/// Four triangles with their swept boxes; the box of a lane without a triangle overlaps nothing.
#[derive(Debug, Clone)]
pub(crate) struct SweptLeaf {
    pub(crate) boxes: [SweptBox; PACKET],
    pub(crate) triangles: [u32; PACKET],
}

/// A BVH over the triangles of a moving mesh.
#[derive(Debug, Clone)]
pub(crate) struct SweptBvh {
    /// Parents before their children; the first is the root.
    nodes: Vec<SweptNode>,
    leaves: Vec<SweptLeaf>,
    /// Swept box of each vertex.
    vertices: Vec<SweptBox>,
    origin: Point3<f64>,
}

impl SweptBvh {
    /// Builds the tree over `triangles` with corners in `vertices`, at rest, with all threads of the current pool.
    pub(crate) fn new(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Self {
        let origin = middle(vertices.iter());
        let corners =
            |triangle: u32| triangles[triangle as usize].map(|i| Point3::from(vertices[i as usize] - origin));
        let all = (0..triangles.len() as u32).collect::<Vec<_>>();
        let arrays = build::build(&all, &corners);
        let leaves = arrays.packets.iter().map(|packet| SweptLeaf::over(packet.triangles)).collect();
        let nodes = arrays.nodes.iter().map(SweptNode::like).collect();
        let mut tree = Self { nodes, leaves, vertices: vec![SweptBox::EMPTY; vertices.len()], origin };
        tree.refit(triangles, vertices, vertices);
        tree
    }

    /// Refits the boxes to the paths from `start` to `end`.
    pub(crate) fn refit(&mut self, triangles: &[[u32; 3]], start: &[Point3<f64>], end: &[Point3<f64>]) {
        // About the middle of the step, where single precision is finest.
        self.origin = middle(start.iter().chain(end));
        let (origin, vertices) = (self.origin, &mut self.vertices);
        parallel::for_each_mut(vertices, TASK, |i, slot| {
            *slot = SweptBox::around(&(start[i] - origin), &(end[i] - origin));
        });
        let vertices = &self.vertices;
        parallel::for_each_mut(&mut self.leaves, TASK, |_, leaf| leaf.refit(triangles, vertices));
        // Children follow their parents: in reverse their boxes are already refitted.
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

    /// The leaves below each node, which are consecutive.
    pub(crate) fn leaf_ranges(&self) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = vec![0..0; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let of_children = self.nodes[index].children.into_iter().flatten().map(|child| match child {
                Child::Inner(child) => ranges[child as usize].clone(),
                Child::Leaf(leaf) => leaf..leaf + 1,
            });
            let whole = of_children.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            ranges[index] = whole.expect("a node has at least one child");
        }
        ranges
    }

    /// Swept box of a vertex.
    #[inline(always)]
    pub(crate) fn vertex(&self, index: u32) -> &SweptBox {
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
        Self { boxes: [SweptBox::EMPTY; PACKET], triangles }
    }

    fn refit(&mut self, triangles: &[[u32; 3]], vertices: &[SweptBox]) {
        for lane in 0..PACKET {
            if self.triangles[lane] == NONE {
                continue;
            }
            let [a, b, c] = triangles[self.triangles[lane] as usize];
            let ab = vertices[a as usize].union(&vertices[b as usize]);
            self.boxes[lane] = ab.union(&vertices[c as usize]);
        }
    }

    pub(crate) fn hull(&self) -> Bounds {
        let [a, b, c, d] = &self.boxes;
        a.union(b).union(&c.union(d)).bounds()
    }
}

impl SweptBox {
    pub(crate) const EMPTY: Self = {
        const FAR: f32 = f32::INFINITY;
        Self([FAR, FAR, FAR, 0.0, FAR, FAR, FAR, 0.0])
    };

    /// The box around a path. Rounding of the differences to the origin is monotonic, so it never changes their order.
    #[inline(always)]
    fn around(start: &Vector3<f64>, end: &Vector3<f64>) -> Self {
        let mut swept = Self::EMPTY;
        for axis in 0..3 {
            let (low, high) =
                if start[axis] < end[axis] { (start[axis], end[axis]) } else { (end[axis], start[axis]) };
            swept.0[axis] = outwards(low, -1.0);
            swept.0[4 + axis] = -outwards(high, 1.0);
        }
        swept
    }

    /// The box around two boxes.
    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        for lane in 0..8 {
            union.0[lane] = if other.0[lane] < union.0[lane] { other.0[lane] } else { union.0[lane] };
        }
        union
    }

    pub(crate) fn bounds(&self) -> Bounds {
        let [x, y, z, _, p, q, r, _] = self.0;
        Bounds { min: [x, y, z], max: [-p, -q, -r] }
    }

    /// The box moved by `shift` and grown by `margin` [m] on all sides, rounded outwards.
    pub(crate) fn moved(&self, shift: &Vector3<f64>, margin: f64) -> Self {
        let Bounds { min: [x, y, z], max: [p, q, r] } = moved(&self.bounds(), shift, margin);
        Self([x, y, z, 0.0, -p, -q, -r, 0.0])
    }

    /// The box as the other operand of [`SweptBox::overlaps`].
    #[inline(always)]
    pub(crate) fn as_query(&self) -> BoxQuery {
        let [x, y, z, _, p, q, r, _] = self.0;
        BoxQuery([-p, -q, -r, 0.0, -x, -y, -z, 0.0])
    }

    /// Whether the boxes overlap (touching counts).
    #[inline(always)]
    pub(crate) fn overlaps<I: Isa>(&self, other: &BoxQuery) -> bool {
        I::Single::load(&self.0).less_or_equal(I::Single::load(&other.0)).bits() == 0xff
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

/// A box moved by `shift` and grown by `margin` [m] on all sides, rounded outwards.
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

/// `x` rounded to single precision in the direction of `sign`.
#[inline(always)]
pub(crate) fn outwards(x: f64, sign: f32) -> f32 {
    let rounded = x as f32;
    rounded + sign * (rounded.abs() * OUTWARDS + OUTWARDS_AT_ZERO)
}
