//! Conservative advancement of every pair of subtrees separately [Lin17 §40.3; Mir96; TKM09].
//!
//! Pairs of subtrees are queued by the time until which they are proved apart. The pair with the earliest time is tested
//! at that time: its children are queued with times of their own, a pair of leaves with a later one. The first pair of
//! triangles found within the tolerance is the first contact, because all queued pairs are proved apart up to then.
//!
//! Departs from [Mir96] and [TKM09]: those advance the whole bodies by the minimum step of any pair, and compute the
//! distance of the whole bodies again at each step. Here pairs that are far apart take their own long steps, and no pair
//! is tested beyond the first contact.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::free_time::RoundedInstant;
use super::leaves::{LeafTest, Limits, test_leaves};
use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Isa, Kernel};
use crate::bvh::lanes::on_widest;
use crate::bvh::node::{Child, Node, WIDTH};
use crate::bvh::packet::{Bounds, above};
use crate::bvh::tree::Subtree;
use crate::proximity::work_limit::WorkLimit;

/// Pair of subtrees with the time until which it is proved apart.
#[derive(Debug, Clone, Copy, PartialEq)]
struct QueuedPair {
    time: f64,
    a: Subtree,
    b: Subtree,
}

impl Eq for QueuedPair {}

impl PartialOrd for QueuedPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuedPair {
    /// The earliest is the maximum, as the heap requires; of equal times the last one in the order of the trees.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(self.a.cmp(&other.a)).then(self.b.cmp(&other.b))
    }
}

/// Pair of triangles within the tolerance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) time: f64,
    pub(crate) pair: [u32; 2],
}

/// Outcome of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SearchOutcome {
    /// First contact.
    Touch(Touch),
    /// No contact up to the given time.
    Free,
    /// A limit was spent, with the time up to which the motion is proved free.
    Exhausted(f64),
}

/// State of a search, which can be continued.
pub(crate) struct AdvancementSearch {
    queue: BinaryHeap<QueuedPair>,
    /// Number of tested pairs so far.
    pub(crate) steps: u64,
    tolerance: f64,
    limit: WorkLimit,
}

impl AdvancementSearch {
    /// Starts a search at the roots of both trees; distances up to `tolerance` [m] count as contact. It takes at most so many steps,
    /// until the deadline if there is one.
    pub(crate) fn new(
        relative: &Relative<'_>,
        tolerance: f64,
        (max_steps, deadline): (u64, Option<std::time::Instant>),
    ) -> Self {
        let (a, b) = (relative.a.model.bvh().root(), relative.b.model.bvh().root());
        let queue = BinaryHeap::from(vec![QueuedPair { time: 0.0, a, b }]);
        // The pair that spends the limit is not tested.
        let limit = WorkLimit::new(max_steps.saturating_add(1), deadline);
        Self { queue, steps: 0, tolerance, limit }
    }

    /// Continues until the time `end`, or until the limit is spent.
    pub(crate) fn run(&mut self, relative: &Relative<'_>, end: f64) -> SearchOutcome {
        on_widest(Run { search: self, relative, end })
    }
}

struct Run<'a> {
    search: &'a mut AdvancementSearch,
    relative: &'a Relative<'a>,
    end: f64,
}

impl Kernel for Run<'_> {
    type Output = SearchOutcome;

    #[inline(always)]
    fn run<I: Isa>(self) -> SearchOutcome {
        let margin = MARGIN_FRACTION * self.search.tolerance;
        // Siblings are often queued at the same time, for which the motion is evaluated once.
        let mut present: Option<Present> = None;
        while let Some(&first) = self.search.queue.peek() {
            if first.time >= self.end {
                break;
            }
            if self.search.limit.spend() {
                return SearchOutcome::Exhausted(first.time);
            }
            self.search.steps += 1;
            // Removed only now, so that an exhausted search can be continued without loss.
            self.search.queue.pop();
            if present.as_ref().is_none_or(|present| present.time.to_bits() != first.time.to_bits()) {
                let instant = self.relative.at(first.time);
                let rounded = RoundedInstant::new(self.relative, &instant, margin);
                present = Some(Present { time: first.time, instant, rounded });
            }
            let present = present.as_ref().expect("set above");
            if let Some(touch) = self.search.test::<I>(self.relative, present, &first) {
                return SearchOutcome::Touch(touch);
            }
        }
        SearchOutcome::Free
    }
}

/// Fraction of the tolerance that is subtracted from gaps: advancing stops above zero distance, where rounding cannot miss
/// the contact. A larger one takes more, smaller steps before contact, a smaller one leaves less room for rounding.
const MARGIN_FRACTION: f64 = 0.25;

/// Expected number of tests of the children per test of the pair above which the pair stays queued as a whole. A smaller
/// one keeps coarse pairs with their shorter steps, a larger one fills the queue with children. The result is
/// within the tolerance for any value.
const MAX_CHILD_TESTS: f32 = 3.0;

