//! Traversal for the pairs of triangles of two models within a margin, and what takes the pairs: the first one, all, or as many as
//! a limit admits.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use super::leaf_and_box::OrientedBox;
use super::leaf_pair::PreparedLeaf;
use super::relative_pose::{MovedBox, RelativePose, RoundedPose};
use super::triangle_pair::within;
use super::work_limit::WorkLimit;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Child, Node, Volume};
use crate::bvh::packet::{Bounds, Layer, PACKET, Packet};
use crate::bvh::tandem::{Costs, TreePairQuery};
use crate::bvh::tree::Subtree;

/// Filter of pairs of triangles besides their distance. Bits are those of the children of a node, or of the triangles of a
/// leaf, the first lane lowest.
pub(crate) trait PairFilter: Clone + Send + Sync {
    /// Bits of the children of a node of A that are admitted with a subtree of B.
    #[inline(always)]
    fn children_of_a<I: Isa>(&self, _node: u32, _of_b: Subtree) -> u32 {
        u32::MAX
    }

    /// Bits of the children of a node of B that are admitted with a subtree of A.
    #[inline(always)]
    fn children_of_b<I: Isa>(&self, _node: u32, _of_a: Subtree) -> u32 {
        u32::MAX
    }

    /// Bits of the triangles of a leaf of B that are admitted with each triangle of a leaf of A.
    #[inline(always)]
    fn triangles<I: Isa>(&mut self, _leaf_of_a: u32, _leaf_of_b: u32) -> [u32; PACKET] {
        [u32::MAX; PACKET]
    }

    /// Begins to load what the filter will need of a node or a leaf of A.
    #[inline(always)]
    fn prefetch_of_a(&self, _child: Child) {}

    /// Begins to load what the filter will need of a node or a leaf of B.
    #[inline(always)]
    fn prefetch_of_b(&self, _child: Child) {}

    /// Whether nothing more is wanted.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }
}

/// Admits all pairs.
impl PairFilter for () {}

/// Consumer of the pairs of triangles within the margin.
pub(super) trait Sink {
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()>;

    /// Counts the triangles of a pair of leaves that are tested.
    #[inline(always)]
    fn count_leaves(&self) {}

    /// Whether nothing more is wanted, also of the parts of the traversal on other threads.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }
}

/// Stores the first pair and ends the traversal.
pub(super) struct FirstPair(pub(super) Option<[u32; 2]>);

impl Sink for FirstPair {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.0 = Some(pair);
        ControlFlow::Break(())
    }
}

/// Stores all pairs.
pub(super) struct AllPairs(pub(super) Vec<[u32; 2]>);

impl Sink for AllPairs {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.0.push(pair);
        ControlFlow::Continue(())
    }
}

/// A consumer until a limit is spent.
pub(super) struct Within<'a, S> {
    pub(super) sink: S,
    pub(super) limit: &'a Cell<WorkLimit>,
}

impl<S: Sink> Sink for Within<'_, S> {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.sink.add(pair)
    }

    #[inline(always)]
    fn count_leaves(&self) {
        let mut limit = self.limit.get();
        limit.spend_leaves();
        self.limit.set(limit);
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        let mut limit = self.limit.get();
        let is_spent = limit.spend();
        self.limit.set(limit);
        is_spent
    }
}

/// Stores all pairs, unless there are more than the limit.
pub(super) struct AtMost<'a> {
    pub(super) limit: usize,
    /// Number of pairs on all threads: it exceeds the limit if there are more, in whichever order they are met.
    pub(super) count: &'a AtomicUsize,
    pub(super) pairs: Vec<[u32; 2]>,
}

impl Sink for AtMost<'_> {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        if self.count.fetch_add(1, Ordering::Relaxed) >= self.limit {
            return ControlFlow::Break(());
        }
        self.pairs.push(pair);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.count.load(Ordering::Relaxed) > self.limit
    }
}

/// Pairs that are counted on one thread before they are added to the count of all: some tens of microseconds.
const BETWEEN_FLUSHES: u64 = 256;

/// A limit that the parts of a traversal have in common.
pub(super) struct CommonLimit {
    limit: WorkLimit,
    /// Pairs visited and found on all threads; each may have some more.
    done: AtomicU64,
    is_spent: AtomicBool,
}

/// Stores all pairs until a limit is spent.
pub(super) struct Counted<'a> {
    common: &'a CommonLimit,
    /// Pairs visited and found by this part.
    done: Cell<u64>,
    pub(super) pairs: Vec<[u32; 2]>,
}

impl CommonLimit {
    pub(super) fn new(limit: WorkLimit) -> Self {
        Self { limit, done: AtomicU64::new(0), is_spent: AtomicBool::new(false) }
    }

    /// Whether it was found to be spent, by work or by time.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }
}

