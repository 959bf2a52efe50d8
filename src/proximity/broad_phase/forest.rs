//! Trees over the boxes, one for each class of sizes, and their descent against themselves.
//!
//! A tree is implicit: eight boxes of the order make a leaf, eight leaves a node, and so on; every level stands in one
//! piece, and child `l` of node `i` is node `8 i + l` of the level below. Boxes are tested in `f64`, so that a hit is a
//! pair and nothing remains to be checked.

use std::ops::Range;

use rayon::prelude::*;

use super::order::{self, CLASSES};
use super::{BoxHandle, BoxPair};
use crate::bvh::lanes::{Double, Isa, Mask, Portable};
use crate::geometry::Aabb;

/// Boxes of a leaf and children of a node.
pub(super) const WIDTH: usize = 8;
/// Leaves whose pairs one task finds.
const TASK: usize = 128;

/// Eight boxes side by side [m]; an empty lane overlaps nothing.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Node {
    /// `min[axis][half][lane]`.
    min: [[[f64; 4]; 2]; 3],
    max: [[[f64; 4]; 2]; 3],
}

/// A box as two corners [m].
type Corners = [[f64; 3]; 2];

impl Node {
    const EMPTY: Self = Self { min: [[[f64::INFINITY; 4]; 2]; 3], max: [[[f64::NEG_INFINITY; 4]; 2]; 3] };

    #[inline(always)]
    fn set(&mut self, lane: usize, corners: &Corners) {
        for axis in 0..3 {
            self.min[axis][lane / 4][lane % 4] = corners[0][axis];
            self.max[axis][lane / 4][lane % 4] = corners[1][axis];
        }
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Corners {
        let (half, lane) = (lane / 4, lane % 4);
        [
            [self.min[0][half][lane], self.min[1][half][lane], self.min[2][half][lane]],
            [self.max[0][half][lane], self.max[1][half][lane], self.max[2][half][lane]],
        ]
    }

    /// The box around all lanes.
    fn hull(&self) -> Corners {
        let mut hull = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for axis in 0..3 {
            for lane in 0..WIDTH {
                hull[0][axis] = hull[0][axis].min(self.min[axis][lane / 4][lane % 4]);
                hull[1][axis] = hull[1][axis].max(self.max[axis][lane / 4][lane % 4]);
            }
        }
        hull
    }

    /// One bit for every lane whose box overlaps the given one.
    #[inline(always)]
    fn overlapping<I: Isa>(&self, corners: &Corners) -> u32 {
        let mut bits = 0;
        for half in 0..2 {
            let mut mask = I::Double::load(&self.min[0][half]).less_or_equal(I::Double::splat(corners[1][0]));
            mask = mask & I::Double::splat(corners[0][0]).less_or_equal(I::Double::load(&self.max[0][half]));
            for axis in 1..3 {
                let (min, max) =
                    (I::Double::load(&self.min[axis][half]), I::Double::load(&self.max[axis][half]));
                mask = mask & min.less_or_equal(I::Double::splat(corners[1][axis]));
                mask = mask & I::Double::splat(corners[0][axis]).less_or_equal(max);
            }
            bits |= mask.bits() << (4 * half);
        }
        bits
    }
}

/// One tree of the forest.
#[derive(Debug, Clone, Default)]
struct Tree {
    /// Where the levels' nodes stand, leaves first; the last level is one node, and there is no level without boxes.
    levels: Vec<Range<usize>>,
}

/// Trees over boxes, the least class of sizes first.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    /// Handles of the boxes of all leaves, eight for each; those of empty lanes mean nothing.
    handles: Vec<BoxHandle>,
    /// The leaves of all trees, and then their inner nodes.
    nodes: Vec<Node>,
    trees: Vec<Tree>,
}

impl Forest {
    /// Puts the boxes that are not empty in order and in leaves.
    pub(super) fn rebuild(&mut self, boxes: &[Aabb]) {
        let (order, counts) = order::order(boxes);
        self.plant(&counts);
        let mut rest = &order[..];
        for (tree, &count) in self.trees.iter().zip(counts.iter().filter(|&&count| count > 0)) {
            let (own, others) = rest.split_at(count);
            let handles = self.handles[WIDTH * tree.levels[0].start..].chunks_mut(WIDTH);
            for (lanes, indices) in handles.zip(own.chunks(WIDTH)) {
                for (lane, &index) in lanes.iter_mut().zip(indices) {
                    *lane = BoxHandle(index);
                }
            }
            rest = others;
        }
        self.refit(boxes);
    }

    /// Makes room for trees of so many boxes.
    fn plant(&mut self, counts: &[usize; CLASSES]) {
        self.trees.clear();
        let mut end = 0;
        for &count in counts.iter().filter(|&&count| count > 0) {
            let leaves = end..end + count.div_ceil(WIDTH);
            end = leaves.end;
            self.trees.push(Tree { levels: vec![leaves] });
        }
        self.handles.clear();
        self.handles.resize(WIDTH * end, NO_BOX);
        for tree in &mut self.trees {
            while tree.levels[tree.levels.len() - 1].len() > 1 {
                let below = tree.levels[tree.levels.len() - 1].len();
                tree.levels.push(end..end + below.div_ceil(WIDTH));
                end += below.div_ceil(WIDTH);
            }
        }
        self.nodes.clear();
        self.nodes.resize(end, Node::EMPTY);
    }

