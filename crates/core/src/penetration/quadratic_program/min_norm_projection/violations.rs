//! The most violated inactive row of a minimum-norm projection.

use super::FEASIBLE;
use super::rows::Rows;
use crate::bvh::lanes::isa::{Double, Isa};

/// Bound of the rounding of slacks and of the path, relative to the largest of the lengths that they are made of: thousands of
/// times that of a dot product in tens of dimensions. A larger one evaluates more rows; no result depends on it.
const ROUNDING: f64 = 1e-12;
/// The same of lengths so small that their squares underflow.
const TINY: f64 = 1e-150;

/// Search for the most violated row. A unit row's slack changes by at most the path of the point, so that rows far from it need not
/// be evaluated.
#[derive(Debug, Clone, Default)]
pub(super) struct Violations {
    /// Slack of each row at the target.
    at_target: Vec<f64>,
    /// Maximum absolute slack at the target.
    scale: f64,
    /// Length of the target; infinite where a row is not of unit length.
    reach: f64,
    /// The last evaluated slack of each row plus the length of the path then, infinite for active rows: minus the length of the
    /// path, a lower bound of the slack.
    floors: Vec<f64>,
    /// Length of the path of the point from the target.
    path: f64,
    /// The point at the last search.
    last: Vec<f64>,
    /// Rows to be evaluated.
    near: Vec<usize>,
}

impl Violations {
    /// Removes all rows, with the point at the target.
    #[inline(always)]
    pub(super) fn begin(&mut self, target: &[f64]) {
        self.at_target.clear();
        self.scale = 0.0;
        self.reach = target.iter().map(|t| t * t).sum::<f64>().sqrt();
        self.floors.clear();
        self.path = 0.0;
        self.last.clear();
        self.last.extend_from_slice(target);
    }

    /// Evaluates rows that were added.
    #[inline(always)]
    pub(super) fn extend<I: Isa>(&mut self, rows: &Rows, target: &[f64]) {
        let known = self.at_target.len();
        for i in known..rows.len() {
            let slack = rows.slack::<I>(i, target);
            self.at_target.push(slack);
            self.floors.push(slack);
            self.scale = self.scale.max(slack.abs());
            if !rows.is_unit(i) {
                self.reach = f64::INFINITY;
            }
        }
    }

    /// Slack of each row at the target.
    #[inline(always)]
    pub(super) fn at_target(&self) -> &[f64] {
        &self.at_target
    }

    /// Excludes a row from the search.
    #[inline(always)]
    pub(super) fn activate(&mut self, row: usize) {
        self.floors[row] = f64::INFINITY;
    }

    /// Includes a row again.
    #[inline(always)]
    pub(super) fn deactivate(&mut self, row: usize) {
        self.floors[row] = f64::NEG_INFINITY;
    }

    /// The inactive row with the maximum violation beyond rounding, the first among equal ones, and its slack.
    #[inline(always)]
    pub(super) fn maximum<I: Isa>(
        &mut self,
        rows: &Rows,
        point: &[f64],
        active: &[usize],
    ) -> Option<(usize, f64)> {
        self.path += distance::<I>(point, &self.last);
        self.last.copy_from_slice(point);
        let guard = self.path + ROUNDING * (self.reach + self.path + self.scale) + TINY;
        // No floor is above NaN: without a finite guard all rows are evaluated.
        let guard = if guard.is_finite() { guard } else { f64::NAN };
        let mut worst = (-FEASIBLE * self.scale, None);
        let threshold = worst.0 + guard;
        let path = self.path;
        self.near.resize(rows.len(), 0);
        let (floors, near) = (&mut self.floors[..rows.len()], &mut self.near[..rows.len()]);
        let mut count = 0;
        for (row, floor) in floors.iter().enumerate() {
            near[count] = row;
            count += usize::from(!(*floor >= threshold));
        }
        for &row in &near[..count] {
            let slack = rows.slack::<I>(row, point);
            floors[row] = slack + path;
            if slack < worst.0 && !active.contains(&row) {
                worst = (slack, Some(row));
            }
        }
        worst.1.map(|row| (row, worst.0))
    }
}

/// Distance of two points padded to a multiple of four.
#[inline(always)]
fn distance<I: Isa>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = I::Double::splat(0.0);
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    for (a, b) in a.iter().zip(b) {
        let moved = I::Double::load(a) - I::Double::load(b);
        sums = sums + moved * moved;
    }
    sums.store().iter().sum::<f64>().sqrt()
}
