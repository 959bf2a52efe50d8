//! Sorted lists of pairs.

use rayon::prelude::*;

use super::{BoxHandle, BoxPair};

/// Pairs that are worth a task.
const TASK: usize = 1 << 15;

/// Puts the lesser handle first.
#[inline(always)]
pub(super) fn pair(a: BoxHandle, b: BoxHandle) -> BoxPair {
    if a < b { [a, b] } else { [b, a] }
}

/// A number that orders as the pair does.
#[inline(always)]
fn key(pair: &BoxPair) -> u64 {
    u64::from(pair[0].0) << 32 | u64::from(pair[1].0)
}

/// Sorts pairs.
pub(super) fn sort(pairs: &mut [BoxPair]) {
    pairs.par_sort_unstable_by_key(key);
}

/// Takes out of both sorted lists what is in both.
pub(super) fn cancel(a: &mut Vec<BoxPair>, b: &mut Vec<BoxPair>) {
    let (only_in_a, only_in_b) = differences(a, b);
    (*a, *b) = (only_in_a, only_in_b);
}

/// What is only in the one and what is only in the other of two sorted lists.
pub(super) fn differences(a: &[BoxPair], b: &[BoxPair]) -> (Vec<BoxPair>, Vec<BoxPair>) {
    if a.len() + b.len() > TASK {
        // The middle of the longer list cuts both.
        let longer = if a.len() > b.len() { a } else { b };
        let middle = key(&longer[longer.len() / 2]);
        let cut = |list: &[BoxPair]| list.partition_point(|pair| key(pair) < middle);
        let ((first_a, last_a), (first_b, last_b)) = (a.split_at(cut(a)), b.split_at(cut(b)));
        let (mut first, mut last) =
            rayon::join(|| differences(first_a, first_b), || differences(last_a, last_b));
        first.0.append(&mut last.0);
        first.1.append(&mut last.1);
        return first;
    }
    let (mut only_in_a, mut only_in_b) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let keys = (key(&a[i]), key(&b[j]));
        if keys.0 < keys.1 {
            only_in_a.push(a[i]);
        }
        if keys.1 < keys.0 {
            only_in_b.push(b[j]);
        }
        i += usize::from(keys.0 <= keys.1);
        j += usize::from(keys.1 <= keys.0);
    }
    only_in_a.extend_from_slice(&a[i..]);
    only_in_b.extend_from_slice(&b[j..]);
    (only_in_a, only_in_b)
}

/// Fills `new` with `old` without `ended` and with `begun`; all sorted, `ended` in `old` and `begun` not.
pub(super) fn apply(old: &[BoxPair], ended: &[BoxPair], begun: &[BoxPair], new: &mut Vec<BoxPair>) {
    new.resize(old.len() + begun.len() - ended.len(), [BoxHandle(0); 2]);
    apply_to(old, ended, begun, new);
}

fn apply_to(old: &[BoxPair], ended: &[BoxPair], begun: &[BoxPair], new: &mut [BoxPair]) {
    if old.len() > TASK {
        let middle = key(&old[old.len() / 2]);
        let cut = |list: &[BoxPair]| list.partition_point(|pair| key(pair) < middle);
        let (first, last) = old.split_at(old.len() / 2);
        let (first_ended, last_ended) = ended.split_at(cut(ended));
        let (first_begun, last_begun) = begun.split_at(cut(begun));
        let (first_new, last_new) = new.split_at_mut(first.len() + first_begun.len() - first_ended.len());
        rayon::join(
            || apply_to(first, first_ended, first_begun, first_new),
            || apply_to(last, last_ended, last_begun, last_new),
        );
        return;
    }
    let (mut i, mut j, mut count) = (0, 0, 0);
    for pair in old {
        if ended.get(i) == Some(pair) {
            i += 1;
            continue;
        }
        while j < begun.len() && key(&begun[j]) < key(pair) {
            new[count] = begun[j];
            (count, j) = (count + 1, j + 1);
        }
        new[count] = *pair;
        count += 1;
    }
    new[count..].copy_from_slice(&begun[j..]);
}
