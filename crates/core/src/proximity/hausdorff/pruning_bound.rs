//! Pruning bound of the branch and bound: the lower bound of the distance found so far, and the upper bound at which a
//! part of a model needs no more work.

use nalgebra::Point3;

use super::answer::Side;
use super::nearest::Near;

/// A point of one model with its distance from the other one: a lower bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub(super) side: Side,
    /// Triangle of the point, in its own model.
    pub(super) triangle: u32,
    /// The point [m, frame of the other model's tree].
    pub(super) point: Point3<f64>,
    pub(super) nearest: Near,
}

/// The bounds to which the parts of a model are compared while they are divided.
#[derive(Debug)]
pub(super) struct PruningBound {
    /// The maximum deviation found so far.
    pub(super) best: Option<Deviation>,
    /// Lower bound of the distance, that of the best deviation [m].
    pub(super) lower: f64,
    /// Upper bound at which a part is settled: the lower bound plus the tolerance [m].
    pub(super) target: f64,
    /// Maximum upper bound of the settled parts [m].
    pub(super) settled: f64,
    pub(super) evaluations: u64,
    tolerances: Tolerances,
}

/// Tolerated differences of the bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerances {
    /// Tolerance relative to the lower bound.
    pub(super) relative: f64,
    /// Absolute tolerance [m].
    pub(super) absolute: f64,
    /// Contribution of rounding to the difference of the bounds in the end [m]; at most half of the absolute tolerance.
    pub(super) rounding: f64,
}

impl PruningBound {
    pub(super) fn new(tolerances: Tolerances) -> Self {
        let target = tolerances.absolute - tolerances.rounding;
        Self { best: None, lower: 0.0, target, settled: 0.0, evaluations: 0, tolerances }
    }

    /// The same bounds with an empty count of evaluations.
    pub(super) fn fresh(&self) -> Self {
        Self { evaluations: 0, ..*self }
    }

    /// Raises the lower bound to a deviation that exceeds it.
    pub(super) fn raise(&mut self, found: Deviation) {
        if self.best.is_none() || found.nearest.distance > self.lower {
            self.lower = found.nearest.distance;
            let tolerance = (self.tolerances.relative * self.lower).max(self.tolerances.absolute);
            self.target = self.lower + (tolerance - self.tolerances.rounding);
            self.best = Some(found);
        }
    }

    /// Whether a part with this upper bound needs no more work; if so, the bound enters the maximum of the settled
    /// ones.
    pub(super) fn settles(&mut self, upper: f64) -> bool {
        let is_settled = upper <= self.target;
        if is_settled {
            self.settled = self.settled.max(upper);
        }
        is_settled
    }

    /// Settles a part whatever its upper bound.
    pub(super) fn give_up(&mut self, upper: f64) {
        self.settled = self.settled.max(upper);
    }

    /// Merges the bounds of another thread.
    pub(super) fn merge(&mut self, other: &Self) {
        self.settled = self.settled.max(other.settled);
        self.evaluations += other.evaluations;
        if let Some(best) = other.best {
            self.raise(best);
        }
    }
}
