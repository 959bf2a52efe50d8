//! Tandem traversal of two trees: best first, or depth first with the cheaper children first, or all pairs with all
//! threads.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::lanes::isa::{Isa, Portable};
use super::lanes::prefetch;
use super::node::{Child, Node, Volume, WIDTH};
use super::packet::{Bounds, Packet};
use super::tree::{Subtree, TriangleBvh};
use crate::parallel;

/// A query that a tandem traversal of two trees answers.
///
/// A pair of subtrees has a *cost*: a lower bound of the objective that the query minimises, infinite where the pair
/// cannot matter.
pub(crate) trait TreePairQuery {
    /// Costs of the children of a node of B, given with its index in the tree, against a subtree of A.
    fn costs_in_b<I: Isa>(&self, children_of_b: (u32, &Node), of_a: (Subtree, &Volume)) -> Costs;

    /// Costs of the children of a node of A, given with its index in the tree, against a subtree of B.
    fn costs_in_a<I: Isa>(&self, children_of_a: (u32, &Node), of_b: (Subtree, &Volume)) -> Costs;

    /// Begins to load what the query will need of a node or a leaf of A.
    #[inline(always)]
    fn prefetch_in_a(&self, _child: Child) {}

    /// Begins to load what the query will need of a node or a leaf of B.
    #[inline(always)]
    fn prefetch_in_b(&self, _child: Child) {}

    /// Upper bound on the cost: pairs that cost more are pruned. It may decrease during the traversal.
    fn bound(&self) -> f32;

    /// Whether a leaf of A, given with its bounds, may matter with a subtree of B that is not a leaf. False prunes the pair.
    #[inline(always)]
    fn leaf_of_a_may_matter<I: Isa>(&mut self, _leaf: (u32, &Packet, &Bounds), _of_b: &Bounds) -> bool {
        true
    }

    /// Whether a leaf of B, given with its bounds, may matter with a subtree of A that is not a leaf. False prunes the pair.
    #[inline(always)]
    fn leaf_of_b_may_matter<I: Isa>(&mut self, _leaf: (u32, &Packet, &Bounds), _of_a: &Bounds) -> bool {
        true
    }

    /// Visits all pairs of triangles of two leaves, given with their index in the tree; [`ControlFlow::Break`] ends the
    /// traversal.
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()>;
}

/// Costs of the children of a node.
pub(crate) enum Costs {
    /// One of each lane.
    Each([f32; WIDTH]),
    /// Zero in the lanes of these bits, the first lane lowest; infinite in the others.
    ZeroIn(u32),
}

/// A pair of subtrees in the frontier.
#[derive(Debug, Clone, Copy)]
struct Entry {
    cost: f32,
    a: Subtree,
    b: Subtree,
}

/// The frontier of a traversal: the pairs still to be visited.
trait Frontier {
    /// Whether pairs come cheapest first, so that the traversal ends at the first pair above the bound.
    const SORTED: bool;

    /// Adds the lanes of a node whose cost is within the bound.
    fn add(&mut self, costs: &Costs, bound: f32, entry: impl Fn(usize, f32) -> Entry);

    /// The next pair.
    fn next(&mut self) -> Option<Entry>;
}

/// Depth first: the frontier stays small.
impl Frontier for Vec<Entry> {
    const SORTED: bool = false;

    /// The cheapest ends on top; ties keep the order of the lanes.
    #[inline(always)]
    fn add(&mut self, costs: &Costs, bound: f32, entry: impl Fn(usize, f32) -> Entry) {
        let costs = match costs {
            Costs::Each(costs) => costs,
            // All the same: nothing to sort.
            &Costs::ZeroIn(bits) => return lanes_of(bits).for_each(|lane| self.push(entry(lane, 0.0))),
        };
        let first = self.len();
        // Without a branch for each lane: which of them are within the bound cannot be predicted.
        let mut within = 0;
        for lane in 0..WIDTH {
            within |= u32::from(costs[lane] <= bound) << lane;
        }
        for lane in lanes_of(within) {
            self.push(entry(lane, costs[lane]));
            // Insertion sort among the siblings: eight entries at most.
            let mut place = self.len() - 1;
            while place > first && self[place - 1].cost < self[place].cost {
                self.swap(place - 1, place);
                place -= 1;
            }
        }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Entry> {
        self.pop()
    }
}

/// The lanes of some bits, the lowest first.
#[inline(always)]
fn lanes_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        let is_left = bits != 0;
        bits &= bits.wrapping_sub(1);
        is_left.then_some(lane)
    })
}

