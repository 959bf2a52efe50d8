//! Anderson's acceleration of a fixed-point iteration x ← x + f(x) \[Walker & Ni 2011\].
//!
//! Of the last corrections f that combination is taken whose norm is smallest: x ← x + f − Σ γ (Δx + Δf) with the γ that minimise
//! ‖f − Σ γ Δf‖. The norm is ‖f‖² = fᵀ N f for a matrix N of the problem, by which sums of coordinates of different units have a meaning; the
//! caller has −N f as the residual.

use nalgebra::{SMatrix, SVector};

use crate::algebra::{add, dot};

/// Corrections that are combined. Without, tops that rotate by half a radian in a step take 9 iterations instead of 5, and chains of 200 links
/// that whip 30 instead of 16; two and six change the latter by less than one.
const DEPTH: usize = 3;
/// Fraction of the largest pivot that is added to all: a combination below it is rounding.
const DEPENDENT: f64 = 1e-12;

/// Iterates and residuals of the last steps.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Changes of the iterate plus those of its correction, changes of the correction, changes of the residual.
    changes: Vec<[Vec<f64>; 3]>,
    last: Option<[Vec<f64>; 3]>,
}

impl History {
    /// Forgets all iterates.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.last = None;
    }

    /// Moves an iterate by its correction, combined with those before it; the residual is −N times the correction.
    pub(super) fn step(&mut self, iterate: &mut [f64], correction: &[f64], residual: &[f64]) {
        let now = [iterate.to_vec(), correction.to_vec(), residual.to_vec()];
        if let Some(last) = self.last.take() {
            let mut change = [0, 1, 2]
                .map(|i| now[i].iter().zip(&last[i]).map(|(new, old)| new - old).collect::<Vec<_>>());
            let (moved, corrected) = change.split_at_mut(1);
            add(&mut moved[0], 1.0, &corrected[0]);
            if self.changes.len() == DEPTH {
                self.changes.remove(0);
            }
            self.changes.push(change);
        }
        add(iterate, 1.0, correction);
        // −Δf·Δr is the product in the norm of N; what is nearly dependent on later changes is left out.
        let count = self.changes.len();
        let mut gram = SMatrix::<f64, DEPTH, DEPTH>::identity();
        let mut right = SVector::<f64, DEPTH>::zeros();
        for (i, [_, corrected, _]) in self.changes.iter().enumerate() {
            for (j, [_, _, rest]) in self.changes.iter().enumerate() {
                gram[(i, j)] = -dot(corrected, rest);
            }
            right[i] = -dot(corrected, residual);
        }
        let largest = (0..count).map(|i| gram[(i, i)]).fold(0.0, f64::max);
        for i in 0..count {
            gram[(i, i)] += DEPENDENT * largest;
        }
        let solved = (0.5 * (gram + gram.transpose())).cholesky().map(|factor| factor.solve(&right));
        if let Some(weights) = solved.filter(|weights| weights.iter().all(|w| w.is_finite())) {
            for (weight, [moved, ..]) in weights.iter().zip(&self.changes) {
                add(iterate, -weight, moved);
            }
        }
        self.last = Some(now);
    }
}
