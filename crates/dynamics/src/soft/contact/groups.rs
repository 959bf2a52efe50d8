//! Groups of neighbouring nodes or edges of a surface, for which a tree is traversed once.

use nalgebra::Vector3;

/// Nodes of a group. Fewer: more traversals; more: a larger box around them, which meets more boxes for each of them.
pub(super) const NODES_TOGETHER: usize = 4;

/// Edges of a group, which trades like [`NODES_TOGETHER`].
pub(super) const EDGES_TOGETHER: usize = 8;

/// Indices in groups; within a body the members are neighbours at rest, and under any deformation that keeps the surface connected.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    members: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// Groups of at most `size` of the items at `centres` [m], bisected along the widest axis until they are small enough.
    pub(super) fn of_neighbours(centres: &[Vector3<f64>], size: usize) -> Self {
        let mut groups = Self { members: (0..index(centres.len())).collect(), starts: vec![0] };
        let mut members = std::mem::take(&mut groups.members);
        groups.split(&mut members, 0, centres, size.max(1));
        Self { members, ..groups }
    }

    /// Each of `count` indices alone.
    pub(super) fn of_single(count: usize) -> Self {
        Self { members: (0..index(count)).collect(), starts: (0..=index(count)).collect() }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of members of all groups.
    pub(super) fn member_count(&self) -> usize {
        self.members.len()
    }

    /// The members of a group.
    pub(super) fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Appends the groups of `part`, which starts at member `first`.
    fn split(&mut self, part: &mut [u32], first: usize, centres: &[Vector3<f64>], size: usize) {
        if part.len() <= size {
            if !part.is_empty() {
                self.starts.push(index(first + part.len()));
            }
            return;
        }
        let place = |&i: &u32| centres[i as usize];
        let low = part.iter().map(place).fold(Vector3::repeat(f64::INFINITY), |low, p| low.inf(&p));
        let high = part.iter().map(place).fold(Vector3::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p));
        let axis = (high - low).imax();
        let key = |i: &u32| place(i)[axis];
        let middle = part.len() / 2;
        part.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let (left, right) = part.split_at_mut(middle);
        self.split(left, first, centres, size);
        self.split(right, first + middle, centres, size);
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("surfaces have fewer than 2³² parts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_in_one_small_group() {
        let centres: Vec<_> =
            (0..500).map(|i| Vector3::new(f64::from(i % 7), f64::from(i % 11), f64::from(i / 30))).collect();
        for groups in [Groups::of_neighbours(&centres, 16), Groups::of_single(500)] {
            let all = || (0..groups.len()).map(|group| groups.members(group));
            assert!(all().all(|group| !group.is_empty() && group.len() <= 16));
            let mut members: Vec<u32> = all().flatten().copied().collect();
            members.sort_unstable();
            assert_eq!(members, (0..500).collect::<Vec<u32>>());
        }
        assert_eq!(Groups::of_neighbours(&[], 4).len(), 0);
    }
}
