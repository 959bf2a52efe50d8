//! Sorted lists of pairs.

use rayon::prelude::*;

use super::handle::{BoxHandle, BoxPair};

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

/// Groups of neighbouring first handles: sorting the pairs of a group stays in the cache.
#[derive(Clone, Copy)]
struct Groups {
    handles: usize,
    /// Handles of a group: a power of two.
    width: usize,
}

/// Fills `sorted` with the pairs of all pieces, whose handles are below `handles`.
pub(super) fn sort_pieces(pieces: &[Vec<BoxPair>], handles: usize, sorted: &mut Vec<BoxPair>) {
    /// Groups at the most, and handles of a group at the least.
    const MOST_AND_LEAST: (usize, usize) = (1 << 8, 1 << 12);
    let (most, least) = MOST_AND_LEAST;
    let groups = Groups { handles, width: handles.div_ceil(most).max(least).next_power_of_two() };
    let gathered = pieces.par_iter().map(|piece| groups.gather(piece)).collect::<Vec<_>>();
    sorted.resize(pieces.iter().map(Vec::len).sum(), [BoxHandle(0); 2]);
    let (mut rest, mut parts) = (&mut sorted[..], Vec::new());
    for group in 0..groups.count() {
        let size = gathered.iter().map(|piece| piece.group(group).len()).sum();
        let (own, others) = rest.split_at_mut(size);
        parts.push(own);
        rest = others;
    }
    parts.into_par_iter().enumerate().with_max_len(1).for_each(|(group, part)| {
        groups.sort(group, gathered.iter().flat_map(|piece| piece.group(group)), part);
    });
}

/// Pairs put together by groups.
struct Gathered {
    pairs: Vec<BoxPair>,
    /// Where each group ends.
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

/// Puts the pairs together by their bins, and returns where each bin ends.
fn scatter<'a, I>(bins: usize, pairs: I, bin: impl Fn(&BoxPair) -> usize, to: &mut [BoxPair]) -> Vec<u32>
where
    I: Iterator<Item = &'a BoxPair> + Clone,
{
    let mut places = vec![0; bins];
    pairs.clone().for_each(|pair| places[bin(pair)] += 1);
    let mut sum = 0;
    for place in &mut places {
        // The start of the bin, which moves to its end as the bin is filled.
        sum += std::mem::replace(place, sum);
    }
    for pair in pairs {
        let place = &mut places[bin(pair)];
        to[*place as usize] = *pair;
        *place += 1;
    }
    places
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
