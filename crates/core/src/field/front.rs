//! Fast marching: propagates distances from known nodes to all others, nearest first, and again where some have changed
//! [Fisher01 §4.2, §4.4].
//!
//! The final state must satisfy one condition: each distance is the local solution for the smaller ones around it
//! ([`super::march`]). A node that is reached waits until the front is near, is solved, and becomes known when its distance
//! is due. Nodes of one bucket of the queue become known in any order; when one follows a larger one that depends on it,
//! that one is solved again. An update does the same: where a known value changes, larger ones that may depend on it are
//! solved again, in the order of their distances, and propagation ends at those that are unchanged.
//!
//! Departs from fast marching in the order within a bucket, which saves sorting; the result is the same.

use super::log::{Bits, Log};
use super::march::{FAR, KNOWN, Stencil, oriented};
use super::options::{Order, Side};
use super::queue::Queue;

/// Scale of the value of a node that waits to be solved: the distance at which it is due times this.
const WAITING: f64 = f64::from_bits((1023 + 500) << 52);
/// Scale of the value of a node that is solved but not yet known: its distance times this.
const TENTATIVE: f64 = f64::from_bits((1023 + 800) << 52);
/// Bound between the two.
const SOLVED: f64 = f64::from_bits((1023 + 650) << 52);
/// Approximate minimum increase from the first known neighbour to a node, in spacings; three equal neighbours give 1/√3.
/// With a larger value more neighbours are known when a node is first solved, so fewer are solved twice; above 1/√3 some
/// are solved after they are due.
const LEAD: f64 = 0.55;
/// Maximum increase of a known distance, in spacings, at which the node stays known. With a larger increase its dependents
/// could be taken for its sources; it waits to be known again instead.
const GROWTH: f64 = 0.5;

/// Nodes that are prefetched together: about as many as the processor has outstanding cache misses. It changes speed only.
const AHEAD: usize = 16;

/// Marches on one side away from the nodes `known`, whose neighbours are all to be reached; returns the number of nodes
/// that have become known.
pub(super) fn march(stencil: &Stencil, side: Side, order: Order, values: &mut [f64], known: &[u32]) -> usize {
    match (side == Side::Inside, order) {
        (true, Order::First) => Front::<true, false, false>::march(stencil, values, known),
        (true, Order::Second) => Front::<true, true, false>::march(stencil, values, known),
        (false, Order::First) => Front::<false, false, false>::march(stencil, values, known),
        (false, Order::Second) => Front::<false, true, false>::march(stencil, values, known),
    }
}

/// Propagates on one side the changes of the nodes `changed`, whose values have been set.
pub(super) fn march_again(
    stencil: &Stencil,
    side: Side,
    order: Order,
    values: &mut [f64],
    changed: &[u32],
    log: &mut Log,
) {
    match (side == Side::Inside, order) {
        (true, Order::First) => Front::<true, false, true>::march_again(stencil, values, changed, log),
        (true, Order::Second) => Front::<true, true, true>::march_again(stencil, values, changed, log),
        (false, Order::First) => Front::<false, false, true>::march_again(stencil, values, changed, log),
        (false, Order::Second) => Front::<false, true, true>::march_again(stencil, values, changed, log),
    }
}

/// A march on one side, of first or second order, of a new field or of one that is updated.
struct Front<'a, const INSIDE: bool, const SECOND: bool, const UPDATE: bool> {
    stencil: &'a Stencil,
    values: &'a mut [f64],
    queue: Queue,
    /// Known nodes that must be solved again.
    in_doubt: Bits,
    log: &'a mut Log,
    reached: usize,
}

impl<'a, const INSIDE: bool, const SECOND: bool, const UPDATE: bool> Front<'a, INSIDE, SECOND, UPDATE> {
    fn new(stencil: &'a Stencil, values: &'a mut [f64], log: &'a mut Log) -> Self {
        let queue = Queue::new(stencil.spacing, stencil.band);
        let in_doubt = Bits::new(values.len());
        Self { stencil, values, queue, in_doubt, log, reached: 0 }
    }

