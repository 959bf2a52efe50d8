//! Descending one tree, cheapest subtrees first.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::lanes::isa::{Isa, Portable};
use super::node::{Child, Node, WIDTH};
use super::packet::Packet;
use super::tree::{Subtree, TriangleBvh};

/// What a query asks of a descent of one tree; costs as in [`super::tandem::Tandem`].
pub(crate) trait Single {
    /// Costs of the children of a node.
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH];

    /// Subtrees that cost more than this are skipped; it may fall during the descent.
    fn bound(&self) -> f32;

    /// Looks at the triangles of a leaf and says whether to go on.
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()>;
}

thread_local! {
    static STACK: Cell<Vec<(f32, Subtree)>> = const { Cell::new(Vec::new()) };
}

/// Descends the tree depth first, cheaper children first, on the widest instruction set that the machine has.
pub(crate) fn descend<V: Single>(tree: &TriangleBvh, query: &mut V) {
    #[cfg(target_arch = "x86_64")]
    if super::lanes::has_avx2() {
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is there.
        unsafe {
            descend_avx2(tree, query);
        }
        return;
    }
    descend_portable(tree, query);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn descend_avx2<V: Single>(tree: &TriangleBvh, query: &mut V) {
    descend_with::<super::lanes::Avx2, V>(tree, query);
}

/// The descent on the instruction set that every machine has: the same bits.
fn descend_portable<V: Single>(tree: &TriangleBvh, query: &mut V) {
    descend_with::<Portable, V>(tree, query);
}

#[inline(always)]
fn descend_with<I: Isa, V: Single>(tree: &TriangleBvh, query: &mut V) {
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
                    if !(costs[lane] <= bound) {
                        continue;
                    }
                    stack.push((costs[lane], Subtree::new(node, lane)));
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
