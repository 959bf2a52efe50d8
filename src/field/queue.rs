//! A queue of nodes by distance that hands out the least first, in expected constant time.
//!
//! Distances are sorted into narrow buckets; a bucket is put in order only when it is its turn. What is put into the
//! bucket whose turn it is finds its place there. So nodes leave in exact order, and none is ever moved within the
//! queue: a node whose distance has shrunk is put in again, and its older entry is recognised when it leaves.

/// Buckets for one spacing: few enough that the ends of those in use stay in the nearest cache, many enough that each
/// holds some hundred nodes at most on a grid of 128³ nodes.
const BUCKETS_PER_SPACING: f64 = 128.0;
/// Buckets in all, used round and round. Distances farther ahead wait in the last one.
const RING: usize = 512;

/// A node and its distance; of equal distances the lower node goes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) distance: f64,
    pub(super) node: u32,
}

impl Entry {
    /// Distances are positive, so their bits are in order.
    fn key(&self) -> (u64, u32) {
        (self.distance.to_bits(), self.node)
    }
}

#[derive(Debug)]
pub(super) struct Queue {
    ring: Vec<Vec<Entry>>,
    buckets_per_metre: f64,
    /// The bucket whose turn it is.
    turn: u64,
    /// Its entries, the least last.
    open: Vec<Entry>,
    /// Entries in the ring.
    waiting: usize,
}

impl Queue {
    /// A queue for distances from `least` on, which is positive, on a grid of the given spacing [m].
    pub(super) fn new(spacing: f64, least: f64) -> Self {
        let buckets_per_metre = BUCKETS_PER_SPACING / spacing;
        let turn = (least * buckets_per_metre) as u64;
        Self { ring: vec![Vec::new(); RING], buckets_per_metre, turn, open: Vec::new(), waiting: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, distance: f64, node: u32) {
        let entry = Entry { distance, node };
        let bucket = (distance * self.buckets_per_metre) as u64;
        if bucket <= self.turn {
            let place = self.open.partition_point(|other| other.key() > entry.key());
            self.open.insert(place, entry);
        } else {
            let bucket = bucket.min(self.turn + RING as u64 - 1);
            self.ring[bucket as usize % RING].push(entry);
            self.waiting += 1;
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        loop {
            let entry = self.open.pop();
            if entry.is_some() || self.waiting == 0 {
                return entry;
            }
            self.next_bucket();
        }
    }

    fn next_bucket(&mut self) {
        self.turn += 1;
        let slot = self.turn as usize % RING;
        std::mem::swap(&mut self.open, &mut self.ring[slot]);
        self.waiting -= self.open.len();
        let is_early = |entry: &Entry| (entry.distance * self.buckets_per_metre) as u64 > self.turn;
        if self.open.iter().any(is_early) {
            for entry in std::mem::take(&mut self.open) {
                self.push(entry.distance, entry.node);
            }
        } else {
            self.open.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.key()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_leave_in_order_of_distance_whatever_order_they_came_in() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut queue = Queue::new(0.1, 0.1);
        for node in 0..2000 {
            queue.push(0.1 + 5.0 * random(), node);
        }
        let (mut last, mut count) = (0.0, 2000_u32);
        let mut left = 0;
        while let Some(entry) = queue.pop() {
            assert!(entry.distance >= last, "{} after {last}", entry.distance);
            last = entry.distance;
            left += 1;
            if count < 6000 && random() < 0.7 {
                queue.push(last + 0.3 * random().powi(3), count);
                count += 1;
            }
        }
        assert_eq!(left, count);
    }
}
