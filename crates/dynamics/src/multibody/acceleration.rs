//! Anderson's acceleration of a fixed-point iteration x ← x + f(x) \[Walker & Ni 2011\].
//!
//! Of the last corrections f that combination is taken whose norm is smallest: x ← x + f − Σ γ (Δx + Δf) with the γ that minimise
//! ‖f − Σ γ Δf‖. The norm is ‖f‖² = fᵀ N f for a matrix N of the problem, by which sums of coordinates of different units have a meaning; the
//! caller has −N f as the residual.

use nalgebra::{SMatrix, SVector};

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

/// Sum of products of slices of one length, in four sums, which processors add at once.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest), (b, other)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot_of_few(rest, other)
}

/// Sum of up to three products; a loop over so few is slower.
#[inline(always)]
fn dot_of_few(a: &[f64], b: &[f64]) -> f64 {
    match (a, b) {
        (&[a], &[b]) => a * b,
        (&[a, c], &[b, d]) => a * b + c * d,
        (&[a, c, e], &[b, d, f]) => a * b + c * d + e * f,
        _ => -0.0,
    }
}

/// Sums of products of three slices with one, each as [`dot`] has it: it is read once.
#[inline(always)]
pub(super) fn three_dots([x, y, z]: [&[f64]; 3], b: &[f64]) -> [f64; 3] {
    let (chunks, other) = b.as_chunks::<4>();
    let ([x, y, z], rests) = {
        let [(x, of_x), (y, of_y), (z, of_z)] = [x, y, z].map(|row| row.as_chunks::<4>());
        ([x, y, z], [of_x, of_y, of_z])
    };
    let mut sums = [[0.0; 4]; 3];
    for (((b, x), y), z) in chunks.iter().zip(x).zip(y).zip(z) {
        for (sums, row) in sums.iter_mut().zip([x, y, z]) {
            for lane in 0..4 {
                sums[lane] += row[lane] * b[lane];
            }
        }
    }
    let of = |row: usize| {
        let sums = &sums[row];
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot_of_few(rests[row], other)
    };
    [of(0), of(1), of(2)]
}

/// Adds a multiple.
#[inline(always)]
pub(super) fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_number_are_summed_each_once() {
        // Powers of two: a sum has one bit for each product, and no rounding.
        let a: Vec<f64> = (0..23).map(|power| f64::from(1 << power)).collect();
        for count in 0..=a.len() {
            let b = vec![3.0; count];
            let expected = 3.0 * (f64::from(1 << count) - 1.0);
            assert!((dot(&a[..count], &b) - expected).abs() < 0.5, "{count}: {}", dot(&a[..count], &b));
            let rows = [1.0, 0.3, 0.7].map(|factor| a.iter().map(|a| factor * a).collect::<Vec<f64>>());
            let all = three_dots([0, 1, 2].map(|row| &rows[row][..count]), &b);
            let each = [0, 1, 2].map(|row| dot(&rows[row][..count], &b));
            assert_eq!(all.map(f64::to_bits), each.map(f64::to_bits));
        }
    }
}
