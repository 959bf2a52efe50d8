//! Sparse Cholesky factor of a block matrix and outer products; the symbolic analysis is stored and reused while the sparsity
//! pattern stays.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{ColMut, Side};
use nalgebra::{Matrix3, Vector3};

use crate::error::SoftError;
use crate::soft::blocks::BlockMatrix;
use crate::soft::interaction::OuterProducts;

/// A Cholesky factor with its symbolic analysis and buffers.
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    /// Columns of the lower triangle of blocks: rows from `starts[column]`, the diagonal first.
    starts: Vec<usize>,
    rows: Vec<u32>,
    /// Index in `blocks` of each term of the block matrix, and whether it is transposed.
    places: Vec<(u32, bool)>,
    /// Blocks of the columns of the outer products for which the analysis holds.
    contacts: Vec<u32>,
    blocks: Vec<Matrix3<f64>>,
    scalar_starts: Vec<usize>,
    scalar_rows: Vec<usize>,
    values: Vec<f64>,
    symbolic: Option<SymbolicLlt<usize>>,
    factor: Option<Llt<usize, f64>>,
    buffer: Vec<f64>,
}

impl Cholesky {
    /// Factors the sum of `matrix` and `outer` with the rows and columns of prescribed components replaced by the identity. The first
    /// call, and one with another number of blocks or terms or with other contacts, also does the symbolic analysis.
    ///
    /// # Errors
    /// [`SoftError::NotFactored`] where the matrix is not positive definite.
    pub fn factor(
        &mut self,
        matrix: &BlockMatrix,
        outer: &OuterProducts,
        free: &[Vector3<f64>],
    ) -> Result<(), SoftError> {
        let mut terms = 0;
        for_each_term(matrix, outer, |_, _, _| terms += 1);
        let count = matrix.block_count();
        let blocks = || outer.terms().flat_map(|(_, column)| column.iter().map(|entry| entry.0));
        let same = self.places.len() == terms && blocks().eq(self.contacts.iter().copied());
        if self.symbolic.is_none() || !same || self.starts.len() != count + 1 {
            self.contacts = blocks().collect();
            self.analyse(matrix, outer)?;
        }
        self.fill(matrix, outer, free);
        let unknowns = 3 * count;
        let pattern = SymbolicSparseColMatRef::new_checked(
            unknowns,
            unknowns,
            &self.scalar_starts,
            None,
            &self.scalar_rows,
        );
        let Some(symbolic) = self.symbolic.clone() else {
            return Err(SoftError::NotFactored { unknowns, reason: "no symbolic analysis" });
        };
        let view = SparseColMatRef::new(pattern, &self.values);
        self.factor = None;
        let factor = Llt::try_new_with_symbolic(symbolic, view, Side::Lower).map_err(|error| {
            let reason = match error {
                LltError::Numeric(_) => "a pivot is not positive",
                LltError::Generic(_) => "out of memory",
            };
            SoftError::NotFactored { unknowns, reason }
        })?;
        self.factor = Some(factor);
        Ok(())
    }

    /// Solves for the right-hand side `b`; the solution replaces `x`.
    ///
    /// # Panics
    /// When no factorisation has succeeded before.
    pub fn solve(&mut self, b: &[Vector3<f64>], x: &mut [Vector3<f64>]) {
        self.buffer.clear();
        self.buffer.extend(b.iter().flat_map(|b| b.iter()));
        let factor = self.factor.as_ref().expect("a factor precedes a solve");
        factor.solve_in_place(ColMut::from_slice_mut(&mut self.buffer));
        x.iter_mut().zip(self.buffer.chunks_exact(3)).for_each(|(x, part)| x.copy_from_slice(part));
    }

