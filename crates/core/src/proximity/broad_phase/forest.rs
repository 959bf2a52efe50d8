//! Trees over the boxes, one for each size class, and their self-traversal.
//!
//! A tree is implicit: eight consecutive boxes form a leaf, eight leaves a node, and so on; every level is contiguous,
//! and child `l` of node `i` is node `8 i + l` of the level below. Boxes are tested in `f64`, so that a hit is a pair
//! and needs no further test.

use std::ops::Range;

use rayon::prelude::*;

use super::candidates::Candidates;
use super::handle::{BoxHandle, WIDTH};
use super::order;
use super::order::CLASSES;
use crate::bvh::lanes::isa::{Double, Isa, Mask, Portable};
use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;

/// Leaves per parallel task. Smaller tasks balance better and cost more scheduling; the result does not depend on it.
const LEAVES: usize = 256;

/// Eight boxes side by side [m]; an empty lane overlaps nothing.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Node {
    /// `min[axis][half][lane]`.
    min: [[[f64; 4]; 2]; 3],
    max: [[[f64; 4]; 2]; 3],
}

/// Box as its minimum and maximum corners [m].
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

    /// Bounding box of all lanes.
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

/// Tree over the boxes of one size class.
#[derive(Debug, Clone, Default)]
struct Tree {
    /// Node ranges of the levels, leaves first; the last level is a single node, and a tree is never empty.
    levels: Vec<Range<usize>>,
}

/// Trees over boxes, the smallest size class first.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    /// Handles of the boxes of all leaves, eight for each; [`NO_BOX`] in empty lanes.
    handles: Vec<BoxHandle>,
    /// Leaves of all trees, followed by their inner nodes.
    nodes: Vec<Node>,
    trees: Vec<Tree>,
}

/// Leaf whose boxes are queried against the trees of a forest.
#[derive(Clone, Copy)]
struct QueryLeaf<'a> {
    node: &'a Node,
    /// First tree and first leaf to be visited; earlier ones have met this leaf already.
    first_tree: usize,
    first_leaf: usize,
}

/// Hits of a leaf: for each of its lanes the slots of the overlapping boxes.
#[derive(Default)]
struct Hits {
    slots: [Vec<u32>; WIDTH],
    /// Number of tested pairs of leaves.
    leaf_pairs: usize,
    /// Traversal stack: level and index of nodes to visit.
    stack: Vec<(usize, usize)>,
}

impl Forest {
    /// Builds the forest over the `members` of the boxes.
    pub(super) fn new(boxes: &[Aabb], members: &[BoxHandle]) -> Self {
        let (order, counts) = order::order(boxes, members);
        let mut forest = Self::with_counts(&counts);
        let mut rest = &order[..];
        for (tree, &count) in forest.trees.iter().zip(counts.iter().filter(|&&count| count > 0)) {
            let (own, others) = rest.split_at(count);
            forest.handles[WIDTH * tree.levels[0].start..][..count].copy_from_slice(own);
            rest = others;
        }
        forest.refit(boxes);
        forest
    }

    /// Trees for the given number of boxes in each size class, with empty leaves.
    fn with_counts(counts: &[usize; CLASSES]) -> Self {
        let mut trees: Vec<Tree> = Vec::new();
        let mut end = 0;
        // The leaves of all trees come first, so that a slot is WIDTH times its leaf plus its lane in every tree.
        for &count in counts.iter().filter(|&&count| count > 0) {
            let leaves = end..end + count.div_ceil(WIDTH);
            end = leaves.end;
            trees.push(Tree { levels: vec![leaves] });
        }
        let handles = vec![NO_BOX; WIDTH * end];
        for tree in &mut trees {
            while tree.levels[tree.levels.len() - 1].len() > 1 {
                let count = tree.levels[tree.levels.len() - 1].len().div_ceil(WIDTH);
                tree.levels.push(end..end + count);
                end += count;
            }
        }
        Self { handles, nodes: vec![Node::EMPTY; end], trees }
    }

