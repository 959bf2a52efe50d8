//! Cholesky factor of a positive semidefinite matrix, the row with the largest remaining part first.

use nalgebra::DMatrix;

/// Factor L of a matrix L Lᵀ; rows that others span have no column.
#[derive(Debug)]
pub(super) struct PivotedCholesky {
    /// Row of each column of the factor.
    pub(super) order: Vec<usize>,
    /// L, by rows of the matrix and columns in the order of the pivots.
    lower: DMatrix<f64>,
}

impl PivotedCholesky {
    /// Factor of a matrix whose diagonal counts in proportion to `scales`; rows of scale zero, and those of which the others leave no more
    /// than the fraction `spanned`, have no column.
    pub(super) fn new(matrix: DMatrix<f64>, scales: &[f64], spanned: f64) -> Self {
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
    pub(super) fn into_factor(self) -> DMatrix<f64> {
        let rank = self.order.len();
        self.lower.resize_horizontally(rank, 0.0)
    }

    /// Solution for a right-hand side; zero in the rows that are left out.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; right.len()];
        for (column, &row) in self.order.iter().enumerate() {
            let known = self.order[..column].iter().enumerate();
            let known: f64 = known.map(|(at, &other)| self.lower[(row, at)] * x[other]).sum();
            x[row] = (right[row] - known) / self.lower[(row, column)];
        }
        for (column, &row) in self.order.iter().enumerate().rev() {
            let known = self.order[column + 1..].iter();
            let known: f64 = known.map(|&other| self.lower[(other, column)] * x[other]).sum();
            x[row] = (x[row] - known) / self.lower[(row, column)];
        }
        x
    }
}
