//! Projection onto soft rows, many more than there are variables, by Newton's method on the primal problem.
//!
//! minimise f(y) = ½‖y − t‖² + ½ Σᵢ (max(0, bᵢ − aᵢ·y)/sᵢ)². The dual method of the parent module factorises a matrix of the
//! active rows, and every violated soft row is active: a thousand rows of twelve variables take minutes there. Here the matrix
//! is I + Σ aᵢaᵢᵀ/sᵢ² over the violated rows, of the size of y. f is strictly convex and piecewise quadratic, so Newton's method
//! with a line search ends at its minimum after finitely many steps [Hintermüller, Ito, Kunisch 2003]. Few rows become violated or
//! satisfied in a step: only these are added to the matrix, or subtracted from it, while rounding permits.

use super::rows::{Rows, dot};
use crate::bvh::lanes::isa::Isa;

/// Maximum number of Newton steps: the violated rows settle within about ten. A safeguard.
const MAX_STEPS: usize = 60;
/// Maximum number of halvings of a step. A safeguard: the full step is nearly always the best.
const HALVINGS: usize = 30;
/// Length of a step, relative to the point, at which the minimum is reached.
const CONVERGED: f64 = 1e-14;
/// Maximum weight 1/s² of a row that is subtracted from the matrix, whose identity then keeps eleven digits; without those of heavier
/// ones the matrix is computed anew.
const MAX_SUBTRACTED: f64 = 1e5;
/// Rows that are added to the matrix at once, and pivots of its factorisation: the matrix of many variables is far larger than the
/// nearest cache. No bit depends on it.
const BLOCK: usize = 4;

/// Workspace of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct SoftProjection {
    /// Upper triangle of the Hessian, row by row: all loops over it run along rows.
    matrix: Vec<f64>,
    /// Whether each row is in the Hessian.
    is_added: Vec<bool>,
    /// The transpose of the Cholesky factor of the Hessian.
    factor: Vec<f64>,
    /// 1/s² of each unit row.
    weights: Vec<f64>,
    /// A violated row times its weight.
    weighted: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    /// Slack of each row at the point of the last value.
    slacks: Vec<f64>,
    violated: Vec<usize>,
    /// Rows that enter or leave the matrix, with the weight that is added.
    changed: Vec<(usize, f64)>,
    before: Vec<usize>,
}

impl SoftProjection {
    /// Moves `point` to the minimum of f about `target`, both padded as the rows are; returns the number of products. Where the problem
    /// `continues` the last one, rows were added to that, and `point` is its minimum.
    #[inline(always)]
    pub(super) fn nearest<I: Isa>(
        &mut self,
        rows: &Rows,
        (target, continues): (&[f64], bool),
        softness: f64,
        point: &mut [f64],
    ) -> u64 {
        let n = rows.columns();
        if !continues {
            self.is_added.clear();
        }
        self.weights.clear();
        let weight = |row: usize| rows.softness(row, softness).max(f64::MIN_POSITIVE).powi(2).recip();
        self.weights.extend((0..rows.len()).map(weight));
        let mut work = 0;
        let mut current = self.value::<I>(rows, target, point);
        self.before.clear();
        for step in 0..MAX_STEPS {
            // The slacks are those at the point: the last value was computed there.
            self.violated.clear();
            self.violated.extend((0..rows.len()).filter(|&row| self.slacks[row] < 0.0));
            // On the same piece of f a full step has reached the minimum already.
            if step > 0 && self.violated == self.before {
                break;
            }
            let changed = self.update_matrix(rows);
            self.newton_step(rows, target, point);
            work += (changed * n * n / 2 + n * n * n / 6 + 2 * rows.len() * n) as u64;
            let (length, next) = self.search::<I>(rows, target, point, current);
            // Negated, so that NaN ends the method at the last point.
            if !(next < current) {
                break;
            }
            let moved = dot::<I>(&self.step, &self.step).sqrt() * length;
            point.copy_from_slice(&self.trial);
            current = next;
            // Only after a full step does an unchanged set of rows prove the minimum.
            if length >= 1.0 {
                std::mem::swap(&mut self.before, &mut self.violated);
            } else {
                self.before.clear();
            }
            if moved <= CONVERGED * dot::<I>(point, point).sqrt() {
                break;
            }
        }
        work
    }

    /// Halves the step until f decreases; returns the fraction and f at the trial point.
    #[inline(always)]
    fn search<I: Isa>(&mut self, rows: &Rows, target: &[f64], point: &[f64], current: f64) -> (f64, f64) {
        let mut length = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        let mut next = f64::NAN;
        for _ in 0..HALVINGS {
            trial.clear();
            trial.extend(point.iter().zip(&self.step).map(|(y, d)| y + length * d));
            // Shorter steps would not move it at all.
            let is_moved = trial.iter().zip(point).fold(false, |any, (x, y)| any | !((x - y).abs() <= 0.0));
            next = if is_moved { self.value::<I>(rows, target, &trial) } else { current };
            if next < current || !is_moved {
                break;
            }
            length *= 0.5;
        }
        self.trial = trial;
        (length, next)
    }

