//! One tree against itself: every pair of its triangles whose boxes overlap, once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::Point3;
use rayon::prelude::*;

use super::SelfCollisionOptions;
use super::pair::Judge;
use crate::bvh::node::{Bounds, Child, NONE, Node, PACKET, Packet, WIDTH};
use crate::bvh::{Subtree, TriangleBvh};
use crate::proximity::Model;

/// Parts of the work that threads share: enough for many threads, few enough to cost nothing.
const SHARES: usize = 256;

/// What a descent has found.
pub(super) enum Found {
    /// Some pair, when one was enough.
    Any,
    /// All pairs, or none.
    Pairs(Vec<[u32; 2]>),
}

/// Work that waits.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// The pairs within a subtree.
    Within(Subtree),
    /// The pairs of a triangle of one subtree and one of another.
    Between(Subtree, Subtree),
}

/// The tree against itself, until the first collision or for all of them.
pub(super) fn descend(model: &Model, options: &SelfCollisionOptions, is_one_enough: bool) -> Found {
    let (mesh, tree) = (model.mesh(), model.bvh());
    let greatest = mesh.vertices().iter().map(|p| p.coords.amax()).fold(0.0, f64::max);
    let descent = Descent {
        model,
        tree,
        judge: Judge::new(greatest, options.touching),
        is_one_enough,
        is_over: AtomicBool::new(false),
    };
    let found = if options.parallel {
        let shares = descent.shares();
        shares.into_par_iter().map(|work| descent.run(work)).collect::<Vec<_>>().concat()
    } else {
        descent.run(Work::Within(tree.root()))
    };
    if is_one_enough && !found.is_empty() {
        return Found::Any;
    }
    let mut pairs = found;
    pairs.sort_unstable();
    Found::Pairs(pairs)
}

struct Descent<'a> {
    model: &'a Model,
    tree: &'a TriangleBvh,
    judge: Judge,
    is_one_enough: bool,
    /// Whether a collision was found and one is enough.
    is_over: AtomicBool,
}

impl Descent<'_> {
    /// The work in parts.
    fn shares(&self) -> Vec<Work> {
        let mut shares = vec![Work::Within(self.tree.root())];
        while shares.len() < SHARES {
            let before = shares.len();
            let mut finer = Vec::new();
            for &work in &shares {
                if !self.expand(work, &mut finer) {
                    finer.push(work);
                }
            }
            shares = finer;
            if shares.len() <= before {
                break;
            }
        }
        shares
    }

    /// The collisions in a part of the work.
    fn run(&self, work: Work) -> Vec<[u32; 2]> {
        let (mut stack, mut pairs) = (vec![work], Vec::new());
        while let Some(work) = stack.pop() {
            if self.expand(work, &mut stack) {
                continue;
            }
            let flow = match work {
                Work::Within(subtree) => self.within_leaf(self.leaf(subtree), &mut pairs),
                Work::Between(x, y) => self.between_leaves(self.leaf(x), self.leaf(y), &mut pairs),
            };
            if flow.is_break() || self.is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        pairs
    }

    /// Replaces work by smaller work; false for leaves.
    fn expand(&self, work: Work, finer: &mut Vec<Work>) -> bool {
        let inner = |subtree: Subtree| match self.tree.child(subtree) {
            Some(Child::Inner(node)) => Some(node),
            _ => None,
        };
        match work {
            Work::Within(subtree) => {
                let Some(index) = inner(subtree) else { return false };
                self.expand_within(index, finer);
            }
            Work::Between(x, y) => match (inner(x), inner(y)) {
                (None, None) => return false,
                (Some(index), None) => self.expand_between(index, y, finer),
                (None, Some(index)) => self.expand_between(index, x, finer),
                (Some(i), Some(j)) => {
                    if self.tree.bounds(x).half_area() > self.tree.bounds(y).half_area() {
                        self.expand_between(i, y, finer);
                    } else {
                        self.expand_between(j, x, finer);
                    }
                }
            },
        }
        true
    }

    fn expand_within(&self, index: u32, finer: &mut Vec<Work>) {
        let node = self.tree.node(index);
        for lane in (0..WIDTH).filter(|&lane| node.child(lane).is_some()) {
            let subtree = Subtree::new(index, lane);
            finer.push(Work::Within(subtree));
            let overlaps = overlapping(node, &node.bounds(lane)) >> (lane + 1);
            for other in (0..WIDTH - 1 - lane).filter(|k| overlaps >> k & 1 != 0) {
                finer.push(Work::Between(subtree, Subtree::new(index, lane + 1 + other)));
            }
        }
    }

    fn expand_between(&self, index: u32, other: Subtree, finer: &mut Vec<Work>) {
        let overlaps = overlapping(self.tree.node(index), &self.tree.bounds(other));
        for lane in (0..WIDTH).filter(|lane| overlaps >> lane & 1 != 0) {
            finer.push(Work::Between(Subtree::new(index, lane), other));
        }
    }

    fn leaf(&self, subtree: Subtree) -> &Packet {
        match self.tree.child(subtree) {
            Some(Child::Leaf(packet)) => self.tree.packet(packet),
            _ => unreachable!("inner nodes and empty lanes are expanded"),
        }
    }

    fn within_leaf(&self, leaf: &Packet, pairs: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        for i in 0..PACKET {
            for j in 0..i {
                self.look_at(leaf.triangles[i], leaf.triangles[j], pairs)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn between_leaves(&self, x: &Packet, y: &Packet, pairs: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        let boxes = [x, y].map(|packet| std::array::from_fn::<_, PACKET, _>(|lane| box_of(packet, lane)));
        for i in 0..PACKET {
            for j in 0..PACKET {
                let ([p_min, p_max], [q_min, q_max]) = (&boxes[0][i], &boxes[1][j]);
                if (0..3).all(|k| p_min[k] <= q_max[k] && q_min[k] <= p_max[k]) {
                    self.look_at(x.triangles[i], y.triangles[j], pairs)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn look_at(&self, i: u32, j: u32, pairs: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        if i == NONE || j == NONE {
            return ControlFlow::Continue(());
        }
        let [p, q]: [[Point3<f64>; 3]; 2] = [i, j].map(|index| self.model.mesh().triangle(index as usize));
        if self.judge.collide(&p, &q) {
            pairs.push([i.min(j), i.max(j)]);
            if self.is_one_enough {
                self.is_over.store(true, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// One bit for each child of a node whose box overlaps.
fn overlapping(node: &Node, bounds: &Bounds) -> u32 {
    let mut overlaps = [true; WIDTH];
    for axis in 0..3 {
        for lane in 0..WIDTH {
            overlaps[lane] &=
                node.min[axis][lane] <= bounds.max[axis] && bounds.min[axis] <= node.max[axis][lane];
        }
    }
    (0..WIDTH).fold(0, |bits, lane| bits | u32::from(overlaps[lane]) << lane)
}

/// Least and greatest coordinates of a triangle [m, frame of the tree].
fn box_of(packet: &Packet, lane: usize) -> [[f64; 3]; 2] {
    let corners = &packet.corners;
    let mut bounds = [[0.0; 3]; 2];
    for axis in 0..3 {
        let [a, b, c] = [corners[0][axis][lane], corners[1][axis][lane], corners[2][axis][lane]];
        bounds[0][axis] = a.min(b).min(c);
        bounds[1][axis] = a.max(b).max(c);
    }
    bounds
}
