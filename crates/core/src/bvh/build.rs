//! Top-down construction: binned surface-area heuristic (SAH), eight children per node, subtrees in parallel.
//!
//! The shape of the tree depends on the triangles alone, not on the number of threads.

use nalgebra::Point3;
use rayon::prelude::*;

use super::growth::{Arrays, PartialTree, as_index};
use super::node::{Child, Node, WIDTH};
use super::packet::{Bounds, PACKET, Packet};
use crate::parallel;

/// Bins per axis of an SAH split. Sixteen cost a third more build time for under 1 % fewer node visits.
const BINS: usize = 12;
/// Subtrees of at most this many triangles are built sequentially as one parallel task: smaller tasks balance the
/// threads better and cost more scheduling. The tree does not depend on it.
const TASK: usize = 4096;
/// Ranges of at most this many triangles are split at the median, which fills the packets; a larger value trades
/// tighter boxes for fuller leaves.
const MEDIAN: usize = 4 * PACKET;

/// Box and index of a triangle during construction.
#[derive(Clone, Copy)]
struct Item {
    bounds: Box4,
    triangle: u32,
}

/// Nodes and packets of the tree over `triangles`; `corners` returns a triangle's corners in the frame of the tree. The
/// last node holds the root in its first lane.
pub(super) fn build<F>(triangles: &[u32], corners: &F) -> Arrays
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let item =
        |&triangle: &u32| Item { bounds: Box4::new(&Bounds::of_triangle(&corners(triangle))), triangle };
    let mut items = parallel::map_slice(triangles, TASK, item);
    let whole = Part::new(&mut items);
    let mut top = Node::EMPTY;
    top.set(0, Child::Inner(0), &whole.hull.bounds());
    let grown = if whole.items.len() > PACKET {
        grow(whole, corners)
    } else {
        let (mut arrays, mut root) = (Arrays::default(), Node::EMPTY);
        push_leaf(&mut arrays, &mut root, 0, &whole, corners);
        arrays.nodes.push(root);
        PartialTree::piece(arrays)
    };
    drop(items);
    grown.into_arrays(top)
}

/// Builds the subtree over a part of more than one packet, in parallel above [`TASK`] triangles.
fn grow<F>(part: Part<'_>, corners: &F) -> PartialTree
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    if part.items.len() <= TASK {
        let count = part.items.len();
        // Capacity for leaves that are three quarters full and nodes with five of them.
        let (nodes, packets) = (Vec::with_capacity(count / 15 + 1), Vec::with_capacity(count / 3 + 1));
        let mut arrays = Arrays { nodes, packets };
        subtree(&mut arrays, part, corners);
        return PartialTree::piece(arrays);
    }
    let parts = split(part).collect::<Vec<_>>().into_par_iter();
    let children = parts.map(|part| {
        let bounds = part.hull.bounds();
        let grown = if part.items.len() > PACKET {
            grow(part, corners)
        } else {
            PartialTree::piece(Arrays { nodes: Vec::new(), packets: vec![packet(part.items, corners)] })
        };
        (grown, bounds)
    });
    PartialTree::above(children.collect())
}

/// Appends the subtree over a part and returns its root's index.
fn subtree<F>(arrays: &mut Arrays, part: Part<'_>, corners: &F) -> u32
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let index = arrays.nodes.len();
    arrays.nodes.push(Node::EMPTY);
    let mut node = Node::EMPTY;
    for (lane, part) in split(part).enumerate() {
        if part.items.len() > PACKET {
            let bounds = part.hull.bounds();
            let child = subtree(arrays, part, corners);
            node.set(lane, Child::Inner(child), &bounds);
        } else {
            push_leaf(arrays, &mut node, lane, &part, corners);
        }
    }
    arrays.nodes[index] = node;
    as_index(index)
}

/// The leaf of up to four triangles.
fn packet<F>(items: &[Item], corners: &F) -> Packet
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let mut triangles = [0; PACKET];
    for (slot, item) in triangles.iter_mut().zip(items) {
        *slot = item.triangle;
    }
    Packet::new(&triangles[..items.len()], corners)
}

/// Appends a leaf and links it to a lane of `node`.
fn push_leaf<F>(arrays: &mut Arrays, node: &mut Node, lane: usize, part: &Part<'_>, corners: &F)
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    node.set(lane, Child::Leaf(as_index(arrays.packets.len())), &part.hull.bounds());
    arrays.packets.push(packet(part.items, corners));
}