    fn march(stencil: &'a Stencil, values: &'a mut [f64], known: &[u32]) -> usize {
        let mut log = Log::default();
        let mut front = Front::<INSIDE, SECOND, UPDATE>::new(stencil, values, &mut log);
        for &node in known {
            front.reach_around(node as usize);
        }
        front.run();
        front.reached
    }

    fn march_again(stencil: &'a Stencil, values: &'a mut [f64], changed: &[u32], log: &'a mut Log) {
        let mut front = Self::new(stencil, values, log);
        for &node in changed {
            let node = node as usize;
            let value = front.get(node);
            if value < KNOWN {
                front.propagate(node, value, f64::NEG_INFINITY);
            } else {
                front.propagate(node, f64::INFINITY, f64::NEG_INFINITY);
                if value >= FAR {
                    front.wait(node, front.stencil.floor);
                }
            }
        }
        front.run();
    }

    #[inline(always)]
    fn get(&self, node: usize) -> f64 {
        oriented::<INSIDE>(self.values[node])
    }

    #[inline(always)]
    fn set(&mut self, node: usize, value: f64) {
        self.values[node] = oriented::<INSIDE>(value);
    }

    /// A call: inlined into all that solve again what depends on a node, it was most of the code of a march.
    #[inline(never)]
    fn solve(&mut self, node: usize) -> f64 {
        if UPDATE {
            self.log.solved += 1;
        }
        self.stencil.solve::<INSIDE, SECOND>(self.values, node)
    }

    fn run(&mut self) {
        while let Some(entry) = self.queue.pop() {
            if self.queue.open().len().is_multiple_of(AHEAD) {
                self.fetch();
            }
            let node = entry as usize;
            let value = self.get(node);
            if value < KNOWN {
                if self.in_doubt.remove(node) {
                    self.verify(node, value);
                }
            } else if value < SOLVED {
                self.solve_waiting(node, value / WAITING);
            } else if value < FAR {
                let t = value / TENTATIVE;
                if self.queue.is_ahead(t) { self.queue.push(t, entry) } else { self.arrive(node, t) }
            }
        }
    }

    /// Prefetches the values around the nodes that leave the queue next: these reads are independent, whereas those of
    /// one node after the other would wait for each other.
    #[inline(always)]
    fn fetch(&self) {
        let open = self.queue.open();
        let [_, line, plane] = self.stencil.strides;
        let mut sum = 0.0;
        for &node in &open[open.len().saturating_sub(AHEAD)..] {
            let node = node as usize;
            // A node has neighbours on all sides, at least the border.
            let near = self.values[node - line] + self.values[node] + self.values[node + line];
            sum += near + self.values[node - plane] + self.values[node + plane];
        }
        std::hint::black_box(sum);
    }

    /// Solves a waiting node that is nearly due.
    #[inline(always)]
    fn solve_waiting(&mut self, node: usize, due: f64) {
        // It may have waited in the last bucket of the ring.
        if self.queue.is_ahead(due) {
            self.queue.push(due, node as u32);
            return;
        }
        let t = self.solve(node);
        if t <= self.stencil.limit && !self.queue.is_ahead(t) {
            self.arrive(node, t);
        } else {
            self.expect(node, t);
        }
    }

    /// Makes a solved node tentative with the distance `t`, or far where that is beyond the limit.
    #[inline(always)]
    fn expect(&mut self, node: usize, t: f64) {
        if t < KNOWN && t <= self.stencil.limit {
            self.set(node, t * TENTATIVE);
            self.queue.push(t, node as u32);
        } else {
            self.set(node, FAR);
        }
    }

    /// Makes a far node wait to be solved at the distance `due`.
    #[inline(always)]
    fn wait(&mut self, node: usize, due: f64) {
        if UPDATE {
            if !self.log.allows(node, self.stencil.strides) {
                return;
            }
            self.log.note(node, oriented::<INSIDE>(FAR));
        }
        self.set(node, due * WAITING);
        self.queue.push(due, node as u32);
    }

