//! Building the tree: binned surface-area splits, eight children at a time, subtrees in parallel.
//!
//! The shape of the tree depends on the triangles alone, not on the number of threads.

use nalgebra::Point3;
use rayon::prelude::*;

use super::node::{Bounds, Child, Node, PACKET, Packet, WIDTH};

/// Bins of a split. Sixteen cost a third more build time for under 1 % fewer visits.
const BINS: usize = 12;
/// Subtrees of at most this many triangles are built as one parallel task.
const TASK: usize = 4096;
/// Ranges of at most this many triangles are halved by count, to fill the packets.
const MEDIAN: usize = 4 * PACKET;

/// A triangle as the builder sees it.
#[derive(Clone, Copy)]
struct Item {
    bounds: Bounds,
    center: [f32; 3],
    triangle: u32,
}

/// Nodes and leaves; the root is node 0.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) nodes: Vec<Node>,
    pub(super) packets: Vec<Packet>,
}

/// Builds the tree over `triangles`, whose corners `corners` gives in the frame of the tree.
pub(super) fn build<F>(triangles: &[u32], corners: &F) -> Arrays
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let item = |&triangle: &u32| {
        let bounds = Bounds::of_triangle(&corners(triangle));
        let center = std::array::from_fn(|k| 0.5 * bounds.min[k] + 0.5 * bounds.max[k]);
        Item { bounds, center, triangle }
    };
    let mut items = triangles.par_iter().with_min_len(TASK).map(item).collect::<Vec<_>>();
    let mut arrays = Arrays::default();
    if items.len() <= PACKET {
        let mut root = Node::EMPTY;
        push_leaf(&mut arrays, &mut root, 0, &items, corners);
        arrays.nodes.push(root);
    } else {
        subtree(&mut arrays, &mut items, corners);
    }
    arrays
}

/// Appends the subtree over `items` and returns its root's index and box.
fn subtree<F>(arrays: &mut Arrays, items: &mut [Item], corners: &F) -> (u32, Bounds)
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let index = arrays.nodes.len();
    arrays.nodes.push(Node::EMPTY);
    let in_parallel = items.len() > TASK;
    let mut node = Node::EMPTY;
    if in_parallel {
        let parts = split_in_parallel(items)
            .into_par_iter()
            .map(|part| {
                let mut own = Arrays::default();
                if part.len() > PACKET {
                    subtree(&mut own, part, corners);
                } else {
                    own.packets.push(packet(part, corners));
                }
                own
            })
            .collect::<Vec<_>>();
        for (lane, part) in parts.into_iter().enumerate() {
            append(arrays, &mut node, lane, part);
        }
    } else {
        for (lane, part) in split(items).into_iter().flatten().enumerate() {
            if part.len() > PACKET {
                let (child, bounds) = subtree(arrays, part, corners);
                node.set(lane, Child::Inner(child), &bounds);
            } else {
                push_leaf(arrays, &mut node, lane, part, corners);
            }
        }
    }
    let bounds = node.hull();
    arrays.nodes[index] = node;
    (as_index(index), bounds)
}

fn split_in_parallel(items: &mut [Item]) -> Vec<&mut [Item]> {
    split(items).into_iter().flatten().collect()
}

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

fn push_leaf<F>(arrays: &mut Arrays, node: &mut Node, lane: usize, items: &[Item], corners: &F)
where
    F: Fn(u32) -> [Point3<f64>; 3] + Sync,
{
    let bounds = items.iter().fold(Bounds::EMPTY, |hull, item| hull.union(&item.bounds));
    node.set(lane, Child::Leaf(as_index(arrays.packets.len())), &bounds);
    arrays.packets.push(packet(items, corners));
}

/// Moves a subtree that was built on its own behind the others and hangs it into `lane` of `node`.
fn append(arrays: &mut Arrays, node: &mut Node, lane: usize, part: Arrays) {
    let (nodes, packets) = (as_index(arrays.nodes.len()), as_index(arrays.packets.len()));
    let child = match part.nodes.first() {
        Some(root) => (Child::Inner(nodes), root.hull()),
        None => (Child::Leaf(packets), part.packets[0].bounds()),
    };
    node.set(lane, child.0, &child.1);
    arrays.nodes.extend(part.nodes.into_iter().map(|mut moved| {
        for lane in 0..WIDTH {
            let bounds = moved.bounds(lane);
            match moved.child(lane) {
                Some(Child::Inner(index)) => moved.set(lane, Child::Inner(index + nodes), &bounds),
                Some(Child::Leaf(index)) => moved.set(lane, Child::Leaf(index + packets), &bounds),
                None => {}
            }
        }
        moved
    }));
    arrays.packets.extend(part.packets);
}

