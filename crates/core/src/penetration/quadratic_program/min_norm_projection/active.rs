//! The active rows of a minimum-norm projection: their multipliers, and the Cholesky factor of their Gram matrix, which
//! grows and shrinks with them.

use super::rows::Rows;
use crate::bvh::lanes::isa::{Double, Isa};

/// Rows of a system that are solved side by side. The order within a row, and so every bit, is that of one row after another.
const BLOCK: usize = 4;

/// The active rows, G = NNᵀ + diag(s²) = LLᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct Active {
    rows: Vec<usize>,
    multipliers: Vec<f64>,
    /// L, row by row: row k has k + 1 numbers and begins at k(k + 1)/2.
    factor: Vec<f64>,
    /// L⁻¹Na of the row a that was decomposed last: its row of the factor if it is added.
    entering: Vec<f64>,
    /// L⁻¹(b − Nt) of the active rows before the last change.
    settled: Vec<f64>,
}

/// Start index of a row of the factor.
#[inline(always)]
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Active {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.multipliers.clear();
        self.factor.clear();
        self.settled.clear();
    }

    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    pub(super) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Adds `step` · `rates` to the multipliers.
    #[inline(always)]
    pub(super) fn change_multipliers(&mut self, step: f64, rates: &[f64]) {
        for (multiplier, rate) in self.multipliers.iter_mut().zip(rates) {
            *multiplier = (*multiplier + step * rate).max(0.0);
        }
    }

    /// r = G⁻¹Na of a row a, which [`Active::push`] may add.
    #[inline(always)]
    pub(super) fn decompose<I: Isa>(&mut self, rows: &Rows, a: &[f64], rates: &mut Vec<f64>) {
        self.entering.resize(self.rows.len(), 0.0);
        for (product, &row) in self.entering.iter_mut().zip(&self.rows) {
            *product = rows.product::<I>(row, a);
        }
        solve_lower(&self.factor, &mut self.entering, 0);
        rates.clone_from(&self.entering);
        solve_upper::<I>(&self.factor, rates);
    }

    /// Adds the row that was decomposed last, which is linearly independent of the active ones, or soft: one more row of the
    /// Cholesky factor.
    #[inline(always)]
    pub(super) fn push<I: Isa>(&mut self, rows: &Rows, row: usize, multiplier: f64, softness: f64) {
        let square = rows.product::<I>(row, rows.row(row)) + softness * softness;
        let square = self.entering.iter().fold(square, |sum, l| sum - l * l);
        self.factor.extend_from_slice(&self.entering);
        // The diagonal; rounding may make its square negative for nearly dependent rows.
        self.factor.push(square.max(SPANNED * SPANNED).sqrt());
        self.rows.push(row);
        self.multipliers.push(multiplier);
    }

    /// Removes a row and returns it. Without row `place`, each row of L below it has one entry beyond the diagonal, which Givens
    /// rotations of neighbouring columns eliminate.
    #[inline(always)]
    pub(super) fn remove(&mut self, place: usize) -> usize {
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
        self.settled.truncate(place);
        self.multipliers.remove(place);
        self.rows.remove(place)
    }

    /// Replaces the multipliers by those of the point at which all active rows hold, clamped at zero against rounding, where
    /// `slacks` are those of all rows at the target.
    #[inline(always)]
    pub(super) fn settle<I: Isa>(&mut self, slacks: &[f64], scratch: &mut Vec<f64>) {
        let known = self.settled.len();
        self.settled.extend(self.rows[known..].iter().map(|&row| -slacks[row]));
        solve_lower(&self.factor, &mut self.settled, known);
        scratch.clone_from(&self.settled);
        solve_upper::<I>(&self.factor, scratch);
        for (multiplier, value) in self.multipliers.iter_mut().zip(&*scratch) {
            *multiplier = value.max(0.0);
        }
    }
}

/// Solves L x = `right` in place, where the first entries of x are known.
#[inline(always)]
fn solve_lower(factor: &[f64], right: &mut [f64], solved: usize) {
    let count = right.len();
    for first in (solved..count).step_by(BLOCK) {
        let size = BLOCK.min(count - first);
        let (known, rest) = right.split_at_mut(first);
        if size == BLOCK {
            let row = |k: usize| &factor[start(first + k)..start(first + k) + first];
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
                let row = &factor[start(first + k)..start(first + k) + first];
                rest[k] = known.iter().zip(row).fold(rest[k], |sum, (x, a)| sum - a * x);
            }
        }
        for k in 0..size {
            let row = &factor[start(first + k) + first..=start(first + k) + first + k];
            let sum = (0..k).fold(rest[k], |sum, j| sum - row[j] * rest[j]);
            rest[k] = sum / row[k];
        }
    }
}

/// Solves Lᵀx = `right` in place.
#[inline(always)]
fn solve_upper<I: Isa>(factor: &[f64], right: &mut [f64]) {
    let mut end = right.len();
    while end >= BLOCK {
        let first = end - BLOCK;
        let row = |k: usize| &factor[start(first + k)..=start(first + k) + first + k];
        let rows = [row(0), row(1), row(2), row(3)];
        let (rest, known) = right[..end].split_at_mut(first);
        for k in (0..BLOCK).rev() {
            let sum =
                (k + 1..BLOCK).rev().fold(known[k], |sum, below| sum - rows[below][first + k] * known[below]);
            known[k] = sum / rows[k][first + k];
        }
        let x: [f64; BLOCK] = [known[0], known[1], known[2], known[3]];
        let wide = x.map(I::Double::splat);
        let short = first % BLOCK;
        // The next ones to be known come first.
        for (at, four) in rest[short..].as_chunks_mut::<BLOCK>().0.iter_mut().enumerate().rev() {
            let at = short + at * BLOCK;
            let column =
                |k: usize| I::Double::load(rows[k][at..].first_chunk().expect("columns before the block"));
            let mut sums = I::Double::load(four);
            for k in (0..BLOCK).rev() {
                sums = sums - column(k) * wide[k];
            }
            *four = sums.store();
        }
        for (at, value) in rest[..short].iter_mut().enumerate() {
            *value = (0..BLOCK).rev().fold(*value, |sum, k| sum - rows[k][at] * x[k]);
        }
        end = first;
    }
    for row in (0..end).rev() {
        let own = &factor[start(row)..=start(row) + row];
        right[row] /= own[row];
        for at in 0..row {
            right[at] -= own[at] * right[row];
        }
    }
}

/// Squared sine below which a row counts as spanned by the active ones. Smaller, nearly dependent rows are solved for
/// with few digits; larger, rows at a small angle are reported as contradictions. Half and twice change no depth and
/// the steps by +0.5 % and < 0.5 % (docs/sensitivity.md).
pub(super) const SPANNED: f64 = 1e-12;
