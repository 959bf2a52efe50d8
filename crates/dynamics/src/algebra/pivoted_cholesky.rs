//! Cholesky factor of a positive semidefinite matrix, the row with the largest remaining part first.

use nalgebra::DMatrix;

/// Factor L of a matrix L Lᵀ; rows that others span have no column.
#[derive(Debug)]
pub(crate) struct PivotedCholesky {
    /// Row of each column of the factor.
    pub(crate) order: Vec<usize>,
    /// L, by rows of the matrix and columns in the order of the pivots.
    lower: DMatrix<f64>,
}

impl PivotedCholesky {
    /// Factor of a matrix whose diagonal counts in proportion to `scales`; rows of scale zero, and those of which the others leave no more
    /// than the fraction `spanned`, have no column.
    pub(crate) fn new(matrix: DMatrix<f64>, scales: &[f64], spanned: f64) -> Self {
        let count = matrix.nrows();
        let mut rest = matrix;
        let mut lower = DMatrix::zeros(count, count);
        let mut order = Vec::new();
        let mut open: Vec<usize> = (0..count).filter(|&row| scales[row] > 0.0).collect();
        loop {
            let part = |row: &usize| rest[(*row, *row)] / scales[*row];
            let Some(at) =
                (0..open.len()).max_by(|a, b| part(&open[*a]).total_cmp(&part(&open[*b])).then(b.cmp(a)))
            else {
                break;
            };
            if !(part(&open[at]) > spanned) {
                break;
            }
            let (pivot, column) = (open.remove(at), order.len());
            let length = rest[(pivot, pivot)].sqrt();
            lower[(pivot, column)] = length;
            for &row in &open {
                lower[(row, column)] = rest[(row, pivot)] / length;
            }
            let added = lower.column(column);
            for &other in &open {
                let factor = added[other];
                let mut rest = rest.column_mut(other);
                open.iter().for_each(|&row| rest[row] -= added[row] * factor);
            }
            order.push(pivot);
        }
        Self { order, lower }
    }

    /// L, with a column for each row that others do not span.
    pub(crate) fn into_factor(self) -> DMatrix<f64> {
        let rank = self.order.len();
        self.lower.resize_horizontally(rank, 0.0)
    }

    /// Solution for a right-hand side; zero in the rows that are left out.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        self.solve_all(&mut x, 1);
        x
    }

    /// Solutions for `count` right-hand sides, which have their values of a row one after another, in their place; zero in the rows that are left out.
    #[inline(always)]
    pub(crate) fn solve_all(&self, x: &mut [f64], count: usize) {
        let mut known = vec![0.0; count];
        let columns = self.order.len();
        for step in 0..2 * columns {
            let (column, others) = if step < columns {
                (step, 0..step)
            } else {
                let column = 2 * columns - 1 - step;
                (column, column + 1..columns)
            };
            // As a sum over an iterator begins.
            known.fill(-0.0);
            let row = self.order[column];
            for at in others {
                let other = self.order[at];
                let factor = if step < columns { self.lower[(row, at)] } else { self.lower[(other, column)] };
                for (known, x) in known.iter_mut().zip(&x[other * count..(other + 1) * count]) {
                    *known += factor * x;
                }
            }
            let pivot = self.lower[(row, column)];
            for (x, known) in x[row * count..(row + 1) * count].iter_mut().zip(&known) {
                *x = (*x - known) / pivot;
            }
        }
        for row in (0..self.lower.nrows()).filter(|row| !self.order.contains(row)) {
            x[row * count..(row + 1) * count].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_test_support::Noise;
    use nalgebra::DVector;

    #[test]
    fn many_right_hand_sides_have_the_solutions_of_each_and_redundant_rows_are_zero() {
        let mut noise = Noise(1);
        let (count, many) = (6, 5);
        // The last two rows are sums of the others.
        let mut rows = DMatrix::from_fn(count, 9, |_, _| noise.signed());
        for (row, of) in [(4, [0, 1]), (5, [2, 3])] {
            let sum = rows.row(of[0]) + rows.row(of[1]);
            rows.set_row(row, &sum);
        }
        let matrix = &rows * rows.transpose();
        let factor = PivotedCholesky::new(matrix.clone(), &[1.0; 6], 1e-10);
        assert_eq!(factor.order.len(), 4);
        let right: Vec<f64> = (0..count * many).map(|_| noise.signed()).collect();
        let mut all = right.clone();
        factor.solve_all(&mut all, many);
        for side in 0..many {
            let of = |all: &[f64]| (0..count).map(|row| all[row * many + side]).collect::<Vec<f64>>();
            let (right, solution) = (of(&right), of(&all));
            assert_eq!(solution, factor.solve(&right));
            let product = &matrix * DVector::from_column_slice(&solution);
            assert!(factor.order.iter().all(|&row| (product[row] - right[row]).abs() < 1e-9));
            assert!((0..count).all(|row| factor.order.contains(&row) || solution[row].abs() <= 0.0));
        }
    }
}