    /// f, and the slacks of all rows.
    #[inline(always)]
    fn value<I: Isa>(&mut self, rows: &Rows, target: &[f64], at: &[f64]) -> f64 {
        let own: f64 = at.iter().zip(target).map(|(y, t)| (y - t).powi(2)).sum();
        self.slacks.resize(rows.len(), 0.0);
        for (row, slack) in self.slacks.iter_mut().enumerate() {
            *slack = rows.slack::<I>(row, at);
        }
        let costs =
            self.slacks.iter().zip(&self.weights).map(|(slack, weight)| slack.min(0.0).powi(2) * weight);
        own + costs.sum::<f64>()
    }

    /// Makes the matrix I + Σ aaᵀ/s² over the violated rows; returns the number of rows that were added or subtracted.
    #[inline(always)]
    fn update_matrix(&mut self, rows: &Rows) -> usize {
        let n = rows.columns();
        let is_new = self.is_added.is_empty();
        self.is_added.resize(rows.len(), false);
        let satisfied = (0..rows.len()).filter(|&row| self.is_added[row] && !(self.slacks[row] < 0.0));
        let (mut subtracted, mut max) = (0, 0.0_f64);
        for row in satisfied {
            (subtracted, max) = (subtracted + 1, max.max(self.weights[row]));
        }
        let common = self.violated.iter().filter(|&&row| self.is_added[row]).count();
        if is_new || subtracted >= common || max > MAX_SUBTRACTED {
            self.is_added.iter_mut().for_each(|is_added| *is_added = false);
            self.matrix.clear();
            self.matrix.resize(n * n, 0.0);
            (0..n).for_each(|k| self.matrix[k * n + k] = 1.0);
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        for (row, is_added) in self.is_added.iter_mut().enumerate() {
            let is_violated = self.slacks[row] < 0.0;
            if is_violated != *is_added {
                // A row without coefficients adds nothing, whatever its weight.
                let weight = if rows.is_zero(row) { 0.0 } else { self.weights[row] };
                changed.push((row, if is_violated { weight } else { -weight }));
                *is_added = is_violated;
            }
        }
        let (blocks, others) = changed.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.add_block(rows, block));
        others.iter().for_each(|&(row, weight)| self.add(rows, row, weight));
        self.changed = changed;
        self.changed.len()
    }

    /// Adds `weight` aaᵀ of some rows a to the matrix: to each entry one after another, as [`SoftProjection::add`] does.
    #[inline(always)]
    fn add_block(&mut self, rows: &Rows, block: &[(usize, f64); BLOCK]) {
        let n = rows.columns();
        let spans = block.map(|(row, _)| rows.span(row));
        let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
        let end = spans.iter().map(|span| span.end).max().unwrap_or(0).min(n);
        if first >= end {
            return;
        }
        let own = block.map(|(row, _)| &rows.row(row)[first..end]);
        self.weighted.clear();
        for ((_, weight), a) in block.iter().zip(&own) {
            self.weighted.extend(a.iter().map(|x| weight * x));
        }
        let count = end - first;
        for k in 0..count {
            let x = own.map(|a| a[k]);
            if !x.iter().any(|x| x.abs() > 0.0) {
                continue;
            }
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| &self.weighted[row * count + k..(row + 1) * count]);
            let entries = &mut self.matrix[(first + k) * n + first + k..(first + k) * n + end];
            for ((((entry, a), b), c), d) in entries.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *entry = (((*entry + a * x[0]) + b * x[1]) + c * x[2]) + d * x[3];
            }
        }
    }

    /// Adds `weight` aaᵀ of a row a to the matrix.
    #[inline(always)]
    fn add(&mut self, rows: &Rows, row: usize, weight: f64) {
        let n = rows.columns();
        let span = rows.span(row);
        let (first, end) = (span.start, span.end.min(n));
        let a = &rows.row(row)[first..end];
        self.weighted.clear();
        self.weighted.extend(a.iter().map(|x| weight * x));
        for (k, (&x, entries)) in a.iter().zip(self.matrix[first * n..].chunks_exact_mut(n)).enumerate() {
            if x.abs() > 0.0 {
                for (entry, y) in entries[first + k..end].iter_mut().zip(&self.weighted[k..]) {
                    *entry += y * x;
                }
            }
        }
    }

    /// Solves (I + Σ aaᵀ/s²) d = t − y + Σ a (b − a·y)/s² over the violated rows, which the matrix contains.
    #[inline(always)]
    fn newton_step(&mut self, rows: &Rows, target: &[f64], point: &[f64]) {
        let n = rows.columns();
        self.step.clear();
        self.step.extend(target.iter().zip(point).map(|(t, y)| t - y));
        for &row in &self.violated {
            rows.add(row, -self.slacks[row] * self.weights[row], &mut self.step);
        }
        self.factor.clone_from(&self.matrix);
        cholesky(&mut self.factor, n);
        for i in 0..n {
            let row = &self.factor[i * n + i..(i + 1) * n];
            let (known, rest) = self.step[i..].split_at_mut(1);
            known[0] /= row[0];
            for (x, l) in rest.iter_mut().zip(&row[1..]) {
                *x -= l * known[0];
            }
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n + i..(i + 1) * n];
            let (own, known) = self.step[i..].split_at_mut(1);
            let sum = row[1..].iter().zip(&*known).rev().fold(own[0], |sum, (l, x)| sum - l * x);
            own[0] = sum / row[0];
        }
    }
}

