//! Fast marching: distances from known nodes to all others, the nearest first, and again where some have changed
//! [Fisher01 §4.2, §4.4].
//!
//! Each distance follows from lesser ones around it ([`super::march`]), and this is all that must hold in the end. A
//! node that is reached waits until its turn comes nearly up, is solved, and becomes known when its distance is due.
//! Nodes of one bucket of the queue become known in no order; when one comes after a greater one that it has part in,
//! that one is asked again. The same question serves an update: where a known value changes, greater ones that may
//! follow from it are asked whether they hold, in the order of their distances, and one that holds ends the matter.
//!
//! Departs from fast marching in the order within a bucket, which saves sorting; the outcome is the same.

use super::log::{Bits, Log};
use super::march::{FAR, KNOWN, Stencil, oriented};
use super::options::{Order, Side};
use super::queue::Queue;

/// A node that waits to be solved has the distance of its turn times this.
const WAITING: f64 = f64::from_bits((1023 + 500) << 52);
/// A node that has been solved and waits for its turn has its distance times this.
const TENTATIVE: f64 = f64::from_bits((1023 + 800) << 52);
/// Between the two.
const SOLVED: f64 = f64::from_bits((1023 + 650) << 52);
/// Spacings by which a node is at least farther than the first of its neighbours, about; three equal ones make 1/√3. A
/// greater number finds more neighbours known when a node is first solved; too great a one comes late.
const LEAD: f64 = 0.55;
/// Growth of a known distance in spacings up to which it stays known while others are asked. A greater one would be
/// taken for the sources of those that have followed from it.
const GROWTH: f64 = 0.5;

/// Nodes that are read ahead: as many as the processor can wait for at once.
const AHEAD: usize = 16;

/// Marches on one side away from the nodes `known`, of which all around are to be reached; the number of nodes that
/// have become known.
pub(super) fn march(stencil: &Stencil, side: Side, order: Order, values: &mut [f64], known: &[u32]) -> usize {
    match (side == Side::Inside, order) {
        (true, Order::First) => Front::<true, false, false>::march(stencil, values, known),
        (true, Order::Second) => Front::<true, true, false>::march(stencil, values, known),
        (false, Order::First) => Front::<false, false, false>::march(stencil, values, known),
        (false, Order::Second) => Front::<false, true, false>::march(stencil, values, known),
    }
}

