//! Descending two trees in tandem, cheapest pairs first.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::lanes::{Isa, Portable};
use super::node::{Child, Node, Packet, Volume, WIDTH};
use super::{Subtree, TriangleBvh};

/// What a query asks of a descent of two trees.
///
/// A pair of subtrees has a *cost*: a lower bound of what the query minimises, infinite where the pair cannot matter.
pub(crate) trait Tandem {
    /// Costs of the children of a node of B against a subtree of A.
    fn costs_in_b<I: Isa>(&self, children_of_b: &Node, of_a: &Volume) -> [f32; WIDTH];

    /// Costs of the children of a node of A against a subtree of B.
    fn costs_in_a<I: Isa>(&self, children_of_a: &Node, of_b: &Volume) -> [f32; WIDTH];

    /// Pairs that cost more than this are skipped; it may fall during the descent.
    fn bound(&self) -> f32;

    /// Looks at all pairs of triangles of two leaves (`#` their index in the tree) and says whether to go on.
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()>;
}

/// A pair of subtrees that waits for its turn.
#[derive(Clone, Copy)]
struct Entry {
    cost: f32,
    a: Subtree,
    b: Subtree,
}

thread_local! {
    /// The stack of this thread's last descent, kept so that a warm query allocates nothing.
    static STACK: Cell<Vec<Entry>> = const { Cell::new(Vec::new()) };
}

/// Descends both trees, depth first, cheaper pairs first, on the widest instruction set that the machine has.
pub(crate) fn descend<V: Tandem>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    #[cfg(target_arch = "x86_64")]
    if super::lanes::has_avx2() {
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is there.
        unsafe {
            descend_avx2(a, b, query);
        }
        return;
    }
    descend_portable(a, b, query);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn descend_avx2<V: Tandem>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    descend_with::<super::lanes::Avx2, V>(a, b, query);
}

/// The descent on the instruction set that every machine has: the same bits.
fn descend_portable<V: Tandem>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    descend_with::<Portable, V>(a, b, query);
}

#[inline(always)]
fn descend_with<I: Isa, V: Tandem>(a: &TriangleBvh, b: &TriangleBvh, query: &mut V) {
    let mut stack = STACK.take();
    stack.clear();
    stack.push(Entry { cost: 0.0, a: a.root(), b: b.root() });
    while let Some(entry) = stack.pop() {
        if entry.cost > query.bound() {
            continue;
        }
        let (Some(child_of_a), Some(child_of_b)) = (a.child(entry.a), b.child(entry.b)) else { continue };
        match (child_of_a, child_of_b) {
            (Child::Leaf(i), Child::Leaf(j)) => {
                if query.leaves::<I>((i, a.packet(i)), (j, b.packet(j))).is_break() {
                    break;
                }
            }
            (Child::Inner(i), Child::Leaf(_)) => expand_a::<I, V>(&mut stack, a, b, entry, i, query),
            (Child::Leaf(_), Child::Inner(j)) => expand_b::<I, V>(&mut stack, a, b, entry, j, query),
            (Child::Inner(i), Child::Inner(j)) => {
                if a.bounds(entry.a).half_area() > b.bounds(entry.b).half_area() {
                    expand_a::<I, V>(&mut stack, a, b, entry, i, query);
                } else {
                    expand_b::<I, V>(&mut stack, a, b, entry, j, query);
                }
            }
        }
    }
    STACK.set(stack);
}

#[inline(always)]
fn expand_a<I: Isa, V: Tandem>(
    stack: &mut Vec<Entry>,
    a: &TriangleBvh,
    b: &TriangleBvh,
    entry: Entry,
    node: u32,
    query: &V,
) {
    let costs = query.costs_in_a::<I>(a.node(node), &b.volume(entry.b));
    push_sorted(stack, &costs, query.bound(), |lane| Entry {
        cost: costs[lane],
        a: Subtree::new(node, lane),
        ..entry
    });
}

#[inline(always)]
fn expand_b<I: Isa, V: Tandem>(
    stack: &mut Vec<Entry>,
    a: &TriangleBvh,
    b: &TriangleBvh,
    entry: Entry,
    node: u32,
    query: &V,
) {
    let costs = query.costs_in_b::<I>(b.node(node), &a.volume(entry.a));
    push_sorted(stack, &costs, query.bound(), |lane| Entry {
        cost: costs[lane],
        b: Subtree::new(node, lane),
        ..entry
    });
}

/// Pushes the lanes within the bound so that the cheapest is on top; ties keep the order of the lanes.
#[inline(always)]
fn push_sorted(stack: &mut Vec<Entry>, costs: &[f32; WIDTH], bound: f32, entry: impl Fn(usize) -> Entry) {
    let first = stack.len();
    for lane in 0..WIDTH {
        if !(costs[lane] <= bound) {
            continue;
        }
        stack.push(entry(lane));
        let mut place = stack.len() - 1;
        while place > first && stack[place - 1].cost < stack[place].cost {
            stack.swap(place - 1, place);
            place -= 1;
        }
    }
}