    /// Takes over the boxes as they are now, in the order that they had.
    fn refit(&mut self, boxes: &[Aabb]) {
        let leaves = self.handles.len() / WIDTH;
        let fill = |(node, handles): (&mut Node, &[BoxHandle])| {
            for (lane, handle) in handles.iter().enumerate().filter(|(_, handle)| **handle != NO_BOX) {
                let aabb = &boxes[handle.index()];
                node.set(lane, &[aabb.min.into(), aabb.max.into()]);
            }
        };
        let pieces = self.nodes[..leaves].par_iter_mut().zip(self.handles.par_chunks(WIDTH));
        pieces.with_min_len(TASK).for_each(fill);
        for tree in &self.trees {
            for levels in tree.levels.windows(2) {
                let (below, above) = self.nodes.split_at_mut(levels[1].start);
                let above = &mut above[..levels[1].len()];
                let below = below[levels[0].clone()].par_chunks(WIDTH);
                above.par_iter_mut().zip(below).with_min_len(TASK).for_each(|(node, children)| {
                    *node = Node::EMPTY;
                    for (lane, child) in children.iter().enumerate() {
                        node.set(lane, &child.hull());
                    }
                });
            }
        }
    }

    /// All pairs of boxes that overlap, in no order to rely on.
    pub(super) fn pairs(&self) -> Vec<BoxPair> {
        let tasks = self.trees.iter().enumerate().flat_map(|(tree, of)| {
            of.levels[0]
                .clone()
                .step_by(TASK)
                .map(move |first| (tree, first..of.levels[0].end.min(first + TASK)))
        });
        let tasks = tasks.collect::<Vec<_>>();
        let found = tasks.par_iter().map(|(tree, leaves)| {
            let mut found = Vec::new();
            self.pairs_of(*tree, leaves.clone(), &mut found);
            found
        });
        found.collect::<Vec<_>>().concat()
    }

    /// The pairs of boxes in these leaves of a tree with boxes in themselves or in later leaves.
    fn pairs_of(&self, tree: usize, leaves: Range<usize>, found: &mut Vec<BoxPair>) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            unsafe {
                self.pairs_of_avx2(tree, leaves, found);
            }
            return;
        }
        self.pairs_of_with::<Portable>(tree, leaves, found);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn pairs_of_avx2(&self, tree: usize, leaves: Range<usize>, found: &mut Vec<BoxPair>) {
        self.pairs_of_with::<crate::bvh::lanes::Avx2>(tree, leaves, found);
    }

    #[inline(always)]
    fn pairs_of_with<I: Isa>(&self, tree: usize, leaves: Range<usize>, found: &mut Vec<BoxPair>) {
        let mut stack = Vec::new();
        for leaf in leaves {
            self.within::<I>(leaf, found);
            let hull = self.nodes[leaf].hull();
            for other in &self.trees[tree..] {
                let top = other.levels.len() - 1;
                if top == 0 {
                    if other.levels[0].start > leaf {
                        self.between::<I>(leaf, other.levels[0].start, found);
                    }
                    continue;
                }
                stack.push((top, 0));
                while let Some((level, index)) = stack.pop() {
                    let node = &self.nodes[other.levels[level].start + index];
                    let mut hits = node.overlapping::<I>(&hull);
                    while hits != 0 {
                        let child = WIDTH * index + hits.trailing_zeros() as usize;
                        hits &= hits - 1;
                        // The last leaf below the child, in the row of all leaves.
                        let last = other.levels[0].start + ((child + 1) << (3 * (level - 1))) - 1;
                        if last <= leaf {
                            continue;
                        }
                        if level == 1 {
                            self.between::<I>(leaf, last, found);
                        } else {
                            stack.push((level - 1, child));
                        }
                    }
                }
            }
        }
    }

    /// The pairs within a leaf.
    #[inline(always)]
    fn within<I: Isa>(&self, leaf: usize, found: &mut Vec<BoxPair>) {
        let node = &self.nodes[leaf];
        for lane in 0..WIDTH {
            let later = !((2 << lane) - 1);
            self.push(WIDTH * leaf + lane, leaf, node.overlapping::<I>(&node.get(lane)) & later, found);
        }
    }

    /// The pairs of the boxes of one leaf with those of another.
    #[inline(always)]
    fn between<I: Isa>(&self, leaf: usize, other: usize, found: &mut Vec<BoxPair>) {
        let (node, others) = (&self.nodes[leaf], &self.nodes[other]);
        let mut near = node.overlapping::<I>(&others.hull());
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            self.push(WIDTH * leaf + lane, other, others.overlapping::<I>(&node.get(lane)), found);
        }
    }

    /// Notes the pairs of the box in `slot` with those of the lanes of a leaf whose bits are set.
    #[inline(always)]
    fn push(&self, slot: usize, leaf: usize, mut lanes: u32, found: &mut Vec<BoxPair>) {
        while lanes != 0 {
            let other = self.handles[WIDTH * leaf + lanes.trailing_zeros() as usize];
            let own = self.handles[slot];
            found.push(if own < other { [own, other] } else { [other, own] });
            lanes &= lanes - 1;
        }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.handles.capacity() * size_of::<BoxHandle>()
    }
}

/// Handle of the empty lanes.
const NO_BOX: BoxHandle = BoxHandle(u32::MAX);
