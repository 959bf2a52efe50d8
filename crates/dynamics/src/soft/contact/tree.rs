//! A compact bounding volume hierarchy of boxes that is refitted as its mesh deforms.
//!
//! The nodes are stored in depth-first order, each with the index of the first node after its subtree (a skip pointer): a query
//! is one loop without a stack, and a refit one pass from the back. The topology of the tree stays that of the mesh at rest.

use extricate_core::parallel;
use nalgebra::Vector3;

/// Minimum number of boxes that a thread refits at a time: some microseconds of work. Changes time only; no effect on
/// the sets of docs/sensitivity.md.
const BOXES: usize = 2048;

/// Maximum number of primitives in a leaf: with fewer than four there are more nodes, with more of them more tests in
/// leaves. Half and twice change none of 5 runs and the instructions of a deep overlap by +0.2 % and −0.2 %
/// (docs/sensitivity.md).
const LEAF: usize = 4;

/// An axis-aligned box [m].
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
}

impl Bounds {
    const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Smallest box around the points.
    pub(super) fn of(points: impl IntoIterator<Item = Vector3<f64>>) -> Self {
        points.into_iter().fold(Self::EMPTY, |mut bounds, p| {
            for k in 0..3 {
                bounds.min[k] = bounds.min[k].min(p[k]);
                bounds.max[k] = bounds.max[k].max(p[k]);
            }
            bounds
        })
    }

    /// The box grown by `by` [m] on each side.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self { min: self.min.map(|x| x - by), max: self.max.map(|x| x + by) }
    }

    fn union(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.min[k] = both.min[k].min(other.min[k]);
            both.max[k] = both.max[k].max(other.max[k]);
        }
        both
    }

    /// Whether the segment between two ends intersects the box (slab test).
    pub(super) fn is_crossed(&self, [a, b]: &[Vector3<f64>; 2]) -> bool {
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let (along, low, high) = (b[k] - a[k], self.min[k] - a[k], self.max[k] - a[k]);
            if along.abs() > 0.0 {
                let [s, t] = [low / along, high / along];
                start = start.max(s.min(t));
                end = end.min(s.max(t));
            } else if low > 0.0 || high < 0.0 {
                return false;
            }
        }
        start <= end
    }

    /// Whether the boxes intersect.
    pub(super) fn meets(&self, other: &Self) -> bool {
        // Without branches: the axis that separates two boxes is unpredictable.
        let mut meets = true;
        for k in 0..3 {
            meets &= (self.min[k] <= other.max[k]) & (other.min[k] <= self.max[k]);
        }
        meets
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Bounds,
    /// The first node after this one's subtree.
    skip: u32,
    /// Start in `order`; used in leaves only.
    first: u32,
    /// Number of primitives, 0 in inner nodes.
    count: u32,
}

/// Bounding volume hierarchy over primitives (tetrahedra or triangles).
#[derive(Debug, Clone)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    /// Box of each entry of `order`.
    boxes: Vec<Bounds>,
}

impl BoxTree {
    /// A tree over primitives with `corners` at `x`.
    pub(super) fn new<const N: usize>(corners: &[[u32; N]], x: &[Vector3<f64>]) -> Self {
        let centres: Vec<Vector3<f64>> =
            corners.iter().map(|c| c.iter().map(|&i| x[i as usize]).sum::<Vector3<f64>>()).collect();
        let mut order: Vec<u32> = (0_u32..).take(corners.len()).collect();
        let mut nodes = Vec::with_capacity(corners.len());
        if !order.is_empty() {
            split(&mut order, 0, &centres, &mut nodes);
        }
        let boxes = vec![Bounds::EMPTY; order.len()];
        let mut tree = Self { nodes, order, boxes };
        tree.refit(corners, x);
        tree
    }

    /// Refits all boxes to the corners at `x` in O(n).
    pub(super) fn refit<const N: usize>(&mut self, corners: &[[u32; N]], x: &[Vector3<f64>]) {
        let order = &self.order;
        parallel::for_each_mut(&mut self.boxes, BOXES, |index, bounds| {
            *bounds = Bounds::of(corners[order[index] as usize].map(|i| x[i as usize]));
        });
        // Children follow their parent, so a pass from the back meets them first.
        for at in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[at];
            self.nodes[at].bounds = if count > 0 {
                let places = first as usize..(first + count) as usize;
                self.boxes[places].iter().fold(Bounds::EMPTY, |all, one| all.union(one))
            } else {
                let left = self.nodes[at + 1];
                left.bounds.union(&self.nodes[left.skip as usize].bounds)
            };
        }
    }

    /// The box around everything.
    pub(super) fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(Bounds::EMPTY, |root| root.bounds)
    }

    /// Calls `visit` with each primitive whose box intersects `bounds`, and with that box.
    pub(super) fn for_each(&self, bounds: &Bounds, mut visit: impl FnMut(u32, &Bounds)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !node.bounds.meets(bounds) {
                at = node.skip as usize;
                continue;
            }
            for place in node.first as usize..(node.first + node.count) as usize {
                if self.boxes[place].meets(bounds) {
                    visit(self.order[place], &self.boxes[place]);
                }
            }
            at += 1;
        }
    }
}

/// Appends the subtree over `order`, which starts at place `first`, split at the median of its widest axis.
fn split(order: &mut [u32], first: u32, centres: &[Vector3<f64>], nodes: &mut Vec<Node>) {
    let at = nodes.len();
    let leaf = order.len() <= LEAF;
    let count = if leaf { index(order.len()) } else { 0 };
    nodes.push(Node { bounds: Bounds::EMPTY, skip: 0, first, count });
    if !leaf {
        let around = Bounds::of(order.iter().map(|&i| centres[i as usize]));
        let width = |k: usize| around.max[k] - around.min[k];
        let axis = (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best });
        let half = order.len() / 2;
        let coordinate = |i: u32| centres[i as usize][axis];
        order.select_nth_unstable_by(half, |&a, &b| coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(&b)));
        let (left, right) = order.split_at_mut(half);
        split(left, first, centres, nodes);
        split(right, first + index(half), centres, nodes);
    }
    nodes[at].skip = index(nodes.len());
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("meshes have fewer than 2³² elements")
}
