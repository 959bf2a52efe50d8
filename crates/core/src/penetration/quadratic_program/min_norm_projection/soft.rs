//! Projection onto soft rows, many more than there are variables, by Newton's method on the primal problem.
//!
//! minimise f(y) = ½‖y − t‖² + ½ Σᵢ (max(0, bᵢ − aᵢ·y)/sᵢ)². The dual method of the parent module factorises a matrix of the
//! active rows, and every violated soft row is active: a thousand rows of twelve variables take minutes there. Here the matrix
//! is I + Σ aᵢaᵢᵀ/sᵢ² over the violated rows, of the size of y. f is strictly convex and piecewise quadratic, so Newton's method
//! with a line search ends at its minimum after finitely many steps [Hintermüller, Ito, Kunisch 2003].

use super::rows::{Rows, dot};

/// Maximum number of Newton steps: the violated rows settle within about ten. A safeguard.
const MAX_STEPS: usize = 60;
/// Maximum number of halvings of a step. A safeguard: the full step is nearly always the best.
const HALVINGS: usize = 30;
/// Length of a step, relative to the point, at which the minimum is reached.
const CONVERGED: f64 = 1e-14;

/// Workspace of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct SoftProjection {
    /// Lower triangle of the Hessian, then its Cholesky factor, row by row.
    matrix: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    violated: Vec<usize>,
    before: Vec<usize>,
}

impl SoftProjection {
    /// Moves `point` to the minimum of f about `target`, both padded as the rows are; returns the number of products.
    pub(super) fn nearest(&mut self, rows: &Rows, target: &[f64], softness: f64, point: &mut [f64]) -> u64 {
        let n = rows.columns();
        let weight = |row: usize| rows.softness(row, softness).max(f64::MIN_POSITIVE).powi(2).recip();
        let value = |at: &[f64]| -> f64 {
            let own: f64 = at.iter().zip(target).map(|(y, t)| (y - t).powi(2)).sum();
            let cost = |row: usize| rows.slack(row, at).min(0.0).powi(2) * weight(row);
            own + (0..rows.len()).map(cost).sum::<f64>()
        };
        let mut work = 0;
        let mut current = value(point);
        self.before.clear();
        for step in 0..MAX_STEPS {
            self.violated.clear();
            self.violated.extend((0..rows.len()).filter(|&row| rows.slack(row, point) < 0.0));
            // On the same piece of f a full step has reached the minimum already.
            if step > 0 && self.violated == self.before {
                break;
            }
            self.newton_step(rows, target, point, &weight);
            work += (self.violated.len() * n * n / 2 + n * n * n / 6 + 2 * rows.len() * n) as u64;
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                self.trial.clear();
                self.trial.extend(point.iter().zip(&self.step).map(|(y, d)| y + length * d));
                if value(&self.trial) < current {
                    break;
                }
                length *= 0.5;
            }
            let next = value(&self.trial);
            // Negated, so that NaN ends the method at the last point.
            if !(next < current) {
                break;
            }
            let moved = dot(&self.step, &self.step).sqrt() * length;
            point.copy_from_slice(&self.trial);
            current = next;
            // Only after a full step does an unchanged set of rows prove the minimum.
            if length >= 1.0 {
                std::mem::swap(&mut self.before, &mut self.violated);
            } else {
                self.before.clear();
            }
            if moved <= CONVERGED * dot(point, point).sqrt() {
                break;
            }
        }
        work
    }

    /// Solves (I + Σ aaᵀ/s²) d = t − y + Σ a (b − a·y)/s² over the violated rows.
    fn newton_step(&mut self, rows: &Rows, target: &[f64], point: &[f64], weight: &dyn Fn(usize) -> f64) {
        let n = rows.columns();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.step.clear();
        self.step.extend(target.iter().zip(point).map(|(t, y)| t - y));
        (0..n).for_each(|k| self.matrix[k * n + k] = 1.0);
        for &row in &self.violated {
            let (a, w) = (rows.row(row), weight(row));
            let pull = -rows.slack(row, point) * w;
            for (i, &x) in a[..n].iter().enumerate().filter(|(_, x)| x.abs() > 0.0) {
                self.step[i] += pull * x;
                let scaled = w * x;
                for (entry, y) in self.matrix[i * n..=i * n + i].iter_mut().zip(a) {
                    *entry += scaled * y;
                }
            }
        }
        cholesky(&mut self.matrix, n);
        for i in 0..n {
            let sum = (0..i).fold(self.step[i], |sum, k| sum - self.matrix[i * n + k] * self.step[k]);
            self.step[i] = sum / self.matrix[i * n + i];
        }
        for i in (0..n).rev() {
            self.step[i] /= self.matrix[i * n + i];
            let known = self.step[i];
            for k in 0..i {
                self.step[k] -= self.matrix[i * n + k] * known;
            }
        }
    }
}

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor.
fn cholesky(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        let (above, own) = matrix.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..=j * n + j];
            let sum = own[..j].iter().zip(other).fold(own[j], |sum, (x, y)| sum - x * y);
            own[j] = sum / other[j];
        }
        let square = own[..i].iter().fold(own[i], |sum, x| sum - x * x);
        // The identity in the sum keeps the exact value at one or above; rounding beside huge weights may not.
        own[i] = square.max(f64::EPSILON).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::super::MinNormProjection;
    use super::*;
    use crate::geometry::random::fraction;

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
            SoftProjection::default().nearest(&rows, &target, 0.3, &mut point);
            for (x, y) in point.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-9, "{seed}: {point:?} {expected:?}");
            }
        }
    }
}
