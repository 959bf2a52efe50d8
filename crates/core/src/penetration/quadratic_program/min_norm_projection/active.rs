//! The active rows of a minimum-norm projection: their multipliers, and the Cholesky factor of their Gram matrix, which
//! grows and shrinks with them.

use super::rows::{Rows, dot};

/// The active rows, G = NNᵀ + diag(s²) = LLᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct Active {
    rows: Vec<usize>,
    multipliers: Vec<f64>,
    /// L, row by row: row k has k + 1 numbers and begins at k(k + 1)/2.
    factor: Vec<f64>,
    /// The row being added.
    scratch: Vec<f64>,
}

/// Start index of a row of the factor.
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Active {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.multipliers.clear();
        self.factor.clear();
    }

    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    pub(super) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.rows.contains(&row)
    }

    /// Adds `step` · `rates` to the multipliers.
    pub(super) fn change_multipliers(&mut self, step: f64, rates: &[f64]) {
        for (multiplier, rate) in self.multipliers.iter_mut().zip(rates) {
            *multiplier = (*multiplier + step * rate).max(0.0);
        }
    }

    /// Replaces the multipliers, clamped at zero against rounding.
    pub(super) fn set_multipliers(&mut self, multipliers: &[f64]) {
        for (multiplier, value) in self.multipliers.iter_mut().zip(multipliers) {
            *multiplier = value.max(0.0);
        }
    }

    /// Adds a row that is linearly independent of the active ones, or soft: one more row of the Cholesky factor.
    pub(super) fn push(&mut self, rows: &Rows, row: usize, multiplier: f64, softness: f64) {
        let a = rows.row(row);
        self.scratch.clear();
        self.scratch.extend(self.rows.iter().map(|&other| rows.product(other, a)));
        let mut scratch = std::mem::take(&mut self.scratch);
        self.solve_lower(&mut scratch);
        let square = scratch.iter().fold(dot(a, a) + softness * softness, |sum, l| sum - l * l);
        self.factor.extend_from_slice(&scratch);
        // The diagonal; rounding may make its square negative for nearly dependent rows.
        self.factor.push(square.max(self::SPANNED * self::SPANNED).sqrt());
        self.scratch = scratch;
        self.rows.push(row);
        self.multipliers.push(multiplier);
    }

    /// Removes a row. Without row `place`, each row of L below it has one entry beyond the diagonal, which Givens rotations
    /// of neighbouring columns eliminate.
    pub(super) fn remove(&mut self, place: usize) {
        let count = self.rows.len();
        for column in place..count - 1 {
            let (p, q) =
                (self.factor[start(column + 1) + column], self.factor[start(column + 1) + column + 1]);
            let length = p.hypot(q);
            // Givens rotation that eliminates the entry beyond the diagonal.
            let (c, s) = if length > 0.0 { (p / length, q / length) } else { (1.0, 0.0) };
            for row in column + 1..count {
                let at = start(row) + column;
                let (p, q) = (self.factor[at], self.factor[at + 1]);
                self.factor[at] = c * p + s * q;
                self.factor[at + 1] = c * q - s * p;
            }
        }
        for row in place..count - 1 {
            let from = start(row + 1);
            self.factor.copy_within(from..from + row + 1, start(row));
        }
        self.factor.truncate(start(count - 1));
        self.rows.remove(place);
        self.multipliers.remove(place);
    }

    /// Solves G x = `right` in place.
    pub(super) fn solve(&self, right: &mut [f64]) {
        self.solve_lower(right);
        for row in (0..right.len()).rev() {
            let (rest, known) = right.split_at_mut(row);
            let own = &self.factor[start(row)..=start(row) + row];
            known[0] /= own[row];
            for (x, l) in rest.iter_mut().zip(own) {
                *x -= l * known[0];
            }
        }
    }

    /// Solves L x = `right` in place.
    fn solve_lower(&self, right: &mut [f64]) {
        /// Rows whose sums run side by side: each sum alone waits for its last addition. The order within a row, and so
        /// every bit, is that of one row after another.
        const BLOCK: usize = 4;
        let count = right.len();
        for first in (0..count).step_by(BLOCK) {
            let size = BLOCK.min(count - first);
            let (known, rest) = right.split_at_mut(first);
            if size == BLOCK {
                let row = |k: usize| &self.factor[start(first + k)..start(first + k) + first];
                let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
                let mut sums = [rest[0], rest[1], rest[2], rest[3]];
                for ((((x, a), b), c), d) in known.iter().zip(a).zip(b).zip(c).zip(d) {
                    sums[0] -= a * x;
                    sums[1] -= b * x;
                    sums[2] -= c * x;
                    sums[3] -= d * x;
                }
                rest[..BLOCK].copy_from_slice(&sums);
            } else {
                for k in 0..size {
                    let row = &self.factor[start(first + k)..start(first + k) + first];
                    rest[k] = known.iter().zip(row).fold(rest[k], |sum, (x, a)| sum - a * x);
                }
            }
            for k in 0..size {
                let row = &self.factor[start(first + k) + first..=start(first + k) + first + k];
                let sum = (0..k).fold(rest[k], |sum, j| sum - row[j] * rest[j]);
                rest[k] = sum / row[k];
            }
        }
    }
}

/// Squared sine below which a row counts as spanned by the active ones. Smaller, nearly dependent rows are solved for
/// with few digits; larger, rows at a small angle are reported as contradictions. Half and twice change no depth and
/// the steps by +0.5 % and < 0.5 % (docs/sensitivity.md).
pub(super) const SPANNED: f64 = 1e-12;