    /// Makes a node known.
    #[inline(always)]
    fn arrive(&mut self, node: usize, t: f64) {
        self.set(node, t);
        self.reached += 1;
        self.propagate(node, t, t);
    }

    /// Solves a known node again whose value may no longer be valid.
    #[inline(always)]
    fn verify(&mut self, node: usize, old: f64) {
        let t = self.solve(node);
        if t.to_bits() == old.to_bits() {
            return;
        }
        if UPDATE {
            self.log.note(node, oriented::<INSIDE>(old));
        }
        if t <= self.stencil.limit && t <= old + GROWTH * self.stencil.spacing {
            self.set(node, t);
            self.propagate(node, t, t.min(old));
        } else {
            self.expect(node, t);
            self.reached -= usize::from(!UPDATE);
            self.propagate(node, f64::INFINITY, old);
        }
    }

    /// Makes the far neighbours of a known node wait.
    #[inline(always)]
    fn reach_around(&mut self, node: usize) {
        let value = self.get(node);
        // Skips nodes on the other side of the surface and beyond the limit.
        if !(value > 0.0 && value < self.stencil.limit) {
            return;
        }
        for step in self.stencil.strides {
            for neighbour in [node - step, node + step] {
                if self.get(neighbour) >= FAR {
                    self.wait(neighbour, (value + LEAD * self.stencil.spacing).max(self.stencil.floor));
                }
            }
        }
    }

    /// Propagates a change of a node to `value`: neighbours larger than `from` may depend on it.
    #[inline(always)]
    fn propagate(&mut self, node: usize, value: f64, from: f64) {
        for axis in 0..3 {
            let step = self.stencil.strides[axis];
            for (neighbour, beyond) in
                [(node - step, node.wrapping_sub(2 * step)), (node + step, node + 2 * step)]
            {
                let other = self.get(neighbour);
                // NaN, the border, compares false.
                if !(other > from) {
                    continue;
                }
                if other < KNOWN {
                    self.doubt(neighbour, other);
                    self.notify(beyond, from);
                } else if other >= FAR {
                    if value < self.stencil.limit {
                        let due = value + LEAD * self.stencil.spacing;
                        self.wait(neighbour, due.max(self.stencil.floor));
                    }
                } else if other >= SOLVED {
                    // A node whose opposite neighbour is smaller does not depend on this one.
                    if UPDATE || !(self.get(beyond) < value - self.stencil.tie) {
                        self.solve_again(neighbour, other);
                    }
                }
            }
        }
    }

    /// Solves a tentative node again.
    #[inline(always)]
    fn solve_again(&mut self, node: usize, value: f64) {
        let t = self.solve(node);
        if (t * TENTATIVE).to_bits() == value.to_bits() {
            return;
        }
        // In the same bucket the node's entry in the queue stays valid.
        if self.queue.bucket(t) == self.queue.bucket(value / TENTATIVE) {
            self.set(node, t * TENTATIVE);
        } else {
            self.expect(node, t);
        }
    }

    /// Rechecks a node behind a larger neighbour: its difference of second order may depend on the changed node.
    #[inline(always)]
    fn notify(&mut self, node: usize, from: f64) {
        let value = self.get(node);
        if value > from {
            if value < KNOWN {
                self.doubt(node, value);
            } else if (SOLVED..FAR).contains(&value) {
                self.solve_again(node, value);
            }
        }
    }

    /// Marks a known node to be solved again when it is due, unless it is exact.
    #[inline(always)]
    fn doubt(&mut self, node: usize, value: f64) {
        if value > self.stencil.band {
            if UPDATE && !self.log.allows(node, self.stencil.strides) {
                self.log.beyond.push(node as u32);
            } else if self.in_doubt.insert(node) {
                self.queue.push(value, node as u32);
            }
        }
    }
}