impl<'a> Counted<'a> {
    /// A part of a traversal that appends to `pairs`.
    pub(super) fn new(common: &'a CommonLimit, pairs: Vec<[u32; 2]>) -> Self {
        Self { common, done: Cell::new(0), pairs }
    }

    /// Adds what another part has found and done.
    pub(super) fn join(&mut self, part: Counted<'_>) {
        self.done.set(self.done.get() + part.done.get());
        self.pairs.extend(part.pairs);
    }

    /// Pairs visited and found.
    pub(super) fn done(&self) -> u64 {
        self.done.get()
    }

    #[inline(always)]
    fn count(&self) {
        self.done.set(self.done.get() + 1);
        if self.done.get().is_multiple_of(BETWEEN_FLUSHES) {
            self.flush();
        }
    }

    #[cold]
    fn flush(&self) {
        let CommonLimit { limit, done, is_spent } = self.common;
        let all = done.fetch_add(BETWEEN_FLUSHES, Ordering::Relaxed) + BETWEEN_FLUSHES;
        let is_late = limit.deadline().is_some_and(|deadline| Instant::now() >= deadline);
        if all >= limit.left() || is_late {
            is_spent.store(true, Ordering::Relaxed);
        }
    }
}

impl Sink for Counted<'_> {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.count();
        self.pairs.push(pair);
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.count();
        self.common.is_spent()
    }
}

/// Pairs of leaves after which a traversal tests the triangles of a leaf before it descends into a much smaller box: some hundred
/// microseconds, so that usual traversals do not pay for it.
const USUAL: u32 = 1 << 12;
/// Minimum ratio of the surfaces of the boxes of a leaf and of a subtree for that test: it spares nothing where a subtree is about as
/// large as the leaf.
const MUCH_LARGER: f32 = 16.0;

/// Traversal query for the pairs of triangles within a margin.
pub(super) struct Overlap<S, F = ()> {
    boxes: BoxOverlap,
    prepared: PreparedLeaf,
    /// Number of visited pairs of leaves.
    visited: u32,
    pub(super) sink: S,
    filter: F,
}

impl<S: Sink> Overlap<S> {
    pub(super) fn new(a_to_b: &RelativePose, margin: f64, sink: S) -> Self {
        Self::filtered(a_to_b, margin, sink, ())
    }
}

impl<S: Sink, F: PairFilter> Overlap<S, F> {
    pub(super) fn filtered(a_to_b: &RelativePose, margin: f64, sink: S, filter: F) -> Self {
        Self {
            boxes: BoxOverlap::new(a_to_b, margin),
            prepared: PreparedLeaf::default(),
            visited: 0,
            sink,
            filter,
        }
    }

    /// Whether the triangles of a leaf are to be tested before a subtree is descended into.
    #[inline(always)]
    fn is_worth_a_test(&self, of_leaf: &Bounds, of_subtree: &Bounds) -> bool {
        self.visited > USUAL && of_leaf.half_area() > MUCH_LARGER * of_subtree.half_area()
    }
}

