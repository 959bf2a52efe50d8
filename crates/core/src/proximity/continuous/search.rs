//! Conservative advancement of every pair of subtrees by itself [Lin17 §40.3; Mir96; TKM09].
//!
//! A pair of subtrees waits at a time until which it is proved apart. The pair with the earliest time is looked at as
//! it is then: its children get times of their own, a pair of leaves a later one, and the first pair of triangles
//! found within the tolerance is the first contact, because all that still waits is proved apart up to there.
//!
//! Departs from [Mir96] and [TKM09]: those advance the whole bodies by the least step of any pair, and ask for a
//! distance of the whole again at each step. Here a pair that is far from everything takes its own long steps, and no
//! pair is looked at beyond the first contact.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::free_time::Clock;
use super::leaves::{Leaves, Limits, look};
use super::relative::{Instant, Relative};
use crate::bvh::lanes::isa::{Isa, Kernel};
use crate::bvh::lanes::on_widest;
use crate::bvh::node::{Child, Node, WIDTH};
use crate::bvh::packet::{Bounds, above};
use crate::bvh::tree::Subtree;

/// A pair of subtrees and the time until which it is proved apart.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    time: f64,
    a: Subtree,
    b: Subtree,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    /// The earliest is the greatest; of several the one that stands last in the trees.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(self.a.cmp(&other.a)).then(self.b.cmp(&other.b))
    }
}

/// Two surfaces within the tolerance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) time: f64,
    pub(crate) pair: [u32; 2],
}

/// How a search ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending {
    /// At a contact.
    Touch(Touch),
    /// At the time it was to go to, without contact.
    Free,
    /// At this time, because it may take no more steps.
    Exhausted(f64),
}

/// The state of a search; it can be continued.
pub(crate) struct Search {
    waiting: BinaryHeap<Waiting>,
    /// Looks at a pair so far.
    pub(crate) steps: u64,
    tolerance: f64,
}

impl Search {
    /// `tolerance` [m]: what counts as touching.
    pub(crate) fn new(relative: &Relative<'_>, tolerance: f64) -> Self {
        let (a, b) = (relative.a.model.bvh().root(), relative.b.model.bvh().root());
        let waiting = BinaryHeap::from(vec![Waiting { time: 0.0, a, b }]);
        Self { waiting, steps: 0, tolerance }
    }

    /// Goes on until `end`, or until so many steps have been taken in all.
    pub(crate) fn run(&mut self, relative: &Relative<'_>, end: f64, max_iterations: u64) -> Ending {
        on_widest(Run { search: self, relative, end, max_iterations })
    }
}

struct Run<'a> {
    search: &'a mut Search,
    relative: &'a Relative<'a>,
    end: f64,
    max_iterations: u64,
}

impl Kernel for Run<'_> {
    type Output = Ending;

    #[inline(always)]
    fn run<I: Isa>(self) -> Ending {
        let margin = KEPT * self.search.tolerance;
        let mut present: Option<Present> = None;
        while let Some(&first) = self.search.waiting.peek() {
            if first.time >= self.end {
                break;
            }
            if self.search.steps >= self.max_iterations {
                return Ending::Exhausted(first.time);
            }
            self.search.steps += 1;
            self.search.waiting.pop();
            if present.as_ref().is_none_or(|present| present.time.to_bits() != first.time.to_bits()) {
                let instant = self.relative.at(first.time);
                let clock = Clock::new(self.relative, &instant, margin);
                present = Some(Present { time: first.time, instant, clock });
            }
            let present = present.as_ref().expect("set above");
            if let Some(touch) = self.search.look::<I>(self.relative, present, &first) {
                return Ending::Touch(touch);
            }
        }
        Ending::Free
    }
}

/// Share of the tolerance that gaps keep: so a contact is found before rounding could miss it.
const KEPT: f64 = 0.25;

/// How many looks at the children of a pair are worth one look at the pair.
const CROWD: f32 = 3.0;

