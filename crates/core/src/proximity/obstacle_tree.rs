//! Translational obstacles of two models in fixed orientations, in a tree that is expanded lazily by queries.
//!
//! The translations q of A relative to its initial pose form a configuration space in which every pair of subtrees is
//! an obstacle: the set of q at which the two overlap. Its bounding slabs, along the axes of both frames and across the
//! layers of both, do not depend on the path of a query, so they are computed once; every further cast or march through
//! the same region intersects a ray with stored slabs.
//!
//! A record holds the eight obstacles of one subtree against the children of another. The motion in each frame is that
//! of the other model: q in the frame of B, and −Rᵀq in the frame of A.

use std::cell::Cell;
use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::model::Model;
use super::relative_pose::{RelativePose, RoundedPose};
use super::work_limit::WorkLimit;
use crate::bvh::lanes::isa::{Isa, Portable, Single};
use crate::bvh::node::{Child, Node, Volume, WIDTH};
use crate::bvh::packet::{Layer, Packet};
use crate::bvh::tree::{Subtree, TriangleBvh};

/// Maximum number of records, after which the tree is cleared: a bound on memory (about 20 MB). Fewer are computed
/// again more often.
const RECORDS: usize = 1 << 15;
/// Ratio of the areas of B's and A's subtrees beyond which B's is expanded first. Expanding A first makes the pairs of
/// one leaf of A consecutive, so that the leaf is transformed only once: 4 to 8 % fewer instructions than with 1, on
/// round bodies 3 % more.
const A_FIRST: f32 = 4.0;
/// Marks an obstacle that has not been expanded.
const CLOSED: u32 = u32::MAX;

/// Range of the motion along one axis within which each of eight obstacles is hit [m].
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Slab {
    pub(crate) low: [f32; WIDTH],
    pub(crate) high: [f32; WIDTH],
}

/// Eight obstacles: one subtree against the children of another.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub(crate) struct Record {
    /// Along the axes of the frame of the children.
    pub(crate) own: [Slab; 3],
    /// Along the axes of the frame of the other subtree.
    pub(crate) other: [Slab; 3],
    /// Across the layer of each child, in the frame of the children.
    pub(crate) layers: Slab,
    pub(crate) normals: [[f32; WIDTH]; 3],
    /// Across the layer of the other subtree, in the frame of the children.
    pub(crate) layer: Slab,
    pub(crate) normal: [f32; 3],
    /// Whether the other subtree has a layer.
    pub(crate) has_layer: bool,
    /// The model whose children they are: 0 for A, 1 for B.
    pub(crate) side: usize,
    /// The record that has this one as an expanded obstacle; of the first one, itself.
    parent: u32,
    subtrees: [[Subtree; WIDTH]; 2],
    opened: [u32; WIDTH],
}

impl Record {
    /// The subtrees of A and of B whose obstacle is in a lane.
    #[inline(always)]
    pub(crate) fn subtrees(&self, lane: usize) -> [Subtree; 2] {
        [self.subtrees[0][lane], self.subtrees[1][lane]]
    }
}

/// A query that a traversal of the obstacles answers.
pub(crate) trait Probe {
    /// Cost of each obstacle: a lower bound of the objective that the query minimises, infinite where it cannot matter.
    fn costs<I: Isa>(&self, obstacles: &Record) -> [f32; WIDTH];

    /// Upper bound on the cost: obstacles that cost more are pruned. It may decrease during the traversal.
    fn bound(&self) -> f32;

    /// Visits all pairs of triangles of two leaves, given with their index in the tree; [`ControlFlow::Break`] ends the
    /// traversal.
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()>;
}

/// Scratch memory that outlives a tree.
#[derive(Debug, Default)]
struct Scratch {
    records: Vec<Record>,
    stack: Vec<(f32, u32)>,
    /// Pairs of leaves with the first contacts of the last casts, the last one first.
    recent: Vec<[u32; 2]>,
}

thread_local! {
    /// The scratch memory of this thread's last tree, reused so that a warm query allocates nothing.
    static SCRATCH: Cell<Option<Scratch>> = const { Cell::new(None) };
}

