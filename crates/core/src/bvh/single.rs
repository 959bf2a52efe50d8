//! Traversal of one tree, depth first, cheaper subtrees first.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::lanes::isa::{Isa, Portable};
use super::node::{Child, Node, WIDTH};
use super::packet::Packet;
use super::tree::{Subtree, TriangleBvh};

/// A query that a traversal of one tree answers; costs as in [`super::tandem::TreePairQuery`].
pub(crate) trait TreeQuery {
    /// Costs of the children of a node.
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH];

    /// Upper bound on the cost: subtrees that cost more are pruned. It may decrease during the traversal.
    fn bound(&self) -> f32;

    /// Visits the triangles of a leaf; [`ControlFlow::Break`] ends the traversal.
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()>;
}

thread_local! {
    /// The stack of this thread's last traversal, reused so that a warm query allocates nothing.
    static STACK: Cell<Vec<(f32, Subtree)>> = const { Cell::new(Vec::new()) };
}

/// Traverses the tree depth first, cheaper children first, on the widest instruction set of the machine.
pub(crate) fn descend<V: TreeQuery>(tree: &TriangleBvh, query: &mut V) {
    #[cfg(target_arch = "x86_64")]
    if super::lanes::has_avx2() {
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is available.
        unsafe {
            descend_avx2(tree, query);
        }
        return;
    }
    descend_portable(tree, query);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn descend_avx2<V: TreeQuery>(tree: &TriangleBvh, query: &mut V) {
    descend_with::<super::lanes::Avx2, V>(tree, query);
}

/// The traversal on the portable instruction set: the same bits.
fn descend_portable<V: TreeQuery>(tree: &TriangleBvh, query: &mut V) {
    descend_with::<Portable, V>(tree, query);
}

#[inline(always)]
fn descend_with<I: Isa, V: TreeQuery>(tree: &TriangleBvh, query: &mut V) {
    let mut stack = STACK.take();
    stack.clear();
    stack.push((0.0, tree.root()));
    while let Some((cost, subtree)) = stack.pop() {
        if cost > query.bound() {
            continue;
        }
        let Some(child) = tree.child(subtree) else { continue };
        match child {
            Child::Leaf(packet) => {
                if query.leaf::<I>(tree.packet(packet)).is_break() {
                    break;
                }
            }
            Child::Inner(node) => {
                let costs = query.costs::<I>(tree.node(node));
                let (first, bound) = (stack.len(), query.bound());
                for lane in 0..WIDTH {
                    // NaN fails: the lane is pruned.
                    if !(costs[lane] <= bound) {
                        continue;
                    }
                    stack.push((costs[lane], Subtree::new(node, lane)));
                    // Insertion sort among the siblings, the cheapest on top.
                    let mut place = stack.len() - 1;
                    while place > first && stack[place - 1].0 < stack[place].0 {
                        stack.swap(place - 1, place);
                        place -= 1;
                    }
                }
            }
        }
    }
    STACK.set(stack);
}