    /// Refits the trees to the current boxes without changing their order.
    pub(super) fn refit(&mut self, boxes: &[Aabb]) {
        let leaves = self.handles.len() / WIDTH;
        let fill = |leaf: usize, node: &mut Node| {
            let handles = self.handles[leaf * WIDTH..][..WIDTH].iter().enumerate();
            for (lane, handle) in handles.filter(|(_, handle)| **handle != NO_BOX) {
                let aabb = &boxes[handle.index()];
                node.set(lane, &[aabb.min.into(), aabb.max.into()]);
            }
        };
        parallel::for_each_mut(&mut self.nodes[..leaves], LEAVES, fill);
        // Bottom-up: a level is complete before the next one reads it.
        for tree in &self.trees {
            for levels in tree.levels.windows(2) {
                let (below, above) = self.nodes.split_at_mut(levels[1].start);
                let above = &mut above[..levels[1].len()];
                let below = &below[levels[0].clone()];
                parallel::for_each_mut(above, LEAVES, |index, node| {
                    for (lane, child) in below[index * WIDTH..].iter().take(WIDTH).enumerate() {
                        node.set(lane, &child.hull());
                    }
                });
            }
        }
    }

    /// Handles of the boxes in the order of their slots, eight for each leaf; [`NO_BOX`] in empty lanes.
    pub(super) fn handles(&self) -> &[BoxHandle] {
        &self.handles
    }

    /// Removes the box of a slot; the slot stays empty until the forest is rebuilt.
    pub(super) fn vacate(&mut self, slot: usize) {
        self.handles[slot] = NO_BOX;
    }

    /// Whether the (fat) box of a slot contains the given one.
    #[inline(always)]
    pub(super) fn contains(&self, slot: usize, aabb: &Aabb) -> bool {
        let [min, max] = self.nodes[slot / WIDTH].get(slot % WIDTH);
        let axis = |k: usize| (min[k] <= aabb.min[k]) & (aabb.max[k] <= max[k]);
        axis(0) & axis(1) & axis(2)
    }

    /// All overlapping pairs of boxes, grouped by ranges of leaves, and the number of tested pairs of leaves.
    pub(super) fn candidates(&self) -> (Vec<Candidates>, usize) {
        let all = self.handles.len() / WIDTH;
        let tasks = (0..all.div_ceil(LEAVES)).into_par_iter().with_max_len(1);
        // Collected in the order of the tasks, which makes the list independent of the threads.
        let found = tasks.map(|task| self.candidates_of(task * LEAVES..all.min((task + 1) * LEAVES)));
        let found = found.collect::<Vec<_>>();
        let leaf_pairs = found.iter().map(|(_, leaf_pairs)| leaf_pairs).sum();
        (found.into_iter().map(|(candidates, _)| candidates).collect(), leaf_pairs)
    }

    /// All overlapping pairs of a box of this forest and a box of the other one, given by its slot.
    pub(super) fn pairs_with(&self, other: &Self) -> Vec<(BoxHandle, u32)> {
        let all = self.handles.len() / WIDTH;
        let tasks = (0..all.div_ceil(LEAVES)).into_par_iter().with_max_len(1);
        let found = tasks.map(|task| {
            let mut pairs = Vec::new();
            self.pairs_of(task * LEAVES..all.min((task + 1) * LEAVES), other, &mut pairs);
            pairs
        });
        found.collect::<Vec<_>>().concat()
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.handles.capacity() * size_of::<BoxHandle>()
    }

    /// Overlapping pairs of boxes in these leaves with boxes in the same or in later leaves.
    fn candidates_of(&self, leaves: Range<usize>) -> (Candidates, usize) {
        let mut candidates = Candidates::starting_at(WIDTH * leaves.start);
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            let leaf_pairs = unsafe { self.candidates_avx2(leaves, &mut candidates) };
            return (candidates, leaf_pairs);
        }
        let leaf_pairs = self.candidates_on::<Portable>(leaves, &mut candidates);
        (candidates, leaf_pairs)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn candidates_avx2(&self, leaves: Range<usize>, candidates: &mut Candidates) -> usize {
        self.candidates_on::<crate::bvh::lanes::Avx2>(leaves, candidates)
    }