/// The obstacles of two models in one relative orientation.
#[derive(Debug)]
pub(crate) struct ObstacleTree<'a> {
    trees: [&'a TriangleBvh; 2],
    a_to_b: RelativePose,
    b_to_a: RelativePose,
    rounded_a_to_b: RoundedPose,
    rounded_b_to_a: RoundedPose,
    margin: f64,
    /// The record of the pair of leaves at which the last query ended early; 0 for none.
    ended_at: u32,
    /// The pair of leaves that each step of the marches left last, if wanted.
    pub(crate) left: Option<Vec<[u32; 2]>>,
    /// Bound on the work of all queries. Once it is spent, traversals end at once, and what they did not find is unknown.
    pub(crate) limit: WorkLimit,
    scratch: Scratch,
}

impl Drop for ObstacleTree<'_> {
    fn drop(&mut self) {
        SCRATCH.set(Some(std::mem::take(&mut self.scratch)));
    }
}

impl<'a> ObstacleTree<'a> {
    /// The obstacles of A at the pose `a_to_b`; queries count gaps of at most `margin` [m] as contacts.
    pub(crate) fn new(a: &'a Model, b: &'a Model, a_to_b: &RelativePose, margin: f64) -> Self {
        let b_to_a = a_to_b.inverse();
        let mut scratch = SCRATCH.take().unwrap_or_default();
        scratch.records.clear();
        scratch.recent.clear();
        Self {
            trees: [a.bvh(), b.bvh()],
            a_to_b: *a_to_b,
            b_to_a,
            rounded_a_to_b: RoundedPose::new(a_to_b, margin),
            rounded_b_to_a: RoundedPose::new(&b_to_a, margin),
            margin,
            ended_at: 0,
            left: None,
            limit: WorkLimit::NONE,
            scratch,
        }
    }

    /// Pose of A at q = 0.
    pub(crate) fn a_to_b(&self) -> &RelativePose {
        &self.a_to_b
    }

    /// The relative motion `q` [m, frame of B] as the motion of B in the frame of A, and of A in the frame of B.
    pub(crate) fn motions(&self, q: &Vector3<f64>) -> [Vector3<f64>; 2] {
        [-(self.b_to_a.rotation * q), *q]
    }

    /// Traverses depth first, cheaper obstacles first, on the widest instruction set of the machine.
    pub(crate) fn probe<P: Probe>(&mut self, probe: &mut P) {
        // Only between queries: indices of records are on the stack during one.
        if self.scratch.records.len() > RECORDS {
            self.scratch.records.clear();
            self.ended_at = 0;
        }
        self.probe_below(0, probe);
    }

    /// As [`ObstacleTree::probe`], restricted to the neighbourhood of the pair at which the last query ended early.
    pub(crate) fn probe_nearby<P: Probe>(&mut self, probe: &mut P) {
        /// Levels above that pair: some hundred pairs of leaves. More cost time where the neighbourhood is free.
        const LEVELS: u32 = 2;
        if self.ended_at != 0 {
            let up = |record, _| self.scratch.records[record as usize].parent;
            self.probe_below((0..LEVELS).fold(self.ended_at, up), probe);
        }
    }

    /// Pairs of leaves with the first contacts of the last casts, the last one first.
    pub(crate) fn recent(&self) -> &[[u32; 2]] {
        &self.scratch.recent
    }

    /// Stores a pair of leaves with the first contact of a cast.
    pub(crate) fn remember(&mut self, leaves: [u32; 2]) {
        /// Number of pairs that are stored: more than the contacts that determine a local optimum.
        const RECENT: usize = 4;
        let recent = &mut self.scratch.recent;
        recent.retain(|other| *other != leaves);
        recent.truncate(RECENT - 1);
        recent.insert(0, leaves);
    }

