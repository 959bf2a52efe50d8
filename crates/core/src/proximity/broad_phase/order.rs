//! The order of the boxes in the trees: by size first, then so that neighbours in the order are neighbours in space.
//!
//! Among boxes of like size, halves are cut off along the longest axis of their centres, as in a k-d tree. The cuts
//! fall between whole subtrees of the implicit tree, and they adapt to clusters, planes and lines without any cell
//! size to choose.

use rayon::prelude::*;

use super::handle::{BoxHandle, TASK, WIDTH};
use crate::geometry::triangle_mesh::Aabb;

/// Sizes within a class differ at most by this power of two; a larger one makes thicker nodes, a lesser one more trees.
const CLASS_EXPONENTS: i32 = 3;
/// Classes of sizes, each with a tree of its own; the last one takes all lesser boxes.
pub(super) const CLASSES: usize = WIDTH;

/// A box as the sort sees it.
#[derive(Clone, Copy)]
struct Item {
    /// Centre [m].
    center: [f64; 3],
    handle: BoxHandle,
    /// Binary exponent of the longest edge.
    exponent: i32,
}

/// The members in order, and how many there are in each class of sizes.
pub(super) fn order(boxes: &[Aabb], members: &[BoxHandle]) -> (Vec<BoxHandle>, [usize; CLASSES]) {
    let item = |&handle: &BoxHandle| {
        let aabb = &boxes[handle.index()];
        let longest = (0..3).map(|k| aabb.max[k] - aabb.min[k]).fold(0.0, f64::max);
        let center = std::array::from_fn(|k| 0.5 * aabb.min[k] + 0.5 * aabb.max[k]);
        Item { center, handle, exponent: exponent(longest) }
    };
    let mut items = members.par_iter().with_min_len(TASK).map(item).collect::<Vec<_>>();
    let counts = split_by_size(&mut items);
    let mut rest = &mut items[..];
    for count in counts {
        let (class, others) = rest.split_at_mut(count);
        sort(class);
        rest = others;
    }
    (items.iter().map(|item| item.handle).collect(), counts)
}

/// Binary exponent of a number that is not negative; that of the denormal ones and of zero is the least.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52) as i32
}

/// Sorts the items by classes, the largest boxes last, and counts each class.
fn split_by_size(items: &mut [Item]) -> [usize; CLASSES] {
    let mut counts = [0; CLASSES];
    let mut rest = items;
    for class in (1..CLASSES).rev() {
        let Some(largest) = rest.iter().map(|item| item.exponent).max() else { break };
        let lesser = partition(rest, |item| item.exponent <= largest - CLASS_EXPONENTS);
        counts[class] = rest.len() - lesser;
        rest = &mut rest[..lesser];
    }
    counts[0] = rest.len();
    counts
}

/// Moves the items that `is_first` to the front and counts them.
fn partition(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        if is_first(&items[i]) {
            items.swap(i, count);
            count += 1;
        }
    }
    count
}

/// Sorts items of one class in space.
fn sort(items: &mut [Item]) {
    if items.len() <= WIDTH {
        return;
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for item in &*items {
        for k in 0..3 {
            low[k] = low[k].min(item.center[k]);
            high[k] = high[k].max(item.center[k]);
        }
    }
    let extent = |k: usize| high[k] - low[k];
    let axis = (1..3).fold(0, |longest, k| if extent(k) > extent(longest) { k } else { longest });
    let middle = middle(items.len());
    items.select_nth_unstable_by(middle, |a, b| a.center[axis].total_cmp(&b.center[axis]));
    let parallel = items.len() > TASK;
    let (left, right) = items.split_at_mut(middle);
    if parallel {
        rayon::join(|| sort(left), || sort(right));
    } else {
        sort(left);
        sort(right);
    }
}

/// Where to cut so many items: near the middle, between two subtrees of the greatest size that leaves two of them.
fn middle(count: usize) -> usize {
    let mut subtree = WIDTH;
    while subtree * WIDTH < count {
        subtree *= WIDTH;
    }
    ((count + subtree) / (2 * subtree)).max(1) * subtree
}