/// Best first; among equal costs the latest pair comes first, so that the frontier stays small where all costs are
/// zero.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<QueuedPair>,
    issued: u32,
}

/// A pair with its priority; the maximum comes first.
#[derive(Debug, Clone, Copy)]
struct QueuedPair {
    /// The inverted bits of the cost, then the number of the pair. The bits of non-negative numbers are ordered as the
    /// numbers are, so that one integer comparison decides.
    place: u64,
    a: Subtree,
    b: Subtree,
}

impl QueuedPair {
    #[inline(always)]
    fn new(entry: &Entry, number: u32) -> Self {
        let place = u64::from(!entry.cost.to_bits()) << 32 | u64::from(number);
        Self { place, a: entry.a, b: entry.b }
    }

    #[inline(always)]
    fn entry(&self) -> Entry {
        Entry { cost: f32::from_bits(!((self.place >> 32) as u32)), a: self.a, b: self.b }
    }
}

impl Ord for QueuedPair {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }
}

impl PartialOrd for QueuedPair {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueuedPair {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for QueuedPair {}

impl Frontier for Queue {
    const SORTED: bool = true;

    #[inline(always)]
    fn add(&mut self, costs: &Costs, bound: f32, entry: impl Fn(usize, f32) -> Entry) {
        let mut push = |lane: usize, cost: f32| {
            self.issued += 1;
            self.heap.push(QueuedPair::new(&entry(lane, cost), self.issued));
        };
        match costs {
            Costs::Each(costs) => {
                for lane in 0..WIDTH {
                    if costs[lane] <= bound {
                        push(lane, costs[lane]);
                    }
                }
            }
            &Costs::ZeroIn(bits) => lanes_of(bits).for_each(|lane| push(lane, 0.0)),
        }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Entry> {
        self.heap.pop().map(|ticket| ticket.entry())
    }
}

/// Depth first, with something else after so many pairs.
struct DepthFirst<'a> {
    stack: &'a mut Vec<Entry>,
    left: u32,
    then: Then,
}

/// Continuation of a traversal after a number of pairs.
#[derive(Clone, Copy)]
enum Then {
    /// It ends.
    End,
    /// It continues from the oldest pair of the frontier, as often as it has visited so many pairs, a number that grows: what is sought
    /// may be there.
    FromOldest(u32),
}

impl DepthFirst<'_> {
    /// Pairs of subtrees before the first change of place, a fraction of a millisecond: most queries end before.
    const PERIOD: u32 = 1 << 12;
}

impl Frontier for DepthFirst<'_> {
    const SORTED: bool = false;

    #[inline(always)]
    fn add(&mut self, costs: &Costs, bound: f32, entry: impl Fn(usize, f32) -> Entry) {
        self.stack.add(costs, bound, entry);
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Entry> {
        self.left = match (self.left.checked_sub(1), self.then) {
            (Some(left), _) => left,
            (None, Then::End) => return None,
            (None, Then::FromOldest(after)) => {
                // The oldest is among the largest: in turn all parts of the trees are looked at.
                self.stack.rotate_left(1);
                // By a factor: each change leaves pairs in the frontier, and is made a logarithmic number of times in all.
                let next = after.saturating_add(after / 32);
                self.then = Then::FromOldest(next);
                next - 1
            }
        };
        self.stack.pop()
    }
}

thread_local! {
    /// The frontiers of this thread's last traversals, reused so that a warm query allocates nothing.
    static STACK: Cell<Vec<Entry>> = const { Cell::new(Vec::new()) };
    static QUEUE: Cell<Queue> = const { Cell::new(Queue { heap: BinaryHeap::new(), issued: 0 }) };
}

/// Traverses both trees depth first, cheaper children first, on the widest instruction set of the machine.
pub(crate) fn descend<V: TreePairQuery>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    let mut stack = STACK.take();
    stack.clear();
    stack.push(whole(a, b));
    descend_from(a, b, &mut stack, query);
    STACK.set(stack);
}

