//! Traversal of one tree against itself: every pair of its triangles whose boxes overlap, once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::Point3;

use super::options::SelfCollisionOptions;
use super::pair::{ExactTest, Shared};
use super::separation::is_separated;
use crate::bvh::node::{Child, Node, WIDTH};
use crate::bvh::packet::{Bounds, NONE, PACKET, Packet};
use crate::bvh::tree::{Subtree, TriangleBvh};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::parallel;
use crate::proximity::model::Model;

/// Minimum number of parallel tasks: fewer balance many threads badly, many more cost scheduling.
const TASKS: usize = 256;

/// Result of a traversal.
pub(super) enum Found {
    /// Some pair, when one was enough.
    Any,
    /// All pairs, or none.
    Pairs(Vec<[u32; 2]>),
}

/// A part of the work: a node pair of the traversal.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// The pairs within a subtree.
    Within(Subtree),
    /// The pairs between two subtrees.
    Between(Subtree, Subtree),
}

/// Traverses the tree against itself, until the first collision or for all of them.
pub(super) fn descend(model: &Model, options: &SelfCollisionOptions, stop_at_first: bool) -> Found {
    let (mesh, tree) = (model.mesh(), model.bvh());
    let bounds = mesh.aabb();
    let max = bounds.min.coords.amax().max(bounds.max.coords.amax());
    let descent = SelfDescent {
        model,
        tree,
        exact: ExactTest::new(max, options.touching),
        stop_at_first,
        is_stopped: AtomicBool::new(false),
    };
    let found = if options.parallel {
        let tasks = descent.tasks();
        parallel::map_slice(&tasks, 1, |&work| descent.run(work)).concat()
    } else {
        descent.run(Work::Within(tree.root()))
    };
    if stop_at_first && !found.is_empty() {
        return Found::Any;
    }
    let mut pairs = found;
    // The order of the traversal depends on its division; the sorted list does not.
    pairs.sort_unstable();
    Found::Pairs(pairs)
}

struct SelfDescent<'a> {
    model: &'a Model,
    tree: &'a TriangleBvh,
    exact: ExactTest,
    stop_at_first: bool,
    /// Whether the traversal has ended at the first collision.
    is_stopped: AtomicBool,
}

/// Whether a lane is among the `overlaps` and not empty: a box beyond single precision overlaps the empty ones, which
/// are at infinity.
fn is_met(node: &Node, overlaps: u32, lane: usize) -> bool {
    overlaps >> lane & 1 != 0 && node.child(lane).is_some()
}