    /// Lets a query visit these pairs of leaves without a traversal, until it ends; pairs that the trees do not have are skipped.
    pub(crate) fn visit<P: Probe>(&self, pairs: &[[u32; 2]], probe: &mut P) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is available.
            unsafe {
                self.visit_avx2(pairs, probe);
            }
            return;
        }
        self.visit_with::<Portable, P>(pairs, probe);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn visit_avx2<P: Probe>(&self, pairs: &[[u32; 2]], probe: &mut P) {
        self.visit_with::<crate::bvh::lanes::Avx2, P>(pairs, probe);
    }

    #[inline(always)]
    fn visit_with<I: Isa, P: Probe>(&self, pairs: &[[u32; 2]], probe: &mut P) {
        for &[i, j] in pairs {
            let packets = [(0, i), (1, j)].map(|(tree, leaf)| self.trees[tree].packets().get(leaf as usize));
            let [Some(a), Some(b)] = packets else { continue };
            if probe.leaves::<I>((i, a), (j, b)).is_break() {
                break;
            }
        }
    }

    fn probe_below<P: Probe>(&mut self, top: u32, probe: &mut P) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is available.
            unsafe {
                self.probe_avx2(top, probe);
            }
            return;
        }
        self.probe_with::<Portable, P>(top, probe);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn probe_avx2<P: Probe>(&mut self, top: u32, probe: &mut P) {
        self.probe_with::<crate::bvh::lanes::Avx2, P>(top, probe);
    }

    #[inline(always)]
    fn probe_with<I: Isa, P: Probe>(&mut self, top: u32, probe: &mut P) {
        if self.scratch.records.is_empty() {
            self.open::<I>(self.trees[0].root(), self.trees[1].root(), 0);
        }
        let mut stack = std::mem::take(&mut self.scratch.stack);
        stack.clear();
        let mut record = Some(top);
        while let Some(next) = record {
            self.push::<I, P>(&mut stack, next, probe);
            record = self.next_record::<I, P>(&mut stack, probe);
        }
        self.scratch.stack = stack;
    }

    /// Visits pairs of leaves until the children of a pair are needed; returns their record.
    #[inline(always)]
    fn next_record<I: Isa, P: Probe>(&mut self, stack: &mut Vec<(f32, u32)>, probe: &mut P) -> Option<u32> {
        while let Some((cost, place)) = stack.pop() {
            if cost > probe.bound() {
                continue;
            }
            let (index, lane) = ((place / WIDTH as u32) as usize, (place % WIDTH as u32) as usize);
            let record = &self.scratch.records[index];
            let opened = record.opened[lane];
            if self.limit.spend() {
                return None;
            }
            // Expanded by an earlier query: its slabs are reused.
            if opened != CLOSED {
                return Some(opened);
            }
            let (of_a, of_b) = (record.subtrees[0][lane], record.subtrees[1][lane]);
            let (Some(child_of_a), Some(child_of_b)) = (self.trees[0].child(of_a), self.trees[1].child(of_b))
            else {
                continue;
            };
            // Pairs of leaves are visited, never expanded: their triangles are tested in `leaves`.
            if let (Child::Leaf(i), Child::Leaf(j)) = (child_of_a, child_of_b) {
                let (a, b) = ((i, self.trees[0].packet(i)), (j, self.trees[1].packet(j)));
                if probe.leaves::<I>(a, b).is_break() {
                    self.ended_at = index as u32;
                    return None;
                }
                continue;
            }
            let opened = self.open::<I>(of_a, of_b, index as u32);
            self.scratch.records[index].opened[lane] = opened;
            return Some(opened);
        }
        None
    }

    /// Pushes the obstacles of a record that are within the bound, the cheapest on top; ties keep their order.
    #[inline(always)]
    fn push<I: Isa, P: Probe>(&self, stack: &mut Vec<(f32, u32)>, record: u32, probe: &P) {
        let costs = probe.costs::<I>(&self.scratch.records[record as usize]);
        let (first, bound) = (stack.len(), probe.bound());
        for lane in 0..WIDTH {
            if !(costs[lane] <= bound) {
                continue;
            }
            stack.push((costs[lane], record * WIDTH as u32 + lane as u32));
            let mut place = stack.len() - 1;
            while place > first && stack[place - 1].0 < stack[place].0 {
                stack.swap(place - 1, place);
                place -= 1;
            }
        }
    }

    /// Adds the record of a pair, the larger subtree of which is expanded into its children; returns its index.
    #[inline(always)]
    fn open<I: Isa>(&mut self, of_a: Subtree, of_b: Subtree, parent: u32) -> u32 {
        let [a, b] = self.trees;
        let (volume_a, volume_b) = (a.volume(of_a), b.volume(of_b));
        let cuts_a = match (a.child(of_a), b.child(of_b)) {
            (Some(Child::Inner(_)), Some(Child::Inner(_))) => {
                A_FIRST * volume_a.bounds.half_area() > volume_b.bounds.half_area()
            }
            (Some(Child::Inner(_)), _) => true,
            _ => false,
        };
        let index = self.scratch.records.len() as u32;
        // One place for both trees: slabs are much inlined code.
        let (moved, poses) = if cuts_a {
            (self.b_to_a.bounds(&volume_b.bounds, self.margin), [&self.rounded_b_to_a, &self.rounded_a_to_b])
        } else {
            (self.a_to_b.bounds(&volume_a.bounds, self.margin), [&self.rounded_a_to_b, &self.rounded_b_to_a])
        };
        let (tree, subtree, other) = if cuts_a { (a, of_a, volume_b) } else { (b, of_b, volume_a) };
        let node = inner(tree, subtree);
        let mut record = record::<I>(tree.node(node), &other, [moved.min, moved.max], poses);
        record.side = usize::from(!cuts_a);
        record.subtrees =
            if cuts_a { [children(node), [of_b; WIDTH]] } else { [[of_a; WIDTH], children(node)] };
        record.parent = parent;
        self.scratch.records.push(record);
        index
    }
}