/// Replaces the upper triangle of a positive definite matrix by the transpose of its Cholesky factor: [`BLOCK`] pivots at once, which
/// read and write the entries below only once. Each entry changes in the order of the pivots, as with one at a time.
#[inline(always)]
fn cholesky(matrix: &mut [f64], n: usize) {
    for first in (0..n).step_by(BLOCK) {
        let end = (first + BLOCK).min(n);
        for k in first..end {
            let (done, below) = matrix.split_at_mut((k + 1) * n);
            let own = &mut done[k * n + k..];
            // The identity in the sum keeps the exact value at one or above; rounding beside huge weights may not.
            own[0] = own[0].max(f64::EPSILON).sqrt();
            let (pivot, own) = own.split_first_mut().expect("a row has its diagonal");
            own.iter_mut().for_each(|x| *x /= *pivot);
            for (i, row) in below.chunks_exact_mut(n).take(end - k - 1).enumerate() {
                let factor = own[i];
                for (entry, x) in row[k + 1 + i..].iter_mut().zip(&own[i..]) {
                    *entry -= factor * x;
                }
            }
        }
        let (done, below) = matrix.split_at_mut(end * n);
        // Only whole blocks have rows below them.
        for (row, at) in below.chunks_exact_mut(n).zip(end..) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| &done[(first + k) * n + at..(first + k + 1) * n]);
            let x = [a[0], b[0], c[0], d[0]];
            for ((((entry, a), b), c), d) in row[at..].iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *entry = (((*entry - x[0] * a) - x[1] * b) - x[2] * c) - x[3] * d;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MinNormProjection;
    use super::*;
    use crate::bvh::lanes::isa::Portable;
    use crate::geometry::random::fraction;

    #[test]
    fn a_factorisation_in_blocks_is_that_of_single_pivots_to_the_last_bit() {
        for n in 1..14_usize {
            let number = |row: usize, at: usize| 2.0 * fraction([n as u64, row as u64, at as u64]) - 1.0;
            let mut matrix = vec![0.0; n * n];
            for (at, entry) in matrix.iter_mut().enumerate() {
                let (i, j) = (at / n, at % n);
                let sum: f64 = (0..20).map(|row| number(row, i) * number(row, j)).sum();
                *entry = sum + f64::from(u8::from(i == j));
            }
            let mut expected = matrix.clone();
            for k in 0..n {
                expected[k * n + k] = expected[k * n + k].sqrt();
                for j in k + 1..n {
                    expected[k * n + j] /= expected[k * n + k];
                }
                for i in k + 1..n {
                    for j in i..n {
                        expected[i * n + j] -= expected[k * n + i] * expected[k * n + j];
                    }
                }
            }
            cholesky(&mut matrix, n);
            for i in 0..n {
                for j in i..n {
                    assert_eq!(matrix[i * n + j].to_bits(), expected[i * n + j].to_bits(), "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn the_primal_and_the_dual_method_find_the_same_point() {
        for seed in 0..20_u64 {
            let (columns, count) = (7, 40);
            let number = |row: u64, at: u64| 2.0 * fraction([seed, row, at]) - 1.0;
            let mut rows = Rows::new(columns);
            for row in 0..count {
                let a: Vec<f64> = (0..columns as u64).map(|at| 3.0 * number(row, at)).collect();
                rows.push(&a, 0.5 + number(row, 99));
            }
            let mut dual = MinNormProjection::default();
            let expected = dual.nearest(&rows, &vec![0.0; columns], 0.3).unwrap().to_vec();
            let (target, mut point) = (vec![0.0; rows.stride()], vec![0.0; rows.stride()]);
            SoftProjection::default().nearest::<Portable>(&rows, (&target, false), 0.3, &mut point);
            for (x, y) in point.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-9, "{seed}: {point:?} {expected:?}");
            }
        }
    }
}
