//! Sorted lists of pairs.

use rayon::prelude::*;

use super::handle::{BoxHandle, BoxPair};
use crate::parallel;

/// Pairs per parallel task. Smaller tasks balance better and cost more scheduling; the result does not depend on it.
const TASK: usize = 1 << 15;

/// Pair with the lower handle first.
#[inline(always)]
pub(super) fn pair(a: BoxHandle, b: BoxHandle) -> BoxPair {
    if a < b { [a, b] } else { [b, a] }
}

/// Integer with the same order as the pair.
#[inline(always)]
fn key(pair: &BoxPair) -> u64 {
    u64::from(pair[0].0) << 32 | u64::from(pair[1].0)
}

/// Sorts pairs.
pub(super) fn sort(pairs: &mut [BoxPair]) {
    pairs.par_sort_unstable_by_key(key);
}

/// Groups of consecutive first handles, small enough that the pairs of a group are sorted within the cache.
#[derive(Clone, Copy)]
struct Groups {
    handles: usize,
    /// Handles per group: a power of two.
    width: usize,
}

/// Fills `sorted` with the pairs of all pieces, whose handles are below `handles`.
pub(super) fn sort_pieces(pieces: &[Vec<BoxPair>], handles: usize, sorted: &mut Vec<BoxPair>) {
    /// Maximum number of groups and minimum number of handles in one: fewer, larger groups fall out of the cache, more
    /// groups scatter the pairs over more places in memory. The result does not depend on them.
    const MAX_AND_MIN: (usize, usize) = (1 << 8, 1 << 12);
    let (max, min) = MAX_AND_MIN;
    let groups = Groups { handles, width: handles.div_ceil(max).max(min).next_power_of_two() };
    let gathered = parallel::map_slice(pieces, 1, |piece| groups.gather(piece));
    sorted.resize(pieces.iter().map(Vec::len).sum(), [BoxHandle(0); 2]);
    let (mut rest, mut parts) = (&mut sorted[..], Vec::new());
    for group in 0..groups.count() {
        let size = gathered.iter().map(|piece| piece.group(group).len()).sum();
        let (own, others) = rest.split_at_mut(size);
        parts.push(own);
        rest = others;
    }
    // The groups are disjoint ranges of the result, which tasks fill independently.
    parts.into_par_iter().enumerate().with_max_len(1).for_each(|(group, part)| {
        groups.sort(group, gathered.iter().flat_map(|piece| piece.group(group)), part);
    });
}

/// Pairs sorted by group.
struct Gathered {
    pairs: Vec<BoxPair>,
    /// End of each group in `pairs`.
    ends: Vec<u32>,
}

impl Gathered {
    fn group(&self, index: usize) -> &[BoxPair] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.pairs[start as usize..self.ends[index] as usize]
    }
}

impl Groups {
    fn count(self) -> usize {
        self.handles.div_ceil(self.width)
    }

    fn gather(self, pairs: &[BoxPair]) -> Gathered {
        let group = |pair: &BoxPair| pair[0].index() >> self.width.trailing_zeros();
        let mut gathered = vec![[BoxHandle(0); 2]; pairs.len()];
        let ends = scatter(self.count(), pairs.iter(), group, &mut gathered);
        Gathered { pairs: gathered, ends }
    }

    /// Fills `sorted` with the pairs of one group.
    fn sort<'a, I>(self, group: usize, pairs: I, sorted: &mut [BoxPair])
    where
        I: Iterator<Item = &'a BoxPair> + Clone,
    {
        let first = group * self.width;
        let ends = scatter(self.width, pairs, |pair| pair[0].index() - first, sorted);
        let mut start = 0;
        for end in ends {
            sorted[start..end as usize].sort_unstable_by_key(|pair| pair[1]);
            start = end as usize;
        }
    }
}

/// Counting sort: writes the pairs to `to` by bin, and returns the end of each bin.
fn scatter<'a, I>(bins: usize, pairs: I, bin: impl Fn(&BoxPair) -> usize, to: &mut [BoxPair]) -> Vec<u32>
where
    I: Iterator<Item = &'a BoxPair> + Clone,
{
    let mut ends = vec![0; bins];
    pairs.clone().for_each(|pair| ends[bin(pair)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        // The start of the bin, which moves to its end as the bin is filled.
        sum += std::mem::replace(end, sum);
    }
    for pair in pairs {
        let end = &mut ends[bin(pair)];
        to[*end as usize] = *pair;
        *end += 1;
    }
    ends
}

/// Removes the pairs common to two sorted lists from both.
pub(super) fn cancel(a: &mut Vec<BoxPair>, b: &mut Vec<BoxPair>) {
    let (only_in_a, only_in_b) = differences(a, b);
    (*a, *b) = (only_in_a, only_in_b);
}

/// Pairs that are only in the first and pairs that are only in the second of two sorted lists.
pub(super) fn differences(a: &[BoxPair], b: &[BoxPair]) -> (Vec<BoxPair>, Vec<BoxPair>) {
    if a.len() + b.len() > TASK {
        // The median of the longer list splits both at the same key, so that the halves are independent.
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

/// Fills `new` with `old` minus `ended` plus `begun`; all sorted, `ended` contained in `old` and `begun` disjoint from it.
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
        // The length of the first half is known in advance, so that both halves are written in place.
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
        // Pairs that have begun are merged in before the first old pair with a larger key.
        while j < begun.len() && key(&begun[j]) < key(pair) {
            new[count] = begun[j];
            (count, j) = (count + 1, j + 1);
        }
        new[count] = *pair;
        count += 1;
    }
    new[count..].copy_from_slice(&begun[j..]);
}