/// As [`descend`], for queries that end at the first pair of some kind: thousands of pairs in one place that are not of that kind,
/// such as faces that coincide, do not keep it from looking elsewhere.
pub(crate) fn descend_for_any<V: TreePairQuery>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    let mut stack = STACK.take();
    stack.clear();
    stack.push(whole(a, b));
    let then = Then::FromOldest(DepthFirst::PERIOD);
    let mut frontier = DepthFirst { stack: &mut stack, left: DepthFirst::PERIOD - 1, then };
    descend_from(a, b, &mut frontier, query);
    STACK.set(stack);
}

/// Traverses both trees best first on the widest instruction set of the machine: for queries whose bound decreases,
/// which then visit hardly more pairs than with the final bound from the start. Where the query ends it early, returns the
/// minimum cost of all pairs that were not visited.
pub(crate) fn descend_cheapest_first<V: TreePairQuery>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    query: &mut V,
) -> Option<f32> {
    let mut queue = QUEUE.take();
    queue.heap.clear();
    queue.issued = 0;
    queue.heap.push(QueuedPair::new(&whole(a, b), 0));
    let unvisited = descend_from(a, b, &mut queue, query);
    QUEUE.set(queue);
    unvisited
}

/// A traversal for queries that visit every pair within a constant bound and never end early: with all threads of the
/// current pool once it turns out to be long. `fresh` returns an empty query, `join` adds the result of one query to
/// another. The division of the work does not depend on the number of threads.
pub(crate) fn descend_in_parts<V: TreePairQuery + Send>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    query: &mut V,
    fresh: &(impl Fn() -> V + Sync),
    join: &(impl Fn(&mut V, V) + Sync),
) {
    let mut stack = STACK.take();
    stack.clear();
    stack.push(whole(a, b));
    descend_part([a, b], &mut stack, query, fresh, join);
    STACK.set(stack);
}

/// Visits some of the pairs itself and leaves each of the others to whichever thread is idle.
fn descend_part<V: TreePairQuery + Send>(
    [a, b]: [&TriangleBvh; 2],
    stack: &mut Vec<Entry>,
    query: &mut V,
    fresh: &(impl Fn() -> V + Sync),
    join: &(impl Fn(&mut V, V) + Sync),
) {
    /// Pairs of subtrees per task, about two milliseconds: fewer cost more scheduling, more leave threads idle.
    const TASK: u32 = 1 << 15;
    // The limit counts pairs, not time, so the division is the same on every machine.
    descend_from(a, b, &mut DepthFirst { stack, left: TASK, then: Then::End }, query);
    if stack.is_empty() {
        return;
    }
    let part = |&entry: &Entry| {
        let mut own = fresh();
        descend_part([a, b], &mut vec![entry], &mut own, fresh, join);
        own
    };
    // Collected and joined in order, whichever thread finishes first.
    let parts = parallel::map_slice(stack, 1, part);
    parts.into_iter().for_each(|part| join(query, part));
}

/// The pair of the roots.
fn whole(a: &TriangleBvh, b: &TriangleBvh) -> Entry {
    Entry { cost: 0.0, a: a.root(), b: b.root() }
}

/// Visits the pairs of a frontier; returns the cost of the pair at which the query ended the traversal.
fn descend_from<F: Frontier, V: TreePairQuery>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    frontier: &mut F,
    query: &mut V,
) -> Option<f32> {
    #[cfg(target_arch = "x86_64")]
    if super::lanes::has_avx2() {
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is available.
        return unsafe { descend_avx2(a, b, frontier, query) };
    }
    descend_portable(a, b, frontier, query)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn descend_avx2<F: Frontier, V: TreePairQuery>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    frontier: &mut F,
    query: &mut V,
) -> Option<f32> {
    descend_with::<super::lanes::Avx2, F, V>(a, b, frontier, query)
}

