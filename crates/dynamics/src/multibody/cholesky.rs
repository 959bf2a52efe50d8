//! Cholesky factor of a dense matrix by columns, written out so that it is compiled with its callers, for the instructions that they have.

use crate::algebra::dot;

/// Columns that are taken off another one at once.
const BLOCK: usize = 4;

/// Replaces the lower half of a matrix of `count` columns by its factor L, A = L Lᵀ; `false` where it is not positive definite.
#[inline(always)]
pub(super) fn factorise(matrix: &mut [f64], count: usize) -> bool {
    for column in 0..count {
        let (done, rest) = matrix.split_at_mut(column * count);
        let own = &mut rest[column..count];
        let blocks = column / BLOCK * BLOCK;
        for first in (0..blocks).step_by(BLOCK) {
            let [a, b, c, d]: [&[f64]; BLOCK] =
                std::array::from_fn(|at| &done[(first + at) * count + column..(first + at + 1) * count]);
            let factors = [a[0], b[0], c[0], d[0]];
            for ((((own, a), b), c), d) in own.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *own -= (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
            }
        }
        for before in blocks..column {
            let other = &done[before * count + column..(before + 1) * count];
            let factor = other[0];
            own.iter_mut().zip(other).for_each(|(own, other)| *own -= factor * other);
        }
        if !(own[0] > 0.0) {
            return false;
        }
        let root = own[0].sqrt();
        own[0] = root;
        own[1..].iter_mut().for_each(|entry| *entry /= root);
    }
    true
}

/// Replaces x by the solution of L Lᵀ y = x.
#[inline(always)]
pub(super) fn solve(factor: &[f64], x: &mut [f64]) {
    let count = x.len();
    for column in 0..count {
        let own = &factor[column * count + column..(column + 1) * count];
        let (first, rest) = x[column..].split_at_mut(1);
        first[0] /= own[0];
        rest.iter_mut().zip(&own[1..]).for_each(|(x, entry)| *x -= entry * first[0]);
    }
    for column in (0..count).rev() {
        let own = &factor[column * count + column..(column + 1) * count];
        let (first, rest) = x[column..].split_at_mut(1);
        first[0] = (first[0] - dot(&own[1..], rest)) / own[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_test_support::Noise;

    #[test]
    fn a_factor_solves_its_matrix_and_an_indefinite_one_has_none() {
        let mut noise = Noise(11);
        for count in 0..14 {
            let rows: Vec<Vec<f64>> =
                (0..count + 3).map(|_| (0..count).map(|_| noise.signed()).collect()).collect();
            let entry = |i: usize, j: usize| rows.iter().map(|row| row[i] * row[j]).sum::<f64>();
            let mut matrix: Vec<f64> = (0..count * count).map(|at| entry(at % count, at / count)).collect();
            let whole = matrix.clone();
            let expected: Vec<f64> = (0..count).map(|_| noise.signed()).collect();
            let mut x: Vec<f64> =
                (0..count).map(|i| (0..count).map(|j| whole[j * count + i] * expected[j]).sum()).collect();
            assert!(factorise(&mut matrix, count));
            solve(&matrix, &mut x);
            let off = x.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "{count}: {off:e}");
            if count > 2 {
                let mut indefinite = whole;
                indefinite[2 * count + 2] = -1.0;
                assert!(!factorise(&mut indefinite, count));
            }
        }
    }
}
