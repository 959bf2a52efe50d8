//! Collision of two models: pairs of triangles that intersect or come closer than a distance [Lin17 §40.2].
//!
//! Collision is closed: touching counts.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::inside::{may_contain_any, shared_point};
use super::leaf_pair::PreparedLeaf;
use super::model::Model;
use super::relative_pose::{MovedBox, RelativePose, RoundedPose};
use super::triangle_pair::within;
use super::work_limit::WorkLimit;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Child, Node, Volume};
use crate::bvh::packet::{Layer, PACKET, Packet};
use crate::bvh::tandem;
use crate::bvh::tandem::{Costs, TreePairQuery};
use crate::bvh::tree::{Subtree, TriangleBvh};

/// Whether `a` and `b` collide: their surfaces intersect (touching counts), or one of them is a solid that contains
/// a part of the other one. Poses map body to world coordinates; a pose that is not finite is never free of collision.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, collide};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.0, 0.0));
/// assert!(collide(&cube, &here, &cube, &there));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn collide(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> bool {
    collide_at(a, b, &RelativePose::between(a, pose_a, b, pose_b))
}

/// Whether any triangle of `a` intersects one of `b` (touching counts). A solid inside another one is not detected here
/// but by [`collide`]. As there, a pose that is not finite is never free of collision. Poses map body to world
/// coordinates.
#[must_use]
pub fn surfaces_collide(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> bool {
    surfaces_collide_at(a, b, &RelativePose::between(a, pose_a, b, pose_b))
}

/// Appends all pairs of triangles of `a` and `b` that intersect (touching counts), sorted.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, intersecting_pairs};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.1, 0.2));
/// let mut pairs = Vec::new();
/// intersecting_pairs(&cube, &here, &cube, &there, &mut pairs);
/// assert!(!pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersecting_pairs(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    pairs: &mut Vec<[u32; 2]>,
) {
    pairs_within(a, pose_a, b, pose_b, 0.0, pairs);
}

/// Appends all pairs of triangles whose gap on every candidate separating axis is at most `distance` \[m\], sorted.
///
/// These are all pairs at most `distance` apart and a few that are farther: between vertices the gap on an axis is
/// smaller than the distance.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, pairs_within};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(1.1, 0.0, 0.0));
/// let mut pairs = Vec::new();
/// pairs_within(&cube, &here, &cube, &there, 0.05, &mut pairs);
/// assert!(pairs.is_empty());
/// pairs_within(&cube, &here, &cube, &there, 0.2, &mut pairs);
/// assert!(!pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_within(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    pairs_within_at(a, b, &RelativePose::between(a, pose_a, b, pose_b), distance, pairs);
}

pub(crate) fn collide_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> bool {
    surfaces_collide_at(a, b, a_to_b) || shared_point(a, b, a_to_b).is_some()
}

pub(crate) fn surfaces_collide_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> bool {
    !a_to_b.is_finite() || intersecting_pair_at(a, b, a_to_b).is_some()
}

/// As [`collide`], if that is known before the limit is spent.
pub(crate) fn collide_within(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    limit: &mut WorkLimit,
) -> Option<bool> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    if !a_to_b.is_finite() {
        return Some(true);
    }
    if pair_within(a, b, &a_to_b, 0.0, limit).is_some() {
        return Some(true);
    }
    let is_shared = !limit.is_spent() && may_contain_any(a, b, &a_to_b, limit);
    (!limit.is_spent()).then_some(is_shared)
}

/// A pair of triangles whose gap on every candidate separating axis is at most `distance` [m], which with zero intersect; `None`
/// where there is none, or where the limit is spent before one is found.
pub(crate) fn pair_within(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    limit: &mut WorkLimit,
) -> Option<[u32; 2]> {
    if are_balls_apart(a, b, a_to_b, distance) {
        return None;
    }
    let spent = Cell::new(*limit);
    let mut query = Overlap::new(a_to_b, distance, Within { sink: FirstPair(None), limit: &spent });
    tandem::descend(a.bvh(), b.bvh(), &mut query);
    *limit = spent.get();
    query.sink.sink.0
}