/// The node of a subtree that is not a leaf.
#[inline(always)]
fn inner(tree: &TriangleBvh, subtree: Subtree) -> u32 {
    match tree.child(subtree) {
        Some(Child::Inner(node)) => node,
        _ => unreachable!("only a subtree that is not a leaf is expanded"),
    }
}

/// The lanes of a node as subtrees.
#[inline(always)]
fn children(node: u32) -> [Subtree; WIDTH] {
    let mut children = [Subtree::new(node, 0); WIDTH];
    for lane in 1..WIDTH {
        children[lane] = Subtree::new(node, lane);
    }
    children
}

/// The slabs of the children of `node` against `other`, whose box in their frame is `moved`.
#[inline(always)]
fn record<I: Isa>(
    node: &Node,
    other: &Volume,
    moved: [[f32; 3]; 2],
    [to_node, to_other]: [&RoundedPose; 2],
) -> Record {
    let (single, load) = (I::Single::splat, I::Single::load);
    let slack = single(to_node.slack());
    let empty = Slab { low: [0.0; WIDTH], high: [0.0; WIDTH] };
    let (mut own, mut others) = ([empty; 3], [empty; 3]);
    for axis in 0..3 {
        own[axis].low = (load(&node.min[axis]) - single(moved[1][axis]) - slack).store();
        own[axis].high = (load(&node.max[axis]) - single(moved[0][axis]) + slack).store();
    }
    let hulls = to_other.children::<I>(node, &other.bounds);
    for axis in 0..3 {
        let (offset, reach) = (hulls.offsets[axis], hulls.reaches[axis]);
        others[axis].low = (single(0.0) - offset - reach).store();
        others[axis].high = (reach - offset).store();
    }
    let along = to_node.layers_against::<I>(&other.bounds, node);
    let layers =
        Slab { low: (along.offset - along.reach).store(), high: (along.offset + along.reach).store() };
    let has_layer = other.layer != Layer::EVERYWHERE;
    let normal = to_node.direction(&other.layer.normal);
    let across = to_node.boxes_across::<I>(&other.layer, &normal, node);
    let layer =
        Slab { low: (across.offset - across.reach).store(), high: (across.offset + across.reach).store() };
    Record {
        own,
        other: others,
        layers,
        normals: node.layers.normal,
        layer,
        normal,
        has_layer,
        side: 0,
        parent: 0,
        subtrees: [[Subtree::new(0, 0); WIDTH]; 2],
        opened: [CLOSED; WIDTH],
    }
}