/// Relative motion at the time of the current pair.
struct Present {
    time: f64,
    instant: Instant,
    rounded: RoundedInstant,
}

impl AdvancementSearch {
    /// Tests a pair at the time until which it was proved apart; returns a contact or queues what remains of the pair.
    #[inline(always)]
    fn test<I: Isa>(
        &mut self,
        relative: &Relative<'_>,
        present: &Present,
        first: &QueuedPair,
    ) -> Option<Touch> {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        // One place for each tree: both are split by much inlined code.
        let (node, is_of_a) = match (a.child(first.a)?, b.child(first.b)?) {
            (Child::Leaf(i), Child::Leaf(j)) => {
                let limits = Limits {
                    tolerance: self.tolerance,
                    margin: MARGIN_FRACTION * self.tolerance
                        + relative.position_slack()
                        + present.instant.a_to_b.slack(),
                    horizon: 1.0 - first.time,
                };
                match test_leaves::<I>(relative, &present.instant, a.packet(i), b.packet(j), &limits) {
                    LeafTest::Touching(pair) => return Some(Touch { time: first.time, pair }),
                    LeafTest::Apart(time) => self.enqueue(first, time),
                }
                return None;
            }
            (Child::Inner(node), Child::Leaf(_)) => (node, true),
            (Child::Leaf(_), Child::Inner(node)) => (node, false),
            // The larger box is split, so that both boxes of a pair stay of similar size.
            (Child::Inner(i), Child::Inner(j)) => {
                if a.bounds(first.a).half_area() > b.bounds(first.b).half_area() {
                    (i, true)
                } else {
                    (j, false)
                }
            }
        };
        if is_of_a {
            self.split_a::<I>(relative, present, first, node);
        } else {
            self.split_b::<I>(relative, present, first, node);
        }
        None
    }

    /// Queues a pair again after a further free time, unless it is free until the end.
    #[inline(always)]
    fn enqueue(&mut self, pair: &QueuedPair, free: f64) {
        let time = pair.time + free;
        // Negated, so that NaN is queued.
        if !(time >= 1.0) {
            self.queue.push(QueuedPair { time, ..*pair });
        }
    }

    #[inline(always)]
    fn split_a<I: Isa>(&mut self, relative: &Relative<'_>, present: &Present, pair: &QueuedPair, node: u32) {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        let (children, acceleration) = (a.node(node), acceleration_of_box(relative, &a.bounds(pair.a)));
        let free = present.rounded.of_children_of_a::<I>(children, &b.volume(pair.b), acceleration);
        self.split(pair, children, &free, |lane| QueuedPair { a: Subtree::new(node, lane), ..*pair });
    }

    #[inline(always)]
    fn split_b<I: Isa>(&mut self, relative: &Relative<'_>, present: &Present, pair: &QueuedPair, node: u32) {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        let (children, acceleration) = (b.node(node), acceleration_of_box(relative, &a.bounds(pair.a)));
        let free = present.rounded.of_children_of_b::<I>(children, &a.volume(pair.a), acceleration);
        self.split(pair, children, &free, |lane| QueuedPair { b: Subtree::new(node, lane), ..*pair });
    }

    /// Replaces a pair by its children; or queues it as a whole if the children would be tested more than
    /// [`MAX_CHILD_TESTS`] times for each test of the pair.
    #[inline(always)]
    fn split(
        &mut self,
        pair: &QueuedPair,
        children: &Node,
        free: &[f32; WIDTH],
        child: impl Fn(usize) -> QueuedPair,
    ) {
        // A child with free time t is tested about 1 / t times per unit of time.
        let (mut min, mut tests_per_time) = (f32::INFINITY, 0.0);
        for lane in 0..WIDTH {
            if children.child(lane).is_some() {
                min = min.min(free[lane]);
                tests_per_time += free[lane].recip();
            }
        }
        if min * tests_per_time > MAX_CHILD_TESTS {
            return self.enqueue(pair, f64::from(min));
        }
        for lane in 0..WIDTH {
            if children.child(lane).is_some() {
                self.enqueue(&child(lane), f64::from(free[lane]));
            }
        }
    }
}

/// Bound of the acceleration of the points of a box of A, in units of the scale.
#[inline(always)]
fn acceleration_of_box(relative: &Relative<'_>, bounds: &Bounds) -> f32 {
    let (center, half, origin) = (bounds.center(), bounds.half_extents(), relative.a.model.center());
    let mut squared = 0.0;
    for k in 0..3 {
        let farthest = (center[k] + origin[k]).abs() + half[k];
        squared += farthest * farthest;
    }
    // Rounded up in the conversion to single precision.
    above(relative.acceleration_within(squared.sqrt()) / relative.scale)
}