/// A pair of triangles that intersect, if there is one.
pub(crate) fn intersecting_pair_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> Option<[u32; 2]> {
    if are_balls_apart(a, b, a_to_b, 0.0) {
        return None;
    }
    let mut query = Overlap::new(a_to_b, 0.0, FirstPair(None));
    tandem::descend(a.bvh(), b.bvh(), &mut query);
    query.sink.0
}

/// Whether the bounding balls of the models are farther apart than a distance [m], which settles most pairs of a scene. Their
/// centres are those of the trees.
fn are_balls_apart(a: &Model, b: &Model, a_to_b: &RelativePose, distance: f64) -> bool {
    /// Safety factor for rounding.
    const ROOM: f64 = 1.0 + 1e-9;
    a_to_b.translation.norm_squared() > (ROOM * (a.radius() + b.radius() + distance)).powi(2)
}

pub(crate) fn pairs_within_at(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    let first = pairs.len();
    pairs_within_as_met(a, b, a_to_b, distance, pairs);
    pairs[first..].par_sort_unstable();
}

/// Appends all pairs of triangles whose gap on every candidate separating axis is at most `distance` [m], in the order
/// of the traversal.
pub(crate) fn pairs_within_as_met(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    let query = |pairs| Overlap::new(a_to_b, distance, AllPairs(pairs));
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<AllPairs>, part: Overlap<AllPairs>| all.sink.0.extend(part.sink.0);
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    *pairs = all.sink.0;
}

/// Appends all pairs of triangles of two trees, A and B, whose gap on every candidate separating axis is at most `distance`
/// [m], in the order of the traversal, unless the limit is spent before all are found: then the result is false.
pub(super) fn pairs_within_of_trees(
    [a, b]: [&TriangleBvh; 2],
    a_to_b: &RelativePose,
    distance: f64,
    limit: WorkLimit,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let limit = Cell::new(limit);
    let sink = Within { sink: AllPairs(std::mem::take(pairs)), limit: &limit };
    let mut query = Overlap::new(a_to_b, distance, sink);
    tandem::descend(a, b, &mut query);
    *pairs = query.sink.sink.0;
    !limit.get().is_spent()
}

/// As [`pairs_within_at`] with distance 0, unless a limit is spent before all are found: then some of them are appended, and
/// the result is false. A pair that is found counts as much as one that is visited.
pub(crate) fn intersecting_pairs_until(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    limit: &mut WorkLimit,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let first = pairs.len();
    let common = CommonLimit::new(*limit);
    let query = |pairs| Overlap::new(a_to_b, 0.0, Counted { common: &common, done: Cell::new(0), pairs });
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<Counted>, part: Overlap<Counted>| {
        all.sink.done.set(all.sink.done.get() + part.sink.done.get());
        all.sink.pairs.extend(part.sink.pairs);
    };
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    let done = all.sink.done.get();
    let is_work_spent = done >= limit.left();
    let complete = !is_work_spent && !common.is_spent.load(Ordering::Relaxed);
    *pairs = all.sink.pairs;
    if is_work_spent {
        // The threads have found whichever pairs they came to first: one of them finds the same ones always.
        pairs.truncate(first);
        let common = CommonLimit::new(*limit);
        let sink = Counted { common: &common, done: Cell::new(0), pairs: std::mem::take(pairs) };
        let mut query = Overlap::new(a_to_b, 0.0, sink);
        tandem::descend(a.bvh(), b.bvh(), &mut query);
        *pairs = query.sink.pairs;
    }
    pairs[first..].par_sort_unstable();
    limit.spend_many(done);
    complete
}

