//! Marching again what follows from values that have changed.
//!
//! Each marched distance follows from lesser ones around it ([`super::march`]), so whether it still holds can be asked
//! at its node alone. Where a value changes, the nodes around it are asked; those that no longer hold are forgotten and
//! marched again, in order of distance; and one that comes out as it was ends the matter there. A node that is forgotten
//! is expected back at its old distance. When it is not back by then, the nodes that followed from it are asked too.

use std::ops::Range;

use super::Order;
use super::march::{FAR, Stencil, oriented};
use super::queue::Queue;

/// Marks an entry of the queue as the old distance of a node. Places in memory are below it.
const OLD: u32 = 1 << 31;

/// What is known of a field while it is marched again.
pub(super) struct Again<'a> {
    pub(super) stencil: Stencil,
    pub(super) values: &'a mut [f64],
    /// Old values of the nodes that have been touched.
    pub(super) old: Vec<f64>,
    is_touched: Vec<bool>,
    /// The nodes that have been touched.
    pub(super) touched: Vec<u32>,
    /// Difference of distances that counts as none [m].
    pub(super) same: f64,
    /// Nodes that may be marched again, as places; everywhere when it is `None`.
    pub(super) within: Option<Vec<Box3>>,
    /// Nodes outside of those that no longer hold.
    pub(super) beyond: Vec<u32>,
}

/// Ranges of nodes along the axes.
pub(super) type Box3 = [Range<usize>; 3];

impl<'a> Again<'a> {
    pub(super) fn new(stencil: Stencil, values: &'a mut [f64], same: f64, within: Option<Vec<Box3>>) -> Self {
        // Zeroed memory costs nothing until it is touched.
        let (old, is_touched) = (vec![0.0; values.len()], vec![false; values.len()]);
        Self { stencil, values, old, is_touched, touched: Vec::new(), same, within, beyond: Vec::new() }
    }

    /// Remembers the value of a node, when that has not been done.
    #[inline]
    pub(super) fn touch(&mut self, node: usize) {
        if !self.is_touched[node] {
            self.is_touched[node] = true;
            self.old[node] = self.values[node];
            self.touched.push(node as u32);
        }
    }

    /// Takes a node whose value has not changed for one that was not touched; it is no longer in the list.
    pub(super) fn forget(&mut self, node: usize) {
        self.is_touched[node] = false;
    }

    /// The greatest difference between the value of a node beyond the border and what follows from those around it [m].
    pub(super) fn jump(&self, order: Order) -> f64 {
        let gap = |&node: &u32| {
            let value = self.values[node as usize];
            let solve = match (value < 0.0, order) {
                (true, Order::First) => Stencil::solve::<true, false>,
                (true, Order::Second) => Stencil::solve::<true, true>,
                (false, Order::First) => Stencil::solve::<false, false>,
                (false, Order::Second) => Stencil::solve::<false, true>,
            };
            (solve(&self.stencil, self.values, node as usize).t - value.abs()).abs()
        };
        self.beyond.iter().map(gap).fold(0.0, f64::max)
    }

    /// Whether a node may be marched again.
    fn is_within(&self, node: usize) -> bool {
        let [_, line, plane] = self.stencil.strides;
        let at = [node % line, node % plane / line, node / plane];
        let holds = |nodes: &Box3| (0..3).all(|axis| nodes[axis].contains(&(at[axis] - 1)));
        self.within.as_ref().is_none_or(|boxes| boxes.iter().any(holds))
    }

    /// Marches again on one side, after the values of the nodes `changed` have changed.
    pub(super) fn march<const INSIDE: bool, const SECOND: bool>(&mut self, changed: &[u32]) {
        let mut queue = Queue::new(self.stencil.spacing, self.stencil.band);
        for &node in changed {
            self.around::<INSIDE, SECOND>(node as usize, 0.0, &mut queue);
            self.reach::<INSIDE, SECOND>(node as usize, &mut queue);
        }
        while let Some(entry) = queue.pop() {
            let node = (entry.node & !OLD) as usize;
            let value = oriented::<INSIDE>(self.values[node]);
            if entry.node & OLD != 0 {
                if value >= FAR {
                    let old = oriented::<INSIDE>(self.old[node]);
                    self.around::<INSIDE, SECOND>(node, old, &mut queue);
                }
            } else if value >= FAR && entry.distance <= self.stencil.limit {
                self.arrive::<INSIDE, SECOND>(node, entry.distance, &mut queue);
            }
        }
    }

    /// A node whose turn it is: its distance stands, unless what it followed from has been forgotten since.
    fn arrive<const INSIDE: bool, const SECOND: bool>(
        &mut self,
        node: usize,
        expected: f64,
        queue: &mut Queue,
    ) {
        let t = self.stencil.solve::<INSIDE, SECOND>(self.values, node).t;
        if t > expected {
            if t < FAR {
                queue.push(t, node as u32);
            }
            return;
        }
        self.touch(node);
        let old = oriented::<INSIDE>(self.old[node]);
        let is_same = (t - old).abs() <= self.same;
        self.values[node] = if is_same { self.old[node] } else { oriented::<INSIDE>(t) };
        self.around_far::<INSIDE, SECOND>(node, queue);
        if !is_same {
            self.around::<INSIDE, SECOND>(node, t, queue);
        }
    }

    /// Asks the nodes around one that are farther than `from` [m] whether they hold.
    fn around<const INSIDE: bool, const SECOND: bool>(&mut self, node: usize, from: f64, queue: &mut Queue) {
        for other in self.neighbours(node).into_iter().flatten() {
            let value = oriented::<INSIDE>(self.values[other]);
            // What is in the band is not marched.
            if !(value > self.stencil.band && value < FAR && value >= from) {
                continue;
            }
            let t = self.stencil.solve::<INSIDE, SECOND>(self.values, other).t;
            if (t - value).abs() <= self.same {
                continue;
            }
            if !self.is_within(other) {
                self.beyond.push(other as u32);
                continue;
            }
            self.touch(other);
            self.values[other] = oriented::<INSIDE>(FAR);
            queue.push(value + self.same, other as u32 | OLD);
            if t < FAR {
                queue.push(t, other as u32);
            }
        }
    }

    fn around_far<const INSIDE: bool, const SECOND: bool>(&mut self, node: usize, queue: &mut Queue) {
        for other in self.neighbours(node).into_iter().flatten() {
            self.reach::<INSIDE, SECOND>(other, queue);
        }
    }

    /// Puts a node that is not known into the queue, when it can be reached.
    fn reach<const INSIDE: bool, const SECOND: bool>(&self, node: usize, queue: &mut Queue) {
        if oriented::<INSIDE>(self.values[node]) >= FAR && self.is_within(node) {
            let t = self.stencil.solve::<INSIDE, SECOND>(self.values, node).t;
            if t < FAR {
                queue.push(t, node as u32);
            }
        }
    }

    /// The nodes whose distance may follow from that of one: its neighbours and those behind them.
    fn neighbours(&self, node: usize) -> [Option<usize>; 12] {
        let mut found = [None; 12];
        for axis in 0..3 {
            let step = self.stencil.strides[axis];
            for (side, (one, two)) in
                [(node - step, node.wrapping_sub(2 * step)), (node + step, node + 2 * step)]
                    .into_iter()
                    .enumerate()
            {
                // The border is NaN; nothing is behind it.
                if !self.values[one].is_nan() {
                    found[4 * axis + 2 * side] = Some(one);
                    found[4 * axis + 2 * side + 1] = (!self.values[two].is_nan()).then_some(two);
                }
            }
        }
        found
    }
}