/// A range of items with its boxes.
struct Part<'a> {
    items: &'a mut [Item],
    /// Box around the triangles.
    hull: Box4,
    /// Box around the doubled centres of the triangles' boxes.
    centers: Box4,
}

/// Splits a part into up to eight, always splitting the costliest remaining one.
fn split(part: Part<'_>) -> impl Iterator<Item = Part<'_>> {
    let mut parts: [Option<Part<'_>>; WIDTH] = Default::default();
    let mut costs = [f32::NEG_INFINITY; WIDTH];
    costs[0] = part.cost();
    parts[0] = Some(part);
    for count in 1..WIDTH {
        let costliest = (0..count).max_by(|&i, &j| costs[i].total_cmp(&costs[j])).expect("at least one part");
        // Only leaves remain.
        if costs[costliest] < 0.0 {
            break;
        }
        let (left, right) = parts[costliest].take().expect("every part below `count` is there").halve();
        (costs[costliest], costs[count]) = (left.cost(), right.cost());
        (parts[costliest], parts[count]) = (Some(left), Some(right));
    }
    parts.into_iter().flatten()
}

impl<'a> Part<'a> {
    fn new(items: &'a mut [Item]) -> Self {
        let (mut hull, mut centers) = (Box4::EMPTY, Box4::EMPTY);
        for item in &*items {
            hull.include(&item.bounds);
            centers.include_point(&item.bounds.doubled_center());
        }
        Self { items, hull, centers }
    }

    /// SAH cost of this part, half area times triangles, by which parts are chosen to be split; negative when it fits a
    /// leaf.
    fn cost(&self) -> f32 {
        if self.items.len() <= PACKET {
            return -1.0;
        }
        self.hull.half_area().max(0.0) * self.items.len() as f32
    }

    /// Splits the part into two that are not empty.
    fn halve(self) -> (Self, Self) {
        if self.items.len() > MEDIAN
            && let Some(plane) = self.best_plane()
        {
            return self.cut(&plane);
        }
        let extent = |k: &usize| self.centers.max[*k] - self.centers.min[*k];
        let axis = (0..3).max_by(|i, j| extent(i).total_cmp(&extent(j))).expect("three axes");
        // A whole number of packets on the left: only the last leaf of a range is not full.
        let middle = (self.items.len() / 2).next_multiple_of(PACKET).min(self.items.len() - 1);
        self.items.select_nth_unstable_by(middle, |a, b| {
            let [x, y] = [a, b].map(|item| item.bounds.min[axis] + item.bounds.max[axis]);
            x.total_cmp(&y).then(a.triangle.cmp(&b.triangle))
        });
        let (left, right) = self.items.split_at_mut(middle);
        (Self::new(left), Self::new(right))
    }

    /// The plane of minimum SAH cost between two bins, if the centres have any extent.
    fn best_plane(&self) -> Option<Plane> {
        let grid = Grid::new(&self.centers);
        // All three axes in one pass: the items are read once.
        let mut bins = [[(Box4::EMPTY, 0_u32); BINS]; 3];
        for item in &*self.items {
            let places = grid.bins(&item.bounds);
            for axis in 0..3 {
                let bin = &mut bins[axis][places[axis] as usize];
                bin.0.include(&item.bounds);
                bin.1 += 1;
            }
        }
        let mut best = None;
        let mut min = f32::INFINITY;
        for axis in 0..3 {
            if let Some((cost, first_right)) = min_cost(&bins[axis])
                && cost < min
            {
                min = cost;
                best = Some(Plane { grid, axis, first_right });
            }
        }
        best
    }

    /// Partitions the items at the plane, those on its left first; their order depends on the input order alone.
    fn cut(self, plane: &Plane) -> (Self, Self) {
        let mut around = [[Box4::EMPTY; 2]; 2];
        let mut left = 0;
        for i in 0..self.items.len() {
            let bounds = self.items[i].bounds;
            let is_left = plane.grid.bins(&bounds)[plane.axis] < plane.first_right;
            let [hull, centers] = &mut around[usize::from(!is_left)];
            hull.include(&bounds);
            centers.include_point(&bounds.doubled_center());
            if is_left {
                self.items.swap(i, left);
                left += 1;
            }
        }
        let parts = self.items.split_at_mut(left);
        let [of_left, of_right] = around;
        let part = |items, [hull, centers]: [Box4; 2]| Self { items, hull, centers };
        (part(parts.0, of_left), part(parts.1, of_right))
    }
}

/// SAH cost of the cheapest split of a row of bins and the first bin on its right, if two of them are occupied.
fn min_cost(bins: &[(Box4, u32); BINS]) -> Option<(f32, u32)> {
    // Suffix sums first, so that one sweep from the left evaluates every split.
    let mut right = [(Box4::EMPTY, 0_u32); BINS + 1];
    for i in (0..BINS).rev() {
        right[i] = (right[i + 1].0.union(&bins[i].0), right[i + 1].1 + bins[i].1);
    }
    let mut best: Option<(f32, u32)> = None;
    let mut left = (Box4::EMPTY, 0_u32);
    for i in 1..BINS {
        left = (left.0.union(&bins[i - 1].0), left.1 + bins[i - 1].1);
        // Both sides must get items, or the recursion would not end.
        if left.1 == 0 || right[i].1 == 0 {
            continue;
        }
        let cost = left.0.half_area() * left.1 as f32 + right[i].0.half_area() * right[i].1 as f32;
        if best.is_none_or(|(min, _)| cost < min) {
            best = Some((cost, i as u32));
        }
    }
    best
}

/// A plane between two bins of one axis.
struct Plane {
    grid: Grid,
    axis: usize,
    first_right: u32,
}

/// Bins between the minimum and the maximum doubled centre on every axis.
#[derive(Clone, Copy)]
struct Grid {
    origin: [f32; 4],
    scale: [f32; 4],
}

impl Grid {
    fn new(centers: &Box4) -> Self {
        let scale = |k: usize| {
            let extent = centers.max[k] - centers.min[k];
            // An axis without extent puts all items into the first bin, so that it offers no split.
            if extent > f32::MIN_POSITIVE { (BINS - 1) as f32 / extent } else { 0.0 }
        };
        Self { origin: centers.min, scale: [scale(0), scale(1), scale(2), 0.0] }
    }

    /// The bin on each axis; the fourth number is unused.
    #[inline(always)]
    fn bins(&self, bounds: &Box4) -> [u32; 4] {
        /// 2²³: adding it rounds a small positive number to an integer in the lowest bits of the sum.
        const ROUND: f32 = 8_388_608.0;
        let center = bounds.doubled_center();
        let mut bins = [0; 4];
        for k in 0..4 {
            let place = (center[k] - self.origin[k]) * self.scale[k] + ROUND;
            bins[k] = (place.to_bits() & 0xf).min(BINS as u32 - 1);
        }
        bins
    }
}

/// A box whose fourth coordinate is padding, so that a corner fills one SIMD register of four.
#[derive(Clone, Copy)]
struct Box4 {
    min: [f32; 4],
    max: [f32; 4],
}

impl Box4 {
    const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    fn new(bounds: &Bounds) -> Self {
        let ([x, y, z], [u, v, w]) = (bounds.min, bounds.max);
        Self { min: [x, y, z, 0.0], max: [u, v, w, 0.0] }
    }

    fn bounds(&self) -> Bounds {
        let ([x, y, z, _], [u, v, w, _]) = (self.min, self.max);
        Bounds { min: [x, y, z], max: [u, v, w] }
    }

    #[inline(always)]
    fn doubled_center(&self) -> [f32; 4] {
        std::array::from_fn(|k| self.min[k] + self.max[k])
    }

    #[inline(always)]
    fn include(&mut self, other: &Self) {
        for k in 0..4 {
            self.min[k] = if other.min[k] < self.min[k] { other.min[k] } else { self.min[k] };
            self.max[k] = if other.max[k] > self.max[k] { other.max[k] } else { self.max[k] };
        }
    }

    #[inline(always)]
    fn include_point(&mut self, point: &[f32; 4]) {
        self.include(&Self { min: *point, max: *point });
    }

    #[inline(always)]
    fn union(mut self, other: &Self) -> Self {
        self.include(other);
        self
    }

    /// Half the surface area.
    #[inline(always)]
    fn half_area(&self) -> f32 {
        self.bounds().half_area()
    }
}