    #[inline(always)]
    fn candidates_on<I: Isa>(&self, leaves: Range<usize>, candidates: &mut Candidates) -> usize {
        let (mut found_hits, mut tree) = (Hits::default(), 0);
        for leaf in leaves {
            while self.trees[tree].levels[0].end <= leaf {
                tree += 1;
            }
            let node = &self.nodes[leaf];
            for lane in 0..WIDTH {
                // Within its own leaf a box only pairs with later lanes, so that every pair is found once.
                let later = !((2 << lane) - 1);
                found_hits.push(lane, leaf, node.overlapping::<I>(&node.get(lane)) & later);
            }
            self.traverse::<I>(&QueryLeaf { node, first_tree: tree, first_leaf: leaf + 1 }, &mut found_hits);
            for slots in &mut found_hits.slots {
                candidates.push(slots);
                slots.clear();
            }
        }
        found_hits.leaf_pairs
    }

    /// Overlapping pairs of boxes in these leaves with boxes of another forest.
    fn pairs_of(&self, leaves: Range<usize>, other: &Self, pairs: &mut Vec<(BoxHandle, u32)>) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            unsafe {
                self.pairs_avx2(leaves, other, pairs);
            }
            return;
        }
        self.pairs_on::<Portable>(leaves, other, pairs);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn pairs_avx2(&self, leaves: Range<usize>, other: &Self, pairs: &mut Vec<(BoxHandle, u32)>) {
        self.pairs_on::<crate::bvh::lanes::Avx2>(leaves, other, pairs);
    }

    #[inline(always)]
    fn pairs_on<I: Isa>(&self, leaves: Range<usize>, other: &Self, pairs: &mut Vec<(BoxHandle, u32)>) {
        let mut found_hits = Hits::default();
        for leaf in leaves {
            other.traverse::<I>(
                &QueryLeaf { node: &self.nodes[leaf], first_tree: 0, first_leaf: 0 },
                &mut found_hits,
            );
            for (lane, slots) in found_hits.slots.iter_mut().enumerate() {
                let own = self.handles[WIDTH * leaf + lane];
                pairs.extend(slots.drain(..).map(|slot| (own, slot)));
            }
        }
    }

    /// Traverses the trees of the forest from the query's first tree and leaf on.
    #[inline(always)]
    fn traverse<I: Isa>(&self, query: &QueryLeaf<'_>, found_hits: &mut Hits) {
        let hull = query.node.hull();
        for tree in &self.trees[query.first_tree..] {
            let top = tree.levels.len() - 1;
            // A tree of one leaf has no inner node whose lanes could be tested.
            if top == 0 {
                if tree.levels[0].start >= query.first_leaf {
                    let leaf = tree.levels[0].start;
                    self.test_leaf::<I>(query, leaf, &self.nodes[leaf].hull(), found_hits);
                }
                continue;
            }
            found_hits.stack.push((top, 0));
            while let Some((level, index)) = found_hits.stack.pop() {
                let node = &self.nodes[tree.levels[level].start + index];
                let mut hits = node.overlapping::<I>(&hull);
                while hits != 0 {
                    let lane = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    let child = WIDTH * index + lane;
                    // Last leaf index that may be below the child; subtrees before the first leaf are skipped.
                    let last = tree.levels[0].start + ((child + 1) << (3 * (level - 1))) - 1;
                    if last < query.first_leaf {
                        continue;
                    }
                    if level == 1 {
                        self.test_leaf::<I>(query, last, &node.get(lane), found_hits);
                    } else {
                        found_hits.stack.push((level - 1, child));
                    }
                }
            }
        }
    }

    /// Tests the query's boxes against those of a leaf with the bounding box `hull`.
    #[inline(always)]
    fn test_leaf<I: Isa>(&self, query: &QueryLeaf<'_>, leaf: usize, hull: &Corners, found_hits: &mut Hits) {
        found_hits.leaf_pairs += 1;
        let mut near = query.node.overlapping::<I>(hull);
        // Only lanes that reach the leaf's hull are tested against its boxes.
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            found_hits.push(lane, leaf, self.nodes[leaf].overlapping::<I>(&query.node.get(lane)));
        }
    }
}

impl Hits {
    /// Appends the slots of the lanes of a leaf whose bits are set.
    #[inline(always)]
    fn push(&mut self, own: usize, leaf: usize, mut lanes: u32) {
        while lanes != 0 {
            self.slots[own].push((WIDTH * leaf) as u32 + lanes.trailing_zeros());
            lanes &= lanes - 1;
        }
    }
}

/// Handle of the empty lanes.
pub(super) const NO_BOX: BoxHandle = BoxHandle(u32::MAX);
