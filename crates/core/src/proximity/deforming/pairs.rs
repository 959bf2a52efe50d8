//! Traversal of two trees, or of one tree against itself, to the pairs of triangles that may touch during a step.
//!
//! The work is a list of tasks that split into smaller ones. It is split breadth first until there are enough tasks for all
//! threads, by a rule that does not depend on their number, and each task is then processed depth first.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::bvh::lanes::isa::{Isa, Mask, Portable, Single};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::{Bounds, NONE, PACKET};
use crate::bvh::swept::{SweptBox, SweptBvh, SweptLeaf, SweptNode, moved, overlap};

/// Minimum number of tasks that a large traversal is split into. More tasks balance better and cost more scheduling; the
/// result does not depend on it.
const TASKS: usize = 512;
/// Rounding of the distance between two trees, relative to its terms.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Part of the traversal.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// All pairs within one subtree.
    Within(Child),
    /// All pairs of two subtrees with their boxes; that of the first one in the frame of the second, enlarged by the
    /// margin.
    Between(Child, Bounds, Child, Bounds),
}

/// Receiver of the pairs of triangles of a traversal.
pub(super) trait Visitor {
    /// Whether the triangles of a node are proved not to collide with one another.
    fn is_self_collision_free(&self, node: u32) -> bool;

    /// Whether the traversal ends here; asked before each of its tasks.
    fn is_over(&mut self) -> bool {
        false
    }

    /// Processes two triangles whose boxes overlap, both in the frame of B; returns whether to continue.
    fn pair<I: Isa>(&mut self, a: (u32, &SweptBox), b: (u32, &SweptBox)) -> ControlFlow<()>;
}

/// Two trees, possibly the same one, and the margin at which their boxes count as overlapping.
#[derive(Clone, Copy)]
pub(super) struct Trees<'a> {
    pub(super) a: &'a SweptBvh,
    pub(super) b: &'a SweptBvh,
    /// From the frame of A's boxes to that of B's [m].
    shift: Vector3<f64>,
    /// Enlargement of A's boxes [m].
    margin: f64,
    /// Whether A's boxes need neither shift nor margin in B's frame.
    same_frame: bool,
}

impl<'a> Trees<'a> {
    /// Prepares a traversal to the triangles of `a` and `b` that are at most `separation` [m] apart.
    pub(super) fn new(a: &'a SweptBvh, b: &'a SweptBvh, separation: f64) -> Self {
        let shift = a.origin() - b.origin();
        let same_frame = shift == Vector3::zeros() && separation <= 0.0;
        let reach = |tree: &SweptBvh| {
            let hull = tree.hull();
            hull.max.iter().chain(&hull.min).fold(0.0, |reach, x| x.abs().max(reach))
        };
        // The shift between the frames is rounded relative to the coordinates that it is added to.
        let terms = f64::from(reach(a)) + f64::from(reach(b)) + shift.amax() + separation;
        let margin = if same_frame { 0.0 } else { separation + ROUNDING * terms };
        Self { a, b, shift, margin, same_frame }
    }

    /// Box of A in the frame of B, enlarged by the margin.
    #[inline(always)]
    pub(super) fn in_b(&self, bounds: &Bounds) -> Bounds {
        if self.same_frame { *bounds } else { moved(bounds, &self.shift, self.margin) }
    }

    /// Bounds of a triangle of A, or of a part of it, in the frame of B, enlarged by the margin.
    #[inline(always)]
    pub(super) fn span_in_b(&self, span: &SweptBox) -> SweptBox {
        if self.same_frame { *span } else { span.moved(&self.shift, self.margin) }
    }

    /// Task of all pairs within one tree.
    pub(super) fn all_within() -> Task {
        Task::Within(Child::Inner(0))
    }

    /// Task of all pairs of both trees.
    pub(super) fn all_between(&self) -> Task {
        let (hull_a, hull_b) = (self.a.hull(), self.b.hull());
        Task::Between(Child::Inner(0), self.in_b(&hull_a), Child::Inner(0), hull_b)
    }

