//! Bucket queue of nodes by distance: push and pop in constant time.
//!
//! Distances are sorted into narrow buckets, which form a ring; within a bucket they are not ordered: the caller must
//! correct the results of two nodes of one bucket that leave in the wrong order. An entry is a node index only; its
//! distance, and whether the entry is still valid, is stored with the node.

/// Buckets per spacing. With fewer, more nodes are solved twice; with more, the ends of the buckets no longer fit the
/// nearest cache.
const BUCKETS_PER_SPACING: f64 = 64.0;
/// Number of buckets in the ring. Distances farther ahead wait in the last one, and are sorted again from there: with fewer
/// buckets that happens more often.
const RING: usize = 256;

#[derive(Debug)]
pub(super) struct Queue {
    ring: Vec<Vec<u32>>,
    buckets_per_metre: f64,
    /// Number of the bucket that is being emptied.
    current: u64,
    /// Its entries.
    open: Vec<u32>,
    /// Entries in the ring.
    waiting: usize,
}

impl Queue {
    /// A queue for distances from `min` on, which is positive, on a grid of the given spacing [m].
    pub(super) fn new(spacing: f64, min: f64) -> Self {
        let buckets_per_metre = BUCKETS_PER_SPACING / spacing;
        let current = (min * buckets_per_metre) as u64;
        Self { ring: vec![Vec::new(); RING], buckets_per_metre, current, open: Vec::new(), waiting: 0 }
    }

    /// Whether a distance belongs to a later bucket than the current one.
    #[inline(always)]
    pub(super) fn is_ahead(&self, distance: f64) -> bool {
        self.bucket(distance) > self.current
    }

    /// The bucket of a distance.
    #[inline(always)]
    pub(super) fn bucket(&self, distance: f64) -> u64 {
        (distance * self.buckets_per_metre) as u64
    }

    #[inline(always)]
    pub(super) fn push(&mut self, distance: f64, node: u32) {
        let bucket = self.bucket(distance);
        // A distance in the current bucket or before it is due at once.
        if bucket <= self.current {
            self.open.push(node);
        } else {
            let bucket = bucket.min(self.current + RING as u64 - 1);
            self.ring[bucket as usize % RING].push(node);
            self.waiting += 1;
        }
    }

    /// Entries of the current bucket; the last one leaves first.
    #[inline(always)]
    pub(super) fn open(&self) -> &[u32] {
        &self.open
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            let entry = self.open.pop();
            if entry.is_some() || self.waiting == 0 {
                return entry;
            }
            self.current += 1;
            std::mem::swap(&mut self.open, &mut self.ring[self.current as usize % RING]);
            self.waiting -= self.open.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use extricate_test_support::Noise;

    use super::*;

    #[test]
    fn entries_leave_in_order_of_their_buckets_whatever_order_they_came_in() {
        let mut noise = Noise(7);
        let mut random = || noise.unit_interval();
        let mut queue = Queue::new(0.1, 0.1);
        let mut distances = Vec::new();
        for node in 0..2000 {
            distances.push(0.1 + 5.0 * random());
            queue.push(distances[node as usize], node);
        }
        let (mut last, mut left) = (0.0, 0);
        while let Some(node) = queue.pop() {
            let distance = distances[node as usize];
            if queue.is_ahead(distance) {
                // It waited in the last bucket of the ring.
                queue.push(distance, node);
                continue;
            }
            assert!(distance >= last - 0.1 / BUCKETS_PER_SPACING, "{distance} after {last}");
            last = distance.max(last);
            left += 1;
            if distances.len() < 6000 && random() < 0.7 {
                distances.push(last + 0.3 * random().powi(3));
                queue.push(distances[distances.len() - 1], distances.len() as u32 - 1);
            }
        }
        assert_eq!(left, distances.len());
    }
}
