//! The bar that the parts of a model are held against: how far away a point is known to be, and how close to that an
//! upper bound must come.

use nalgebra::Point3;

use super::answer::Side;
use super::nearest::Near;

/// A point of one model with its distance from the other one: a lower bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub(super) side: Side,
    /// Of the model that holds the point.
    pub(super) triangle: u32,
    /// [m, frame of the other model's tree]
    pub(super) point: Point3<f64>,
    pub(super) nearest: Near,
}

/// What the parts of a model are held against while they are divided.
#[derive(Debug)]
pub(super) struct Bar {
    /// The greatest deviation found so far.
    pub(super) best: Option<Deviation>,
    /// Lower bound that it gives [m].
    pub(super) lower: f64,
    /// Upper bounds up to this one are good enough [m].
    pub(super) target: f64,
    /// The greatest upper bound of a part that needs no more work [m].
    pub(super) settled: f64,
    pub(super) evaluations: u64,
    allowed: Allowed,
}

/// The errors that are allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// Relative to the lower bound.
    pub(super) relative: f64,
    /// [m]
    pub(super) absolute: f64,
    /// What rounding adds to the difference of the bounds in the end [m]; less than half of the absolute error.
    pub(super) rounding: f64,
}

impl Bar {
    pub(super) fn new(allowed: Allowed) -> Self {
        let target = allowed.absolute - allowed.rounding;
        Self { best: None, lower: 0.0, target, settled: 0.0, evaluations: 0, allowed }
    }

    /// The same bar, with nothing done yet.
    pub(super) fn fresh(&self) -> Self {
        Self { evaluations: 0, ..*self }
    }

    pub(super) fn raise(&mut self, found: Deviation) {
        if self.best.is_none() || found.nearest.distance > self.lower {
            self.lower = found.nearest.distance;
            let allowed = (self.allowed.relative * self.lower).max(self.allowed.absolute);
            self.target = self.lower + (allowed - self.allowed.rounding);
            self.best = Some(found);
        }
    }

    /// Whether a part with this upper bound needs no more work; remembers the bound of one that does not.
    pub(super) fn settles(&mut self, upper: f64) -> bool {
        let is_settled = upper <= self.target;
        if is_settled {
            self.settled = self.settled.max(upper);
        }
        is_settled
    }

    /// Leaves a part as it is, whatever its upper bound.
    pub(super) fn give_up(&mut self, upper: f64) {
        self.settled = self.settled.max(upper);
    }

    /// Takes over what another bar has learnt.
    pub(super) fn merge(&mut self, other: &Self) {
        self.settled = self.settled.max(other.settled);
        self.evaluations += other.evaluations;
        if let Some(best) = other.best {
            self.raise(best);
        }
    }
}
