//! Faces at which a search may continue, of which the one with the minimum bound is next.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Number of candidates beyond which they are in a heap: fewer are scanned, which is cheaper.
const MAX_SCANNED: usize = 96;

/// A face whose bound is below the limit of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) key: f64,
    pub(super) face: u16,
}

/// Faces at which a search may continue. Those that were removed or moved since are dropped when they are met.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    few: Vec<Candidate>,
    /// All of them where they were ever many; then the others are empty.
    many: BinaryHeap<Nearest>,
}

/// A candidate that comes before those with greater keys, and of equal keys before those with greater indices.
#[derive(Debug, Clone, Copy)]
struct Nearest(Candidate);

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    pub(super) fn push(&mut self, candidate: Candidate) {
        if self.many.is_empty() { self.few.push(candidate) } else { self.many.push(Nearest(candidate)) }
    }

    /// The candidate with the minimum key, if one is below `limit`; `keys` are those that the faces have now.
    pub(super) fn nearest(&mut self, keys: &[f64], limit: f64) -> Option<Candidate> {
        if self.few.len() > MAX_SCANNED {
            self.many.extend(self.few.drain(..).map(Nearest));
        }
        if self.many.is_empty() { self.scan(keys, limit) } else { self.pop_outdated(keys, limit) }
    }

    /// A scan of a flat array that drops candidates that are out of date.
    fn scan(&mut self, keys: &[f64], limit: f64) -> Option<Candidate> {
        let mut best = Candidate { key: limit, face: u16::MAX };
        let mut index = 0;
        while index < self.few.len() {
            let candidate = self.few[index];
            if is_outdated(&candidate, keys) || !(candidate.key < limit) {
                self.few.swap_remove(index);
                continue;
            }
            if candidate.key < best.key {
                best = candidate;
            }
            index += 1;
        }
        (best.face < u16::MAX).then_some(best)
    }

    fn pop_outdated(&mut self, keys: &[f64], limit: f64) -> Option<Candidate> {
        while let Some(&Nearest(first)) = self.many.peek() {
            if !is_outdated(&first, keys) {
                return (first.key < limit).then_some(first);
            }
            self.many.pop();
        }
        None
    }
}

/// Whether a face was removed, or has another bound by now.
#[expect(clippy::float_cmp, reason = "a candidate is out of date once the key of its face has changed")]
fn is_outdated(candidate: &Candidate, keys: &[f64]) -> bool {
    keys[candidate.face as usize] != candidate.key
}

impl Ord for Nearest {
    fn cmp(&self, other: &Self) -> Ordering {
        let [(key, face), (other_key, other_face)] = [self, other].map(|one| (one.0.key, one.0.face));
        other_key.total_cmp(&key).then(other_face.cmp(&face))
    }
}

impl PartialOrd for Nearest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Nearest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Nearest {}

#[cfg(test)]
mod tests {
    use extricate_test_support::Noise;

    use super::*;

    #[test]
    fn the_nearest_candidate_is_that_of_a_sorted_list_however_many_there_are() {
        let mut noise = Noise(5);
        let mut candidates = Candidates::default();
        let mut keys: Vec<f64> = Vec::new();
        let gone = f64::INFINITY;
        for round in 0..600 {
            // Some keys are equal, some faces are placed anew with another key.
            let added = if round < 300 { 3 } else { 0 };
            for _ in 0..added {
                let key = (40.0 * noise.signed_vector().x).round() + 1e-3 * noise.signed_vector().y.round();
                let face = keys.iter().position(|key| *key >= gone).filter(|_| round % 2 == 0);
                let face = face.unwrap_or(keys.len());
                keys.resize(keys.len().max(face + 1), gone);
                keys[face] = key;
                candidates.push(Candidate { key, face: face as u16 });
            }
            let limit = 20.0 - 0.01 * f64::from(round);
            let min = keys.iter().copied().fold(gone, f64::min);
            let found = candidates.nearest(&keys, limit);
            assert_eq!(found.map(|found| found.key), (min < limit).then_some(min), "round {round}");
            let Some(found) = found else { continue };
            assert!(keys[found.face as usize].total_cmp(&found.key).is_eq());
            keys[found.face as usize] = gone;
        }
        assert!(keys.len() > 5 * MAX_SCANNED);
    }
}