fn as_index(count: usize) -> u32 {
    u32::try_from(count).expect("a mesh has fewer than 2³¹ triangles, and a tree fewer nodes than triangles")
}

/// Cuts `items` into up to eight parts, the costliest part first.
fn split(items: &mut [Item]) -> [Option<&mut [Item]>; WIDTH] {
    let mut parts: [Option<&mut [Item]>; WIDTH] = Default::default();
    let mut costs = [f32::NEG_INFINITY; WIDTH];
    costs[0] = cost(items);
    parts[0] = Some(items);
    for count in 1..WIDTH {
        let costliest = (0..count).max_by(|&i, &j| costs[i].total_cmp(&costs[j])).expect("at least one part");
        if costs[costliest] < 0.0 {
            break;
        }
        let (left, right) = halve(parts[costliest].take().expect("every part below `count` is there"));
        costs[costliest] = cost(left);
        costs[count] = cost(right);
        parts[costliest] = Some(left);
        parts[count] = Some(right);
    }
    parts
}

/// How much a split of this part would help; negative when it is a leaf already.
fn cost(items: &[Item]) -> f32 {
    if items.len() <= PACKET {
        return -1.0;
    }
    let hull = items.iter().fold(Bounds::EMPTY, |hull, item| hull.union(&item.bounds));
    let count = items.len() as f32;
    hull.half_area().max(0.0) * count
}

/// Cuts a range in two non-empty parts.
fn halve(items: &mut [Item]) -> (&mut [Item], &mut [Item]) {
    let mut centers = Bounds::EMPTY;
    for item in &*items {
        centers = centers.union(&Bounds { min: item.center, max: item.center });
    }
    if items.len() > MEDIAN
        && let Some((axis, threshold)) = binned_split(items, &centers)
    {
        let middle = partition(items, |item| bin(item, &centers, axis) < threshold);
        if middle > 0 && middle < items.len() {
            return items.split_at_mut(middle);
        }
    }
    let extent = |k: &usize| centers.max[*k] - centers.min[*k];
    let axis = (0..3).max_by(|i, j| extent(i).total_cmp(&extent(j))).expect("three axes");
    let middle = (items.len() / 2).next_multiple_of(PACKET).min(items.len() - 1);
    items.select_nth_unstable_by(middle, |a, b| {
        a.center[axis].total_cmp(&b.center[axis]).then(a.triangle.cmp(&b.triangle))
    });
    items.split_at_mut(middle)
}

#[inline(always)]
fn bin(item: &Item, centers: &Bounds, axis: usize) -> usize {
    let scale = BINS as f32 / (centers.max[axis] - centers.min[axis]);
    let bin = ((item.center[axis] - centers.min[axis]) * scale) as usize;
    bin.min(BINS - 1)
}

/// Axis and first bin of the right side of the best surface-area split, if any axis has an extent.
fn binned_split(items: &[Item], centers: &Bounds) -> Option<(usize, usize)> {
    let mut best = None;
    let mut least = f32::INFINITY;
    for axis in 0..3 {
        if !(centers.max[axis] - centers.min[axis] > f32::MIN_POSITIVE) {
            continue;
        }
        let mut bins = [(Bounds::EMPTY, 0_u32); BINS];
        for item in items {
            let slot = &mut bins[bin(item, centers, axis)];
            *slot = (slot.0.union(&item.bounds), slot.1 + 1);
        }
        let mut right = [(Bounds::EMPTY, 0_u32); BINS + 1];
        for i in (0..BINS).rev() {
            right[i] = (right[i + 1].0.union(&bins[i].0), right[i + 1].1 + bins[i].1);
        }
        let mut left = (Bounds::EMPTY, 0_u32);
        for i in 1..BINS {
            left = (left.0.union(&bins[i - 1].0), left.1 + bins[i - 1].1);
            if left.1 == 0 || right[i].1 == 0 {
                continue;
            }
            let cost = left.0.half_area() * left.1 as f32 + right[i].0.half_area() * right[i].1 as f32;
            if cost < least {
                least = cost;
                best = Some((axis, i));
            }
        }
    }
    best
}

/// Moves the items that satisfy the predicate to the front, keeping their order deterministic; returns their count.
fn partition(items: &mut [Item], goes_left: impl Fn(&Item) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        if goes_left(&items[i]) {
            items.swap(i, left);
            left += 1;
        }
    }
    left
}