impl<S: Sink, F: PairFilter> TreePairQuery for Overlap<S, F> {
    #[inline(always)]
    fn costs_in_b<I: Isa>(
        &self,
        (node, children): (u32, &Node),
        (of_a, volume): (Subtree, &Volume),
    ) -> Costs {
        let bits = self.boxes.overlapping_in_b::<I>(children, volume);
        Costs::ZeroIn(if bits == 0 { 0 } else { bits & self.filter.children_of_b::<I>(node, of_a) })
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(
        &self,
        (node, children): (u32, &Node),
        (of_b, volume): (Subtree, &Volume),
    ) -> Costs {
        let bits = self.boxes.overlapping_in_a::<I>(children, volume);
        Costs::ZeroIn(if bits == 0 { 0 } else { bits & self.filter.children_of_a::<I>(node, of_b) })
    }

    #[inline(always)]
    fn prefetch_in_a(&self, child: Child) {
        self.filter.prefetch_of_a(child);
    }

    #[inline(always)]
    fn prefetch_in_b(&self, child: Child) {
        self.filter.prefetch_of_b(child);
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        if self.sink.is_over() || self.filter.is_over() { f32::NEG_INFINITY } else { 0.0 }
    }

    #[inline(always)]
    fn leaf_of_a_may_matter<I: Isa>(&mut self, leaf: (u32, &Packet, &Bounds), of_b: &Bounds) -> bool {
        let (index, packet, bounds) = leaf;
        if !self.is_worth_a_test(bounds, of_b) {
            return true;
        }
        self.prepared.load::<I>((index, packet), &self.boxes.a_to_b);
        OrientedBox::of_b(of_b).may_meet::<I::Double>(&self.prepared.corners, self.boxes.slack())
    }

    #[inline(always)]
    fn leaf_of_b_may_matter<I: Isa>(&mut self, leaf: (u32, &Packet, &Bounds), of_a: &Bounds) -> bool {
        let (_, packet, bounds) = leaf;
        if !self.is_worth_a_test(bounds, of_a) {
            return true;
        }
        OrientedBox::of_a(of_a, &self.boxes.a_to_b).may_meet::<I::Double>(&packet.corners, self.boxes.slack())
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.visited = self.visited.saturating_add(1);
        let admitted = self.filter.triangles::<I>(a.0, b.0);
        if admitted == [0; PACKET] {
            return ControlFlow::Continue(());
        }
        self.prepared.load::<I>(a, &self.boxes.a_to_b);
        // One test across both layers spares sixteen of triangles.
        if !self.prepared.may_be_within::<I>(b.1, self.boxes.slack()) {
            return ControlFlow::Continue(());
        }
        self.sink.count_leaves();
        for (lane_a, triangle_a) in a.1.lanes() {
            if admitted[lane_a] == 0 {
                continue;
            }
            let near = admitted[lane_a]
                & within::<I::Double>(&self.prepared.triangles[lane_a], b.1, self.boxes.margin);
            for (lane_b, triangle_b) in b.1.lanes() {
                if near & (1 << lane_b) != 0 {
                    self.sink.add([triangle_a, triangle_b])?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Overlap test of the boxes of two trees, one of them grown by a margin.
pub(super) struct BoxOverlap {
    pub(super) a_to_b: RelativePose,
    rounded_a_to_b: RoundedPose,
    rounded_b_to_a: RoundedPose,
    pub(super) margin: f64,
}

impl BoxOverlap {
    pub(super) fn new(a_to_b: &RelativePose, margin: f64) -> Self {
        Self {
            a_to_b: *a_to_b,
            rounded_a_to_b: RoundedPose::new(a_to_b, margin),
            rounded_b_to_a: RoundedPose::new(&a_to_b.inverse(), margin),
            margin,
        }
    }

    /// Maximum computed gap along a unit vector of two triangles within the margin, rounding included [m].
    #[inline(always)]
    pub(super) fn slack(&self) -> f64 {
        self.margin + self.a_to_b.slack()
    }

    /// Bits of the children of a node of B that overlap a volume of A.
    #[inline(always)]
    pub(super) fn overlapping_in_b<I: Isa>(&self, children_of_b: &Node, of_a: &Volume) -> u32 {
        overlapping::<I>(children_of_b, of_a, [&self.rounded_a_to_b, &self.rounded_b_to_a])
    }

    /// Bits of the children of a node of A that overlap a volume of B.
    #[inline(always)]
    pub(super) fn overlapping_in_a<I: Isa>(&self, children_of_a: &Node, of_b: &Volume) -> u32 {
        overlapping::<I>(children_of_a, of_b, [&self.rounded_b_to_a, &self.rounded_a_to_b])
    }
}

/// Mask of the children that overlap the box on one axis.
#[inline(always)]
fn overlap<I: Isa>(node: &Node, other: &MovedBox, axis: usize) -> <I::Single as Single>::Mask {
    let starts_before = I::Single::load(&node.min[axis]).less_or_equal(I::Single::splat(other.max[axis]));
    let ends_after = I::Single::splat(other.min[axis]).less_or_equal(I::Single::load(&node.max[axis]));
    starts_before & ends_after
}

/// Children that overlap the moved box, one bit each.
#[inline(always)]
fn overlap_bits<I: Isa>(node: &Node, moved: &MovedBox) -> u32 {
    let x = overlap::<I>(node, moved, 0);
    let y = overlap::<I>(node, moved, 1);
    let z = overlap::<I>(node, moved, 2);
    (x & y & z).bits()
}

/// Bits of the children that overlap the other volume. Tested are the axes of both frames and the normals of both layers.
#[inline(always)]
fn overlapping<I: Isa>(node: &Node, other: &Volume, [to_node, to_other]: [&RoundedPose; 2]) -> u32 {
    // In the order of increasing price; each test is skipped once no child is left.
    let mut bits = overlap_bits::<I>(node, &to_node.bounds(&other.bounds));
    if bits != 0 && other.layer != Layer::EVERYWHERE {
        let across = to_node.direction(&other.layer.normal);
        bits &= to_node.boxes_across::<I>(&other.layer, &across, node).overlap();
    }
    if bits != 0 {
        let hulls = to_other.children::<I>(node, &other.bounds);
        let x = hulls.offsets[0].abs().less_or_equal(hulls.reaches[0]);
        let y = hulls.offsets[1].abs().less_or_equal(hulls.reaches[1]);
        let z = hulls.offsets[2].abs().less_or_equal(hulls.reaches[2]);
        bits &= (x & y & z).bits();
    }
    if bits != 0 {
        bits &= to_node.layers_against::<I>(&other.bounds, node).overlap();
    }
    bits
}
