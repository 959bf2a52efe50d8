//! Patience of a search: the work within which it does not end, and the work without improvement that ends it.
//!
//! Fast effort is done after a first descent that succeeds nearby, and has a quarter or two fifths of the patience of best effort otherwise. Of its
//! results for the figure of the tuning part of `repair_suite`, all but one of the twelve that were more than half farther than the best
//! known lay beyond two thirds of the size of the links, and an eighth of the others did: there it works longer. Best effort never ends before
//! fast effort would.

use super::descent::DescentResult;
use super::options::{SearchEnd, WorkBounds};
use super::search::MultiStartSearch;
use crate::penetration::translational::options::Effort;

/// Fraction of the patience of best effort that fast effort has where the first descent has failed, and where it has succeeded far
/// from the input. Set on the tuning part of `repair_suite` (docs/sensitivity.md).
const FAST_PATIENCE: f64 = 0.4;
const DOUBTING_PATIENCE: f64 = 0.25;
/// √σ of a first result, as a fraction of the size of the collision world, above which it may be poor: of 105 first results of the
/// tuning part of `repair_suite` none nearer than that is more than 4 % farther than the best known, and eight of those beyond are.
const DOUBTFUL: f64 = 0.1;
/// Minimum work of the search that follows such a result, in that of the first descent. Of the eight, six are improved, all to
/// 1.18 times the best known at most; with half of it four, with twice of it seven (docs/sensitivity.md).
const DOUBT: u64 = 4;
/// √σ of a result, as a fraction of the size of the collision world, above which fast effort has the patience of best effort. Set on the
/// tuning part of `repair_suite` (docs/sensitivity.md).
const FAR: f64 = 0.7;
/// Fraction of the minimum work of best effort after a failure that a search has then, inverted.
const FAR_PART: u64 = 3;

impl MultiStartSearch<'_> {
    /// Minimum work of a search whose first descent had this result: zero unless it may be poor. Two bodies have their translation as
    /// another answer.
    pub(super) fn min_after_success(&self, first: &DescentResult) -> u64 {
        let is_doubtful = self.collision_world.bodies.len() > 2 && self.is_beyond(DOUBTFUL, first);
        if is_doubtful { DOUBT.saturating_mul(first.work) } else { 0 }
    }

    /// Whether √σ of a result is above a fraction of the size of the collision world.
    fn is_beyond(&self, fraction: f64, best: &DescentResult) -> bool {
        best.sigma() > (fraction * self.collision_world.size).powi(2)
    }

    /// Stores the result with which fast effort would have ended, the first one given.
    pub(super) fn keep_for_fast(&self, best: &DescentResult) {
        // Only the first one counts: a cell that is filled already keeps it.
        let _ = self.at_fast.set(best.clone());
    }

    /// Minimum work and patience of a search with this result.
    fn patience(&self, best: &DescentResult, effort: Effort) -> (u64, f64) {
        let WorkBounds { min, min_after_failure, patience, .. } = self.options.work;
        let is_far = self.is_beyond(FAR, best);
        let own = self.min_after_success.unwrap_or(min);
        let fast = if is_far { own.max(min_after_failure / FAR_PART) } else { own };
        match (effort, self.min_after_success) {
            (Effort::Fast, _) if is_far => (fast, patience),
            (Effort::Fast, None) => (fast, FAST_PATIENCE * patience),
            (Effort::Fast, Some(_)) => (fast, DOUBTING_PATIENCE * patience),
            (Effort::Best, Some(_)) => (fast.max(min), patience),
            (Effort::Best, None) => (fast.max(min).max(min_after_failure), patience),
        }
    }

    /// Whether a result has not improved for long enough, by the standard of an effort.
    fn is_settled(&self, best: &DescentResult, effort: Effort) -> bool {
        let (min, patience) = self.patience(best, effort);
        let idle = (best.work - best.improved_work) as f64;
        best.free.is_some() && best.work >= min && idle >= patience * best.improved_work as f64
    }

    /// The reason for which a search ends with this result, if it does.
    pub(super) fn end(&self, best: &DescentResult) -> Option<SearchEnd> {
        let effort = self.options.effort;
        if effort == Effort::Best && self.is_settled(best, Effort::Fast) {
            self.keep_for_fast(best);
        }
        if (self.stop)() {
            Some(SearchEnd::Stopped)
        } else if self.is_settled(best, effort) {
            Some(SearchEnd::NoImprovement)
        } else {
            self.is_exhausted(best).then_some(SearchEnd::WorkBound)
        }
    }

    /// Whether a search with this result is stopped or at its bound of work, which is the same for both efforts.
    pub(super) fn is_exhausted(&self, best: &DescentResult) -> bool {
        let WorkBounds { max, max_without_result, .. } = self.options.work;
        let limit = if best.free.is_some() { max } else { max.max(max_without_result) };
        (self.stop)() || best.work >= limit
    }
}
