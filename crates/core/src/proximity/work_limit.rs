//! Bound on the work of a search: a number of visited pairs of subtrees, and a deadline.
//!
//! A single traversal of pathological meshes, such as sheets that coincide, may visit all pairs of their triangles, and a march
//! through them may do so thousands of times. Every traversal of a search therefore spends from one account.

use std::time::Instant;

use super::model::Model;

/// Pairs of subtrees that a query may visit by default, and those in addition for each triangle: searches of meshes of other
/// people visit at most a third of them. A safeguard against coincident surfaces, between which every march leaves
/// one pair after another.
const MAX_PAIRS: u64 = 1 << 19;
const MAX_PAIRS_PER_TRIANGLE: u64 = 8;
/// Pairs between two looks at the clock: about a tenth of a millisecond.
const BETWEEN_CHECKS: u64 = 128;

/// Account of the work that a search may still do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkLimit {
    /// Pairs that may still be visited.
    left: u64,
    /// Pairs that the triangles of a pair of leaves count as, besides the pair itself.
    of_leaves: u64,
    deadline: Option<Instant>,
    is_spent: bool,
}

impl WorkLimit {
    /// No limit.
    pub(crate) const NONE: Self = Self::new(u64::MAX, None);

    /// A limit of so many pairs, and of time if there is a deadline.
    pub(crate) const fn new(pairs: u64, deadline: Option<Instant>) -> Self {
        Self { left: pairs, of_leaves: 0, deadline, is_spent: false }
    }

    /// The default limit of a query of two models.
    pub(crate) fn between(a: &Model, b: &Model, deadline: Option<Instant>) -> Self {
        let triangles = a.mesh().triangles().len() + b.mesh().triangles().len();
        Self::new(MAX_PAIRS + MAX_PAIRS_PER_TRIANGLE * triangles as u64, deadline)
    }

    /// The default limit of a collision query of two models, in which the triangles of leaves count by the time that they take: some
    /// tenths of a second for meshes of ten thousands of triangles. What ends at its first pair of triangles may visit more than a search
    /// whose steps visit thousands each.
    pub(crate) fn of_collision(a: &Model, b: &Model) -> Self {
        const TIMES: u64 = 16;
        Self::with_leaves(TIMES * Self::between(a, b, None).left)
    }

    /// A limit of so many pairs, in which the triangles of leaves count by the time that they take.
    pub(crate) const fn with_leaves(pairs: u64) -> Self {
        const OF_LEAVES: u64 = 31;
        Self { of_leaves: OF_LEAVES, ..Self::new(pairs, None) }
    }

    /// The default limit of a distance query of two models, whose collision has been excluded.
    pub(crate) fn of_distance(a: &Model, b: &Model) -> Self {
        const TIMES: u64 = 4;
        Self::new(TIMES * Self::between(a, b, None).left, None)
    }

    /// Whether there is a limit at all.
    pub(crate) fn is_limit(&self) -> bool {
        self.left <= u64::MAX / 2 || self.deadline.is_some()
    }

    /// The number of pairs that may still be visited.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The time at which it is spent.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether nothing is left, or the deadline was found to have passed.
    #[inline(always)]
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Whether nothing is left although the deadline, if there is one, was not found to have passed.
    pub(crate) fn is_work_spent(&self) -> bool {
        self.left == 0
    }

    /// Counts a visited pair; returns whether the limit is spent.
    #[inline(always)]
    pub(crate) fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left.is_multiple_of(BETWEEN_CHECKS) {
            self.check();
        }
        self.is_spent
    }

    /// Counts the triangles of a visited pair of leaves, and looks at the clock if there is a deadline: where every pair is one of
    /// leaves, those between two looks by their number take milliseconds.
    #[inline(always)]
    pub(crate) fn spend_leaves(&mut self) {
        if self.of_leaves > 0 || self.deadline.is_some() {
            self.spend_many(self.of_leaves);
        }
    }

    /// Counts the work of so many pairs at once; returns whether the limit is spent.
    pub(crate) fn spend_many(&mut self, pairs: u64) -> bool {
        self.left = self.left.saturating_sub(pairs);
        self.check();
        self.is_spent
    }

    #[cold]
    fn check(&mut self) {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_spent |= self.left == 0 || is_late;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_spent_after_its_pairs_or_at_its_deadline_and_stays_so() {
        let mut limit = WorkLimit::new(1000, None);
        let visited = (0..5000).take_while(|_| !limit.spend()).count();
        assert_eq!((visited, limit.is_work_spent()), (999, true));
        assert!(limit.spend());
        let mut late = WorkLimit::new(u64::MAX, Some(Instant::now()));
        assert!((0..=BETWEEN_CHECKS).any(|_| late.spend()));
        assert!(late.spend() && !late.is_work_spent());
        let mut unlimited = WorkLimit::NONE;
        assert!((0..5000).all(|_| !unlimited.spend()));
        assert!(!unlimited.is_limit() && limit.is_limit() && late.is_limit());
    }
}
