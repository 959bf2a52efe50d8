//! Order of the boxes in the trees: by size class first, then such that neighbours in the order are neighbours in space.
//!
//! Boxes of similar size are split recursively at the median along the longest axis of their centres, as in a k-d tree.
//! The splits fall between whole subtrees of the implicit tree, and they adapt to clusters, planes and lines without a
//! cell size to choose.

use super::handle::{BoxHandle, TASK, WIDTH};
use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;

/// Sizes within a class differ by at most this power of two (a factor of 8). A larger exponent makes nodes thicker than
/// their boxes, a smaller one makes more trees that have to be traversed against one another.
const CLASS_EXPONENTS: i32 = 3;
/// Number of size classes, each with its own tree; class 0 takes all boxes that are smaller still.
pub(super) const CLASSES: usize = WIDTH;

/// Sort key of a box.
#[derive(Clone, Copy)]
struct Item {
    /// Centre [m].
    center: [f64; 3],
    handle: BoxHandle,
    /// Binary exponent of the longest edge.
    exponent: i32,
}

/// Returns the members in order, and their number in each size class.
pub(super) fn order(boxes: &[Aabb], members: &[BoxHandle]) -> (Vec<BoxHandle>, [usize; CLASSES]) {
    let item = |&handle: &BoxHandle| {
        let aabb = &boxes[handle.index()];
        let longest = (0..3).map(|k| aabb.max[k] - aabb.min[k]).fold(0.0, f64::max);
        let center = std::array::from_fn(|k| 0.5 * aabb.min[k] + 0.5 * aabb.max[k]);
        Item { center, handle, exponent: exponent(longest) }
    };
    let mut items = parallel::map_slice(members, TASK, item);
    let counts = split_by_size(&mut items);
    let mut rest = &mut items[..];
    for count in counts {
        let (class, others) = rest.split_at_mut(count);
        sort(class);
        rest = others;
    }
    (items.iter().map(|item| item.handle).collect(), counts)
}

/// Biased binary exponent of a non-negative number; 0 for zero and subnormal numbers.
fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52) as i32
}

/// Partitions the items by size class, the largest boxes last, and counts each class.
fn split_by_size(items: &mut [Item]) -> [usize; CLASSES] {
    let mut counts = [0; CLASSES];
    let mut rest = items;
    // Relative to the largest box that is left: the classes follow the sizes that occur, and empty ranges are skipped.
    for class in (1..CLASSES).rev() {
        let Some(largest) = rest.iter().map(|item| item.exponent).max() else { break };
        let lesser = partition(rest, |item| item.exponent <= largest - CLASS_EXPONENTS);
        counts[class] = rest.len() - lesser;
        rest = &mut rest[..lesser];
    }
    counts[0] = rest.len();
    counts
}

/// Moves the items for which `is_first` holds to the front and counts them.
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

/// Orders the items of one size class spatially.
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
    // Selection instead of a sort: only the halves matter, and they are split again.
    let middle = middle(items.len());
    items.select_nth_unstable_by(middle, |a, b| a.center[axis].total_cmp(&b.center[axis]));
    // Both halves are disjoint, so that the order does not depend on which of them is sorted first.
    let parallel = items.len() > TASK;
    let (left, right) = items.split_at_mut(middle);
    if parallel {
        rayon::join(|| sort(left), || sort(right));
    } else {
        sort(left);
        sort(right);
    }
}

/// Index at which `count` items are split: near the middle, at a boundary between the largest subtrees of which there are
/// at least two.
fn middle(count: usize) -> usize {
    let mut subtree = WIDTH;
    while subtree * WIDTH < count {
        subtree *= WIDTH;
    }
    ((count + subtree) / (2 * subtree)).max(1) * subtree
}
