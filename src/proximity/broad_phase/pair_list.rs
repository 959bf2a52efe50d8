//! Sorted lists of pairs.

use rayon::prelude::*;

use super::BoxPair;

/// Sorts the pairs.
pub(super) fn sort(pairs: &mut [BoxPair]) {
    pairs.par_sort_unstable_by_key(key);
}

/// A number that orders as the pair does.
fn key(pair: &BoxPair) -> u64 {
    u64::from(pair[0].0) << 32 | u64::from(pair[1].0)
}

/// Fills `begun` with the pairs that are only in `new` and `ended` with those that are only in `old`; all sorted.
pub(super) fn differences(
    old: &[BoxPair],
    new: &[BoxPair],
    begun: &mut Vec<BoxPair>,
    ended: &mut Vec<BoxPair>,
) {
    begun.clear();
    ended.clear();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let (before, now) = (key(&old[i]), key(&new[j]));
        if before < now {
            ended.push(old[i]);
        }
        if now < before {
            begun.push(new[j]);
        }
        i += usize::from(before <= now);
        j += usize::from(now <= before);
    }
    ended.extend_from_slice(&old[i..]);
    begun.extend_from_slice(&new[j..]);
}