    /// Splits a task into enough tasks for many threads, or into single pairs of leaves where there are few.
    pub(super) fn split<V: Visitor>(&self, whole: Task, visitor: &V) -> Vec<Task> {
        let mut tasks = vec![whole];
        while tasks.len() < TASKS {
            let mut smaller = Vec::new();
            for &task in &tasks {
                if task.is_indivisible() {
                    smaller.push(task);
                } else {
                    self.expand::<Portable, V>(task, visitor, &mut smaller);
                }
            }
            let done = smaller.iter().all(Task::is_indivisible);
            tasks = smaller;
            if done {
                break;
            }
        }
        tasks
    }

    /// Processes a task; `stack` is scratch.
    pub(super) fn run<V: Visitor>(
        &self,
        task: Task,
        visitor: &mut V,
        stack: &mut Vec<Task>,
    ) -> ControlFlow<()> {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.run_avx2(task, visitor, stack) };
        }
        self.run_with::<Portable, V>(task, visitor, stack)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2<V: Visitor>(&self, task: Task, visitor: &mut V, stack: &mut Vec<Task>) -> ControlFlow<()> {
        self.run_with::<crate::bvh::lanes::Avx2, V>(task, visitor, stack)
    }

    #[inline(always)]
    fn run_with<I: Isa, V: Visitor>(
        &self,
        task: Task,
        visitor: &mut V,
        stack: &mut Vec<Task>,
    ) -> ControlFlow<()> {
        stack.clear();
        stack.push(task);
        while let Some(task) = stack.pop() {
            if visitor.is_over() {
                return ControlFlow::Break(());
            }
            match task {
                Task::Within(Child::Leaf(leaf)) => self.within_leaf::<I, V>(self.a.leaf(leaf), visitor)?,
                Task::Between(Child::Leaf(i), _, Child::Leaf(j), _) => {
                    self.between_leaves::<I, V>(self.a.leaf(i), self.b.leaf(j), visitor)?;
                }
                _ => self.expand::<I, V>(task, visitor, stack),
            }
        }
        ControlFlow::Continue(())
    }

    /// Appends the parts of a divisible task to `tasks`.
    #[inline(always)]
    fn expand<I: Isa, V: Visitor>(&self, task: Task, visitor: &V, tasks: &mut Vec<Task>) {
        match task {
            Task::Within(subtree) => {
                if let Child::Inner(index) = subtree
                    && !visitor.is_self_collision_free(index)
                {
                    self.expand_within::<I>(self.a.node(index), tasks);
                }
            }
            // The subtree with the larger box is split, an inner node before a leaf.
            Task::Between(Child::Inner(i), a_box, b, b_box)
                if matches!(b, Child::Leaf(_)) || a_box.half_area() > b_box.half_area() =>
            {
                let node = self.a.node(i);
                for lane in 0..WIDTH {
                    let Some(child) = node.child(lane) else { break };
                    let bounds = self.in_b(&node.bounds(lane));
                    if overlap(&bounds, &b_box) {
                        tasks.push(Task::Between(child, bounds, b, b_box));
                    }
                }
            }
            Task::Between(a, a_box, Child::Inner(j), _) => {
                let node = self.b.node(j);
                let mut bits = overlapping::<I>(node, &a_box);
                while bits != 0 {
                    let lane = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if let Some(child) = node.child(lane) {
                        tasks.push(Task::Between(a, a_box, child, node.bounds(lane)));
                    }
                }
            }
            Task::Between(_, _, Child::Leaf(_), _) => tasks.push(task),
        }
    }

    /// Appends the tasks within each child of a node and between its overlapping children.
    #[inline(always)]
    fn expand_within<I: Isa>(&self, node: &SweptNode, tasks: &mut Vec<Task>) {
        for lane in 0..WIDTH {
            let Some(child) = node.child(lane) else { break };
            tasks.push(Task::Within(child));
            let bounds = self.in_b(&node.bounds(lane));
            // Only later children, so that every pair is visited once; two shifts, since one may be by all 8 lanes.
            let mut bits = overlapping::<I>(node, &bounds) >> lane >> 1;
            let mut other = lane + 1;
            while bits != 0 {
                other += bits.trailing_zeros() as usize;
                bits = bits >> bits.trailing_zeros() >> 1;
                if let Some(second) = node.child(other) {
                    tasks.push(Task::Between(child, bounds, second, node.bounds(other)));
                }
                other += 1;
            }
        }
    }

    #[inline(always)]
    fn within_leaf<I: Isa, V: Visitor>(&self, leaf: &SweptLeaf, visitor: &mut V) -> ControlFlow<()> {
        for i in 0..PACKET - 1 {
            let of_a = self.span_in_b(&leaf.boxes[i]);
            let reach = of_a.as_query();
            for j in i + 1..PACKET {
                if leaf.boxes[j].overlaps::<I>(&reach) {
                    visitor.pair::<I>((leaf.triangles[i], &of_a), (leaf.triangles[j], &leaf.boxes[j]))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn between_leaves<I: Isa, V: Visitor>(
        &self,
        a: &SweptLeaf,
        b: &SweptLeaf,
        visitor: &mut V,
    ) -> ControlFlow<()> {
        for i in 0..PACKET {
            // Empty lanes follow the occupied ones; those of B are empty spans, which overlap nothing.
            if a.triangles[i] == NONE {
                break;
            }
            let of_a = self.span_in_b(&a.boxes[i]);
            let reach = of_a.as_query();
            for j in 0..PACKET {
                if b.boxes[j].overlaps::<I>(&reach) {
                    visitor.pair::<I>((a.triangles[i], &of_a), (b.triangles[j], &b.boxes[j]))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Task {
    fn is_indivisible(&self) -> bool {
        matches!(self, Self::Within(Child::Leaf(_)) | Self::Between(Child::Leaf(_), _, Child::Leaf(_), _))
    }
}

/// Mask of the children of a node whose boxes overlap a box.
#[inline(always)]
fn overlapping<I: Isa>(node: &SweptNode, bounds: &Bounds) -> u32 {
    let mut bits = 0xff;
    for axis in 0..3 {
        let (min, max) = (I::Single::load(&node.min[axis]), I::Single::load(&node.max[axis]));
        let starts_before = min.less_or_equal(I::Single::splat(bounds.max[axis]));
        let ends_after = I::Single::splat(bounds.min[axis]).less_or_equal(max);
        bits &= (starts_before & ends_after).bits();
    }
    bits
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    /// Visitor that collects the pairs.
    struct Collected(Vec<[u32; 2]>);

    impl Visitor for Collected {
        fn is_self_collision_free(&self, _: u32) -> bool {
            false
        }

        fn pair<I: Isa>(&mut self, a: (u32, &SweptBox), b: (u32, &SweptBox)) -> ControlFlow<()> {
            self.0.push([a.0, b.0]);
            ControlFlow::Continue(())
        }
    }

    /// Tree over a row of triangles along an upward curve, shifted by `by`.
    fn row(count: u32, by: f64) -> SweptBvh {
        let place = |i: u32| {
            let x = f64::from(i / 3 + i % 3) + by;
            Point3::new(x, 0.02 * x * x, 1.3 * f64::from(i % 2))
        };
        let vertices = (0..3 * count).map(place).collect::<Vec<_>>();
        let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>();
        SweptBvh::new(&vertices, &triangles)
    }

    #[test]
    fn both_instruction_sets_see_the_same_pairs_in_the_same_order() {
        let (a, b) = (row(200, 0.0), row(150, 0.4));
        let (within, between) = (Trees::new(&a, &a, 0.0), Trees::new(&a, &b, 0.1));
        for (trees, whole) in [(within, Trees::all_within()), (between, between.all_between())] {
            let (mut fastest, mut portable) = (Collected(Vec::new()), Collected(Vec::new()));
            let _ = trees.run(whole, &mut fastest, &mut Vec::new());
            let _ = trees.run_with::<Portable, _>(whole, &mut portable, &mut Vec::new());
            assert_eq!(fastest.0, portable.0);
            assert!(fastest.0.len() > 200);
            let mut split = Collected(Vec::new());
            for task in trees.split(whole, &split) {
                let _ = trees.run(task, &mut split, &mut Vec::new());
            }
            fastest.0.sort_unstable();
            split.0.sort_unstable();
            assert_eq!(fastest.0, split.0);
        }
    }
}