/// As [`pairs_within_as_met`], unless there are more than `limit` pairs: then some of them are appended, at a cost in
/// proportion to the limit, and the result is false.
pub(crate) fn pairs_within_at_most(
    limit: usize,
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    filtered_pairs_within(limit, [a, b], a_to_b, distance, &(), pairs)
}

/// As [`pairs_within_at_most`], of the pairs that a filter admits.
pub(crate) fn filtered_pairs_within<F: PairFilter>(
    limit: usize,
    [a, b]: [&Model; 2],
    a_to_b: &RelativePose,
    distance: f64,
    filter: &F,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let count = AtomicUsize::new(0);
    let query =
        |pairs| Overlap::filtered(a_to_b, distance, AtMost { limit, count: &count, pairs }, filter.clone());
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<AtMost, F>, part: Overlap<AtMost, F>| all.sink.pairs.extend(part.sink.pairs);
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    let complete = !all.sink.is_over();
    *pairs = all.sink.pairs;
    complete
}

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
trait Sink {
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()>;

    /// Whether nothing more is wanted, also of the parts of the traversal on other threads.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }
}

/// Stores the first pair and ends the traversal.
struct FirstPair(Option<[u32; 2]>);

impl Sink for FirstPair {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.0 = Some(pair);
        ControlFlow::Break(())
    }
}

/// Stores all pairs.
struct AllPairs(Vec<[u32; 2]>);

impl Sink for AllPairs {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.0.push(pair);
        ControlFlow::Continue(())
    }
}

/// A consumer until a limit is spent.
struct Within<'a, S> {
    sink: S,
    limit: &'a Cell<WorkLimit>,
}

impl<S: Sink> Sink for Within<'_, S> {
    #[inline(always)]
    fn add(&mut self, pair: [u32; 2]) -> ControlFlow<()> {
        self.sink.add(pair)
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
struct AtMost<'a> {
    limit: usize,
    /// Number of pairs on all threads: it exceeds the limit if there are more, in whichever order they are met.
    count: &'a AtomicUsize,
    pairs: Vec<[u32; 2]>,
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
struct CommonLimit {
    limit: WorkLimit,
    /// Pairs visited and found on all threads; each may have some more.
    done: AtomicU64,
    is_spent: AtomicBool,
}

/// Stores all pairs until a limit is spent.
struct Counted<'a> {
    common: &'a CommonLimit,
    /// Pairs visited and found by this part.
    done: Cell<u64>,
    pairs: Vec<[u32; 2]>,
}

impl CommonLimit {
    fn new(limit: WorkLimit) -> Self {
        Self { limit, done: AtomicU64::new(0), is_spent: AtomicBool::new(false) }
    }
}

impl Counted<'_> {
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
        self.common.is_spent.load(Ordering::Relaxed)
    }
}

/// Traversal query for the pairs of triangles within a margin.
struct Overlap<S, F = ()> {
    boxes: BoxOverlap,
    prepared: PreparedLeaf,
    sink: S,
    filter: F,
}

impl<S: Sink> Overlap<S> {
    fn new(a_to_b: &RelativePose, margin: f64, sink: S) -> Self {
        Self::filtered(a_to_b, margin, sink, ())
    }
}

impl<S: Sink, F: PairFilter> Overlap<S, F> {
    fn filtered(a_to_b: &RelativePose, margin: f64, sink: S, filter: F) -> Self {
        Self { boxes: BoxOverlap::new(a_to_b, margin), prepared: PreparedLeaf::default(), sink, filter }
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
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        let admitted = self.filter.triangles::<I>(a.0, b.0);
        if admitted == [0; PACKET] {
            return ControlFlow::Continue(());
        }
        self.prepared.load::<I>(a, &self.boxes.a_to_b);
        // One test across both layers spares sixteen of triangles.
        if !self.prepared.may_be_within::<I>(b.1, self.boxes.slack()) {
            return ControlFlow::Continue(());
        }
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