/// Marches on one side what follows from the nodes `changed` whose values have been changed.
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
    /// Known nodes that are to be solved again.
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
                front.spread(node, value, f64::NEG_INFINITY);
            } else {
                front.spread(node, f64::INFINITY, f64::NEG_INFINITY);
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

    #[inline(always)]
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
                    self.ask(node, value);
                }
            } else if value < SOLVED {
                self.turn_of_waiting(node, value / WAITING);
            } else if value < FAR {
                let t = value / TENTATIVE;
                if self.queue.is_ahead(t) { self.queue.push(t, entry) } else { self.arrive(node, t) }
            }
        }
    }

    /// Reads around the nodes that leave the queue next, so that what is in no near cache comes while it is not needed:
    /// the reads do not wait for each other, as those of one node after the other do.
    #[inline(always)]
    fn fetch(&self) {
        let open = self.queue.open();
        let [_, line, plane] = self.stencil.strides;
        let mut sum = 0.0;
        for &node in &open[open.len().saturating_sub(AHEAD)..] {
            let node = node as usize;
            // A node has neighbours on all sides, if only the border.
            let near = self.values[node - line] + self.values[node] + self.values[node + line];
            sum += near + self.values[node - plane] + self.values[node + plane];
        }
        std::hint::black_box(sum);
    }

    /// A node is solved whose turn is near.
    #[inline(always)]
    fn turn_of_waiting(&mut self, node: usize, turn: f64) {
        if self.queue.is_ahead(turn) {
            self.queue.push(turn, node as u32);
            return;
        }
        let t = self.solve(node);
        if t <= self.stencil.limit && !self.queue.is_ahead(t) {
            self.arrive(node, t);
        } else {
            self.expect(node, t);
        }
    }

    /// A node waits for its turn with the distance that it would have, or is far.
    #[inline(always)]
    fn expect(&mut self, node: usize, t: f64) {
        if t < KNOWN && t <= self.stencil.limit {
            self.set(node, t * TENTATIVE);
            self.queue.push(t, node as u32);
        } else {
            self.set(node, FAR);
        }
    }

    /// A node that is far waits to be solved.
    #[inline(always)]
    fn wait(&mut self, node: usize, turn: f64) {
        if UPDATE {
            if !self.log.allows(node, self.stencil.strides) {
                return;
            }
            self.log.note(node, oriented::<INSIDE>(FAR));
        }
        self.set(node, turn * WAITING);
        self.queue.push(turn, node as u32);
    }

    /// A node becomes known.
    #[inline(always)]
    fn arrive(&mut self, node: usize, t: f64) {
        self.set(node, t);
        self.reached += 1;
        self.spread(node, t, t);
    }

    /// A known node that may no longer hold is solved again.
    #[inline(always)]
    fn ask(&mut self, node: usize, old: f64) {
        let t = self.solve(node);
        if t.to_bits() == old.to_bits() {
            return;
        }
        if UPDATE {
            self.log.note(node, oriented::<INSIDE>(old));
        }
        if t <= self.stencil.limit && t <= old + GROWTH * self.stencil.spacing {
            self.set(node, t);
            self.spread(node, t, t.min(old));
        } else {
            self.expect(node, t);
            self.reached -= usize::from(!UPDATE);
            self.spread(node, f64::INFINITY, old);
        }
    }

    /// Nodes around a known one that nothing is known of are reached.
    #[inline(always)]
    fn reach_around(&mut self, node: usize) {
        let value = self.get(node);
        // Neither what is on the other side nor what is too far.
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

    /// The value of a node has become or is no longer `value`, and what is greater than `from` may follow from it.
    #[inline(always)]
    fn spread(&mut self, node: usize, value: f64, from: f64) {
        for axis in 0..3 {
            let step = self.stencil.strides[axis];
            for (neighbour, beyond) in
                [(node - step, node.wrapping_sub(2 * step)), (node + step, node + 2 * step)]
            {
                let other = self.get(neighbour);
                // NaN, the border, is not greater than anything.
                if !(other > from) {
                    continue;
                }
                if other < KNOWN {
                    self.doubt(neighbour, other);
                    self.tell(beyond, from);
                } else if other >= FAR {
                    if value < self.stencil.limit {
                        let turn = value + LEAD * self.stencil.spacing;
                        self.wait(neighbour, turn.max(self.stencil.floor));
                    }
                } else if other >= SOLVED {
                    // A node whose neighbour opposite is lesser does not follow from this one.
                    if UPDATE || !(self.get(beyond) < value - self.stencil.tie) {
                        self.solve_again(neighbour, other);
                    }
                }
            }
        }
    }

    /// A node that waits for its turn is solved again.
    #[inline(always)]
    fn solve_again(&mut self, node: usize, value: f64) {
        let t = self.solve(node);
        if (t * TENTATIVE).to_bits() == value.to_bits() {
            return;
        }
        if self.queue.bucket(t) == self.queue.bucket(value / TENTATIVE) {
            self.set(node, t * TENTATIVE);
        } else {
            self.expect(node, t);
        }
    }

    /// A node behind a neighbour that is greater than `from` may follow from both.
    #[inline(always)]
    fn tell(&mut self, node: usize, from: f64) {
        let value = self.get(node);
        if value > from {
            if value < KNOWN {
                self.doubt(node, value);
            } else if (SOLVED..FAR).contains(&value) {
                self.solve_again(node, value);
            }
        }
    }

    /// A known node is to be solved again when its turn comes, unless it is exact.
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
