//! Parallel loops over indices and slices, in the order of the indices.
//!
//! A loop of rayon is compiled once for each closure: its jobs were an eighth of the code that this crate hands to the
//! compiler's back end. Here the division into tasks, the same as rayon's, is compiled once, and calls the loop over a
//! range of indices through a pointer.

use std::ops::Range;

/// Results of `of` for the indices below `count`, in their order. A task has at least `min_len` indices; with 1 of them,
/// every index may become a task of its own.
///
/// A panic of `of` is passed on; results that were already there are then not dropped.
pub fn map<R: Send>(count: usize, min_len: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_init(count, min_len, || (), |(), index| of(index))
}

/// As [`map`], with a state that `init` makes for each task.
pub fn map_init<S, R: Send>(
    count: usize,
    min_len: usize,
    init: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let mut results: Vec<R> = Vec::with_capacity(count);
    let slots = Slots(results.as_mut_ptr());
    in_ranges(count, min_len, &|range| {
        let mut state = init();
        for index in range {
            let result = of(&mut state, index);
            #[expect(unsafe_code, reason = "tasks fill disjoint slots of one vector")]
            // SAFETY: the index is below the capacity, and it is in one range alone: no other task has this slot.
            unsafe {
                slots.at(index).write(result);
            }
        }
    });
    #[expect(unsafe_code, reason = "tasks fill disjoint slots of one vector")]
    // SAFETY: the ranges cover all indices below `count`, which is within the capacity.
    unsafe {
        results.set_len(count);
    }
    results
}

/// Results of `of` for the items, in their order; see [`map`].
pub fn map_slice<T: Sync, R: Send>(items: &[T], min_len: usize, of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map(items.len(), min_len, |index| of(&items[index]))
}

/// Results of `of` for the items and their indices, in their order; see [`map`].
pub fn map_mut<T: Send, R: Send>(
    items: &mut [T],
    min_len: usize,
    of: impl Fn(usize, &mut T) -> R + Sync,
) -> Vec<R> {
    let count = items.len();
    let slots = Slots(items.as_mut_ptr());
    map(count, min_len, |index| {
        #[expect(unsafe_code, reason = "tasks change disjoint items of one slice")]
        // SAFETY: the index is that of an item, it occurs once, and `items` stays borrowed until all tasks have ended.
        let item = unsafe { &mut *slots.at(index) };
        of(index, item)
    })
}

/// Calls `change` for the items and their indices; see [`map`].
pub fn for_each_mut<T: Send>(items: &mut [T], min_len: usize, change: impl Fn(usize, &mut T) + Sync) {
    map_mut(items, min_len, change);
}

/// The slots of a slice or vector, each of which one task alone uses.
struct Slots<T>(*mut T);

#[expect(unsafe_code, reason = "tasks use disjoint slots")]
// SAFETY: slots are used by one thread each, to which `T: Send` lets them pass.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    fn at(&self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

/// Divides the indices below `count` into ranges of at least `min_len` of them and calls `work` for each.
fn in_ranges(count: usize, min_len: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    divide(0..count, Division { min_len: min_len.max(1), rest: rayon::current_num_threads() }, false, work);
}

/// Rules of a division into tasks.
#[derive(Clone, Copy)]
struct Division {
    /// Minimum number of indices of a task.
    min_len: usize,
    /// Number of tasks into which a range may still be divided, as long as no other thread takes a part of it over.
    rest: usize,
}

/// As rayon divides: into one task per thread at first, and again where another thread has taken a part over.
fn divide(range: Range<usize>, division: Division, taken_over: bool, work: &(dyn Fn(Range<usize>) + Sync)) {
    let rest =
        if taken_over { rayon::current_num_threads().max(division.rest / 2) } else { division.rest / 2 };
    if range.len() / 2 < division.min_len || !(taken_over || division.rest > 0) {
        return work(range);
    }
    let division = Division { rest, ..division };
    let middle = range.start + range.len() / 2;
    rayon::join_context(
        |context| divide(range.start..middle, division, context.migrated(), work),
        |context| divide(middle..range.end, division, context.migrated(), work),
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::*;

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            for count in [0, 1, 2, 3, 64, 1000] {
                for min_len in [0, 1, 7, 999, usize::MAX] {
                    let expected = (0..count).map(|index| format!("{index}")).collect::<Vec<_>>();
                    let (copies, items) = with_threads(threads, || {
                        let texts = map(count, min_len, |index| format!("{index}"));
                        let mut items = vec![1; count];
                        let texts_again = map_mut(&mut items, min_len, |index, item| {
                            *item += index;
                            format!("{index}")
                        });
                        assert_eq!(texts_again, expected);
                        for_each_mut(&mut items, min_len, |index, item| *item *= index);
                        (map_slice(&texts, min_len, String::clone), items)
                    });
                    assert_eq!(copies, expected);
                    assert!(items.iter().enumerate().all(|(index, &item)| item == index * (index + 1)));
                }
            }
        }
    }

    #[test]
    fn tasks_have_at_least_the_minimum_length_and_cover_each_index_once() {
        for (count, min_len) in [(1000, 1), (1000, 10), (1000, 300), (19, 10)] {
            let ranges = Mutex::new(Vec::new());
            with_threads(4, || in_ranges(count, min_len, &|range| ranges.lock().unwrap().push(range)));
            let ranges = ranges.into_inner().unwrap();
            assert!(ranges.iter().all(|range| range.len() >= min_len));
            assert!(ranges.len() > 1 || count < 2 * min_len);
            let indices = ranges.iter().cloned().flatten().collect::<BTreeSet<_>>();
            assert_eq!(indices.len(), ranges.iter().map(Range::len).sum::<usize>());
            assert_eq!(indices.len(), count);
        }
    }

    #[test]
    fn a_panic_of_a_task_reaches_the_caller() {
        let failed = |index: usize| assert!(index != 77, "the task of index 77");
        let caught = std::panic::catch_unwind(|| with_threads(2, || map(100, 1, failed)));
        assert!(caught.is_err());
    }
}