    /// Symbolic analysis: the sparsity pattern of the sum of the matrix's terms, and a fill-reducing order of elimination.
    fn analyse(&mut self, matrix: &BlockMatrix, outer: &OuterProducts) -> Result<(), SoftError> {
        let count = matrix.block_count();
        let mut columns = vec![Vec::new(); count];
        for_each_term(matrix, outer, |row, column, _| {
            columns[row.min(column) as usize].push(row.max(column));
        });
        self.starts = vec![0];
        self.rows.clear();
        for column in &mut columns {
            column.sort_unstable();
            column.dedup();
            self.rows.extend_from_slice(column);
            self.starts.push(self.rows.len());
        }
        self.places.clear();
        let (starts, rows, places) = (&self.starts, &self.rows, &mut self.places);
        for_each_term(matrix, outer, |row, column, _| {
            let (low, high) = (row.min(column) as usize, row.max(column));
            let found = rows[starts[low]..starts[low + 1]].binary_search(&high).expect("the pattern has it");
            places.push(((starts[low] + found) as u32, row < column));
        });
        self.scalar_starts = vec![0];
        self.scalar_rows.clear();
        for column in 0..3 * count {
            let rows = &self.rows[self.starts[column / 3]..self.starts[column / 3 + 1]];
            let scalars = rows.iter().flat_map(|&row| 3 * row as usize..3 * row as usize + 3);
            self.scalar_rows.extend(scalars.filter(|&row| row >= column));
            self.scalar_starts.push(self.scalar_rows.len());
        }
        let size = 3 * count;
        let pattern =
            SymbolicSparseColMatRef::new_checked(size, size, &self.scalar_starts, None, &self.scalar_rows);
        let symbolic = SymbolicLlt::try_new(pattern, Side::Lower);
        self.symbolic = Some(symbolic.map_err(|_| SoftError::NotFactored {
            unknowns: size,
            reason: "the analysis ran out of memory",
        })?);
        Ok(())
    }

    /// Numerical values of the scalar columns, in the order of the pattern.
    fn fill(&mut self, matrix: &BlockMatrix, outer: &OuterProducts, free: &[Vector3<f64>]) {
        self.blocks.clear();
        self.blocks.resize(self.rows.len(), Matrix3::zeros());
        let mut places = self.places.iter();
        let blocks = &mut self.blocks;
        for_each_term(matrix, outer, |_, _, term| {
            if let Some(&(place, transposed)) = places.next() {
                blocks[place as usize] += if transposed { term.transpose() } else { *term };
            }
        });
        self.values.clear();
        // Prescribed components keep their place in the pattern, as ones on the diagonal: freeing them needs no new analysis.
        for column in 0..free.len() {
            for axis in 0..3 {
                let span = self.starts[column]..self.starts[column + 1];
                for (&row, block) in self.rows[span.clone()].iter().zip(&self.blocks[span]) {
                    let row = row as usize;
                    for other in (0..3).filter(|&other| row > column || other >= axis) {
                        let diagonal = row == column && other == axis;
                        let both = free[column][axis] > 0.0 && free[row][other] > 0.0;
                        self.values.push(if both {
                            block[(other, axis)]
                        } else {
                            f64::from(u8::from(diagonal))
                        });
                    }
                }
            }
        }
    }
}

/// Visits the blocks of the lower or the upper triangle of both: row, column and block. A block is visited once for each of its terms.
fn for_each_term(
    matrix: &BlockMatrix,
    outer: &OuterProducts,
    mut visit: impl FnMut(u32, u32, &Matrix3<f64>),
) {
    matrix.terms(&mut visit);
    for (stiffness, column) in outer.terms() {
        for (place, (row, j)) in column.iter().enumerate() {
            for (at, (other, i)) in column[..=place].iter().enumerate() {
                let block: Matrix3<f64> = stiffness * j * i.transpose();
                // A block that occurs twice in the column, as a node of both elements at an edge, has both products on the diagonal.
                let both = row == other && at != place;
                visit(*row, *other, &if both { block + block.transpose() } else { block });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_that_of_the_matrix_with_its_outer_products() {
        let mut matrix = BlockMatrix::new(3, &[]);
        for block in 0..3 {
            matrix.add_diagonal(block, &Matrix3::from_diagonal_element(2.0 + block as f64));
        }
        let mut outer = OuterProducts::default();
        let (a, b, c) =
            (Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, 1.0, -1.0), Vector3::new(0.0, 0.7, 2.0));
        // A block occurs twice in one of the columns.
        outer.push(1e6, [(0, a), (2, b), (0, c)]);
        outer.push(3.0, [(1, c), (0, -a)]);
        let free = vec![Vector3::repeat(1.0); 3];
        let mut cholesky = Cholesky::default();
        cholesky.factor(&matrix, &outer, &free).unwrap();
        let expected =
            [Vector3::new(1.0, 2.0, -1.0), Vector3::new(0.5, 0.0, 3.0), Vector3::new(-1.0, 0.2, 0.1)];
        let mut b = [Vector3::zeros(); 3];
        for (block, (b, x)) in b.iter_mut().zip(&expected).enumerate() {
            *b = (2.0 + block as f64) * x;
        }
        outer.add_product(&expected, &mut b);
        let mut solved = [Vector3::zeros(); 3];
        cholesky.solve(&b, &mut solved);
        assert!(solved.iter().zip(&expected).all(|(x, y)| (x - y).norm() < 1e-8), "{solved:?}");
    }
}