/// The traversal on the portable instruction set: the same bits.
fn descend_portable<F: Frontier, V: TreePairQuery>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    frontier: &mut F,
    query: &mut V,
) -> Option<f32> {
    descend_with::<Portable, F, V>(a, b, frontier, query)
}

#[inline(always)]
fn descend_with<I: Isa, F: Frontier, V: TreePairQuery>(
    a: &TriangleBvh,
    b: &TriangleBvh,
    frontier: &mut F,
    query: &mut V,
) -> Option<f32> {
    while let Some(entry) = frontier.next() {
        if entry.cost > query.bound() {
            if F::SORTED {
                break;
            }
            continue;
        }
        let (Some(child_of_a), Some(child_of_b)) = (a.child(entry.a), b.child(entry.b)) else { continue };
        // One place for each tree: both are expanded by much inlined code.
        let (node, is_of_a) = match (child_of_a, child_of_b) {
            (Child::Leaf(i), Child::Leaf(j)) => {
                if query.leaves::<I>((i, a.packet(i)), (j, b.packet(j))).is_break() {
                    return Some(entry.cost);
                }
                continue;
            }
            (Child::Inner(node), Child::Leaf(j)) => {
                let leaf = (j, b.packet(j), &b.bounds(entry.b));
                if !query.leaf_of_b_may_matter::<I>(leaf, &a.bounds(entry.a)) {
                    continue;
                }
                (node, true)
            }
            (Child::Leaf(i), Child::Inner(node)) => {
                let leaf = (i, a.packet(i), &a.bounds(entry.a));
                if !query.leaf_of_a_may_matter::<I>(leaf, &b.bounds(entry.b)) {
                    continue;
                }
                (node, false)
            }
            // The larger volume is expanded: most of the gap between the bound and the true cost comes from it.
            (Child::Inner(i), Child::Inner(j)) => {
                if a.bounds(entry.a).half_area() > b.bounds(entry.b).half_area() {
                    (i, true)
                } else {
                    (j, false)
                }
            }
        };
        if is_of_a {
            expand_a::<I, F, V>(frontier, [a, b], entry, node, query);
        } else {
            expand_b::<I, F, V>(frontier, [a, b], entry, node, query);
        }
    }
    None
}

#[inline(always)]
fn expand_a<I: Isa, F: Frontier, V: TreePairQuery>(
    frontier: &mut F,
    [a, b]: [&TriangleBvh; 2],
    entry: Entry,
    node: u32,
    query: &V,
) {
    let children = a.node(node);
    let costs = query.costs_in_a::<I>((node, children), (entry.b, &b.volume(entry.b)));
    load_ahead(&costs, (a, children), |child| query.prefetch_in_a(child));
    frontier.add(&costs, query.bound(), |lane, cost| Entry { cost, a: Subtree::new(node, lane), ..entry });
}

#[inline(always)]
fn expand_b<I: Isa, F: Frontier, V: TreePairQuery>(
    frontier: &mut F,
    [a, b]: [&TriangleBvh; 2],
    entry: Entry,
    node: u32,
    query: &V,
) {
    let children = b.node(node);
    let costs = query.costs_in_b::<I>((node, children), (entry.a, &a.volume(entry.a)));
    load_ahead(&costs, (b, children), |child| query.prefetch_in_b(child));
    frontier.add(&costs, query.bound(), |lane, cost| Entry { cost, b: Subtree::new(node, lane), ..entry });
}

/// Begins to load the children of a node of a tree that will be visited, where all of the same cost are.
#[inline(always)]
fn load_ahead(costs: &Costs, (tree, children): (&TriangleBvh, &Node), of_query: impl Fn(Child)) {
    let &Costs::ZeroIn(bits) = costs else { return };
    for child in lanes_of(bits).filter_map(|lane| children.child(lane)) {
        if let Child::Inner(index) = child {
            prefetch(tree.node(index));
        }
        of_query(child);
    }
}