/// The motion at one time.
struct Present {
    time: f64,
    instant: Instant,
    clock: Clock,
}

impl Search {
    #[inline(always)]
    fn look<I: Isa>(&mut self, relative: &Relative<'_>, present: &Present, first: &Waiting) -> Option<Touch> {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        match (a.child(first.a)?, b.child(first.b)?) {
            (Child::Leaf(i), Child::Leaf(j)) => {
                let limits = Limits {
                    tolerance: self.tolerance,
                    margin: KEPT * self.tolerance
                        + relative.position_slack()
                        + present.instant.a_to_b.slack(),
                    horizon: 1.0 - first.time,
                };
                match look::<I>(relative, &present.instant, a.packet(i), b.packet(j), &limits) {
                    Leaves::Touching(pair) => return Some(Touch { time: first.time, pair }),
                    Leaves::Apart(time) => self.wait(first, time),
                }
            }
            (Child::Inner(i), Child::Leaf(_)) => self.cut_a::<I>(relative, present, first, i),
            (Child::Leaf(_), Child::Inner(j)) => self.cut_b::<I>(relative, present, first, j),
            (Child::Inner(i), Child::Inner(j)) => {
                if a.bounds(first.a).half_area() > b.bounds(first.b).half_area() {
                    self.cut_a::<I>(relative, present, first, i);
                } else {
                    self.cut_b::<I>(relative, present, first, j);
                }
            }
        }
        None
    }

    #[inline(always)]
    fn wait(&mut self, pair: &Waiting, free: f64) {
        let time = pair.time + free;
        if !(time >= 1.0) {
            self.waiting.push(Waiting { time, ..*pair });
        }
    }

    #[inline(always)]
    fn cut_a<I: Isa>(&mut self, relative: &Relative<'_>, present: &Present, pair: &Waiting, node: u32) {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        let (children, curved) = (a.node(node), curved(relative, &a.bounds(pair.a)));
        let free = present.clock.of_children_of_a::<I>(children, &b.volume(pair.b), curved);
        self.part(pair, children, &free, |lane| Waiting { a: Subtree::new(node, lane), ..*pair });
    }

    #[inline(always)]
    fn cut_b<I: Isa>(&mut self, relative: &Relative<'_>, present: &Present, pair: &Waiting, node: u32) {
        let (a, b) = (relative.a.model.bvh(), relative.b.model.bvh());
        let (children, curved) = (b.node(node), curved(relative, &a.bounds(pair.a)));
        let free = present.clock.of_children_of_b::<I>(children, &a.volume(pair.a), curved);
        self.part(pair, children, &free, |lane| Waiting { b: Subtree::new(node, lane), ..*pair });
    }

    /// Replaces a pair by its children; or lets it wait as a whole where they would have to be looked at more than
    /// [`CROWD`] times for each time that it is.
    #[inline(always)]
    fn part(
        &mut self,
        pair: &Waiting,
        children: &Node,
        free: &[f32; WIDTH],
        child: impl Fn(usize) -> Waiting,
    ) {
        let (mut least, mut looks) = (f32::INFINITY, 0.0);
        for lane in 0..WIDTH {
            if children.child(lane).is_some() {
                least = least.min(free[lane]);
                looks += free[lane].recip();
            }
        }
        if least * looks > CROWD {
            return self.wait(pair, f64::from(least));
        }
        for lane in 0..WIDTH {
            if children.child(lane).is_some() {
                self.wait(&child(lane), f64::from(free[lane]));
            }
        }
    }
}

/// Bound of the acceleration of the points of a box of A, in units of the scale.
#[inline(always)]
fn curved(relative: &Relative<'_>, bounds: &Bounds) -> f32 {
    let (center, half, origin) = (bounds.center(), bounds.half_extents(), relative.a.model.center());
    let mut squared = 0.0;
    for k in 0..3 {
        let farthest = (center[k] + origin[k]).abs() + half[k];
        squared += farthest * farthest;
    }
    above(relative.acceleration_within(squared.sqrt()) / relative.scale)
}