impl SelfDescent<'_> {
    /// Divides the work breadth first into at least [`TASKS`] parts, as far as it can be divided.
    fn tasks(&self) -> Vec<Work> {
        let mut tasks = vec![Work::Within(self.tree.root())];
        while tasks.len() < TASKS {
            let before = tasks.len();
            let mut finer = Vec::new();
            for &work in &tasks {
                if !self.expand(work, &mut finer) {
                    finer.push(work);
                }
            }
            tasks = finer;
            if tasks.len() <= before {
                break;
            }
        }
        tasks
    }

    /// The collisions in a part of the work.
    fn run(&self, work: Work) -> Vec<[u32; 2]> {
        let (mut stack, mut pairs) = (vec![work], Vec::new());
        // A traversal visits the same leaf many times in a row.
        let mut last = None;
        while let Some(work) = stack.pop() {
            if self.expand(work, &mut stack) {
                continue;
            }
            let flow = match work {
                Work::Within(subtree) => self.within_leaf(&self.leaf(subtree), &mut pairs),
                Work::Between(x, y) => {
                    let known = last.take().filter(|&(subtree, _)| subtree == x);
                    let (_, first) = &*last.insert(known.unwrap_or_else(|| (x, self.leaf(x))));
                    self.between_leaves(first, &self.leaf(y), &mut pairs)
                }
            };
            if flow.is_break() || self.is_stopped.load(Ordering::Relaxed) {
                break;
            }
        }
        pairs
    }

    /// Replaces a part of the work by smaller parts; returns false for leaves.
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

    /// Divides the pairs within a node: those within each child and those between overlapping children.
    fn expand_within(&self, index: u32, finer: &mut Vec<Work>) {
        let node = self.tree.node(index);
        for lane in (0..WIDTH).filter(|&lane| node.child(lane).is_some()) {
            let subtree = Subtree::new(index, lane);
            finer.push(Work::Within(subtree));
            let overlaps = overlapping(node, &node.bounds(lane));
            // Each pair of children once.
            for other in (lane + 1..WIDTH).filter(|&other| is_met(node, overlaps, other)) {
                finer.push(Work::Between(subtree, Subtree::new(index, other)));
            }
        }
    }

    /// Divides the pairs between a node and a subtree.
    fn expand_between(&self, index: u32, other: Subtree, finer: &mut Vec<Work>) {
        let node = self.tree.node(index);
        let overlaps = overlapping(node, &self.tree.bounds(other));
        for lane in (0..WIDTH).filter(|&lane| is_met(node, overlaps, lane)) {
            finer.push(Work::Between(Subtree::new(index, lane), other));
        }
    }

    fn leaf(&self, subtree: Subtree) -> Leaf {
        match self.tree.child(subtree) {
            Some(Child::Leaf(packet)) => Leaf::new(self.model.mesh(), self.tree.packet(packet)),
            _ => unreachable!("inner nodes and empty lanes are expanded"),
        }
    }

    fn within_leaf(&self, leaf: &Leaf, pairs: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        for i in 0..PACKET {
            for j in 0..i {
                self.test_pair(leaf, i, leaf, j, pairs)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn between_leaves(&self, x: &Leaf, y: &Leaf, pairs: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        for i in 0..PACKET {
            let overlaps = x.overlapping(i, y);
            for j in (0..PACKET).filter(|j| overlaps[*j]) {
                self.test_pair(x, i, y, j, pairs)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Tests one pair of triangles.
    fn test_pair(
        &self,
        x: &Leaf,
        i: usize,
        y: &Leaf,
        j: usize,
        pairs: &mut Vec<[u32; 2]>,
    ) -> ControlFlow<()> {
        if x.triangles[i] == NONE || y.triangles[j] == NONE {
            return ControlFlow::Continue(());
        }
        let (p, q) = (&x.corners[i], &y.corners[j]);
        let shared = Shared::of(p, q);
        // The quick test settles nearly all pairs; the exact one is expensive.
        if is_separated(p, q, &shared) || !self.exact.collide(p, q, &shared) {
            return ControlFlow::Continue(());
        }
        let (first, second) = (x.triangles[i], y.triangles[j]);
        pairs.push([first.min(second), first.max(second)]);
        if self.stop_at_first {
            self.is_stopped.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The triangles of a leaf with the exact coordinates of the mesh, and their boxes.
struct Leaf {
    triangles: [u32; PACKET],
    corners: [[Point3<f64>; 3]; PACKET],
    /// Minimum corners of the boxes, `[axis][lane]` [m].
    min: [[f64; PACKET]; 3],
    /// Maximum corners of the boxes, `[axis][lane]` [m].
    max: [[f64; PACKET]; 3],
}

impl Leaf {
    fn new(mesh: &TriangleMesh, packet: &Packet) -> Self {
        let mut leaf = Self {
            triangles: packet.triangles,
            corners: [[Point3::origin(); 3]; PACKET],
            // The box of an empty lane overlaps nothing.
            min: [[f64::INFINITY; PACKET]; 3],
            max: [[f64::NEG_INFINITY; PACKET]; 3],
        };
        for (lane, triangle) in packet.lanes() {
            let [a, b, c] = mesh.triangles()[triangle as usize].map(|i| mesh.vertices()[i as usize]);
            for axis in 0..3 {
                leaf.min[axis][lane] = a[axis].min(b[axis]).min(c[axis]);
                leaf.max[axis][lane] = a[axis].max(b[axis]).max(c[axis]);
            }
            leaf.corners[lane] = [a, b, c];
        }
        leaf
    }

    /// The lanes of another leaf whose boxes overlap that of one triangle.
    fn overlapping(&self, i: usize, other: &Self) -> [bool; PACKET] {
        let mut overlaps = [true; PACKET];
        for axis in 0..3 {
            let (min, max) = (self.min[axis][i], self.max[axis][i]);
            for lane in 0..PACKET {
                overlaps[lane] &= min <= other.max[axis][lane] && other.min[axis][lane] <= max;
            }
        }
        overlaps
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
