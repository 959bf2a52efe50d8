//! Affine subspace of the points that satisfy linear equations, and inequality rows within it.
//!
//! The points with q·y = c for an orthonormal basis Q of the equations are y = p + z with p = Σ cᵢ qᵢ and z ⟂ Q. As ‖y‖² is
//! ‖p‖² + ‖z‖², the nearest point to the origin follows from a minimum-norm projection of z alone, with the rows a·y ≥ b as
//! (a − QQᵀa)·z ≥ b − a·p.

use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Part of a row that the rows before it do not span, relative to its length, below which it counts as spanned. Redundant rows,
/// as those of planar loops in space, have 1e-16; smaller parts would be solved for with few digits.
const SPANNED: f64 = 1e-7;
/// Length of a row relative to the longest one of its constraint below which nothing can change what it states, as the motion of a
/// planar loop out of its plane.
const IMMOBILE: f64 = 1e-6;

/// Linear equations a·x = b, one for each locked direction of a constraint.
#[derive(Debug, Clone, Default)]
pub(super) struct Equations {
    columns: usize,
    coefficients: Vec<f64>,
    right: Vec<f64>,
    /// Index of the first row of each constraint.
    first: Vec<usize>,
}

impl Equations {
    /// Removes all rows.
    pub(super) fn clear(&mut self, columns: usize) {
        self.columns = columns;
        self.coefficients.clear();
        self.right.clear();
        self.first.clear();
    }

    /// Begins the rows of the next constraint.
    pub(super) fn begin(&mut self) {
        self.first.push(self.right.len());
    }

    /// Adds a row of zeros with this right-hand side, and returns its coefficients.
    pub(super) fn row(&mut self, right: f64) -> &mut [f64] {
        self.right.push(right);
        let from = self.coefficients.len();
        self.coefficients.resize(from + self.columns, 0.0);
        &mut self.coefficients[from..]
    }

    /// The right-hand sides.
    pub(super) fn right(&self) -> &[f64] {
        &self.right
    }

    /// Sets the coefficients of variables to zero.
    pub(super) fn freeze(&mut self, is_frozen: impl Fn(usize) -> bool) {
        for (at, coefficient) in self.coefficients.iter_mut().enumerate() {
            if is_frozen(at % self.columns) {
                *coefficient = 0.0;
            }
        }
    }

    pub(super) fn coefficients(&self, row: usize) -> &[f64] {
        &self.coefficients[row * self.columns..(row + 1) * self.columns]
    }

    /// Products of an [`Subspace::solve`] of these rows.
    pub(super) fn work(&self) -> u64 {
        (self.right.len() * self.right.len() * self.columns) as u64
    }

    /// Length of each row, zero of those that state nothing.
    fn lengths(&self) -> Vec<f64> {
        let mut lengths: Vec<f64> = (0..self.right.len())
            .map(|row| dot(self.coefficients(row), self.coefficients(row)).sqrt())
            .collect();
        let ends = self.first.iter().skip(1).copied().chain([self.right.len()]);
        for (&first, end) in self.first.iter().zip(ends) {
            let own = &mut lengths[first..end];
            let longest = own.iter().fold(0.0, |max: f64, length| max.max(*length));
            own.iter_mut().filter(|length| !(**length > IMMOBILE * longest)).for_each(|length| *length = 0.0);
        }
        lengths
    }
}

/// An affine subspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Subspace {
    columns: usize,
    /// Orthonormal basis of the equations.
    basis: Vec<f64>,
    /// c: the coordinates of all points of the subspace along the basis.
    coordinates: Vec<f64>,
    /// p: the point nearest to the origin.
    nearest: Vec<f64>,
    scratch: Vec<f64>,
}

impl Subspace {
    /// Makes it the whole space.
    pub(super) fn clear(&mut self) {
        self.coordinates.clear();
        self.basis.clear();
        self.nearest.clear();
    }

    /// Whether it is the whole space.
    pub(super) fn is_whole(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Solves equations: rows that others span are left out. Modified Gram–Schmidt, the row with the largest remaining part first.
    pub(super) fn solve(&mut self, equations: &Equations) {
        self.clear();
        self.columns = equations.columns;
        let lengths = equations.lengths();
        let mut rest = equations.coefficients.clone();
        let mut right = equations.right.clone();
        let mut open: Vec<usize> = (0..lengths.len()).filter(|&row| lengths[row] > 0.0).collect();
        while !open.is_empty() {
            let part = |row: usize| {
                let own = &rest[row * self.columns..(row + 1) * self.columns];
                dot(own, own).sqrt() / lengths[row]
            };
            let (mut at, mut largest) = (0, -1.0);
            for (index, &row) in open.iter().enumerate() {
                let part = part(row);
                if part > largest {
                    (at, largest) = (index, part);
                }
            }
            let row = open.swap_remove(at);
            if !(largest > SPANNED) {
                break;
            }
            let length = largest * lengths[row];
            let unit: Vec<f64> =
                rest[row * self.columns..(row + 1) * self.columns].iter().map(|x| x / length).collect();
            let coordinate = right[row] / length;
            for &other in &open {
                let own = &mut rest[other * self.columns..(other + 1) * self.columns];
                let along = dot(own, &unit);
                own.iter_mut().zip(&unit).for_each(|(x, q)| *x -= along * q);
                right[other] -= along * coordinate;
            }
            self.basis.extend_from_slice(&unit);
            self.coordinates.push(coordinate);
        }
        self.place();
    }

    /// Moves the subspace so that its equations hold relative to a point: q·(y − `point`) = c.
    pub(super) fn about(&mut self, point: &[f64]) {
        if self.is_whole() {
            return;
        }
        for (coordinate, q) in self.coordinates.iter_mut().zip(self.basis.chunks_exact(self.columns)) {
            *coordinate += dot(q, point);
        }
        self.place();
    }

    fn place(&mut self) {
        self.nearest.clear();
        self.nearest.resize(self.columns, 0.0);
        for (coordinate, q) in self.coordinates.iter().zip(self.basis.chunks_exact(self.columns.max(1))) {
            self.nearest.iter_mut().zip(q).for_each(|(p, q)| *p += coordinate * q);
        }
    }

    /// The point nearest to the origin; empty of the whole space.
    pub(super) fn nearest(&self) -> &[f64] {
        &self.nearest
    }

    /// z of the point of the subspace nearest to a given one.
    pub(super) fn within(&self, point: &[f64]) -> Vec<f64> {
        let mut z = point.to_vec();
        for q in self.basis.chunks_exact(self.columns.max(1)) {
            let along = dot(&z, q);
            z.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
        }
        z
    }

    /// Adds the row a·y ≥ `bound` of a point of the subspace to a problem in z. Returns whether any motion in it changes a·y.
    pub(super) fn push(&mut self, problem: &mut Rows, a: &[f64], bound: f64) -> bool {
        if self.is_whole() {
            problem.push(a, bound);
            return true;
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(a);
        // Twice, so that the rest is across the basis to rounding of itself.
        for _ in 0..2 {
            for q in self.basis.chunks_exact(self.columns) {
                let along = dot(&self.scratch, q);
                self.scratch.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        let changes = dot(&self.scratch, &self.scratch) > SPANNED * SPANNED * dot(a, a);
        if changes {
            problem.push(&self.scratch, bound - dot(a, &self.nearest));
        }
        changes
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::fraction;
    use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;

    /// Equations of given rows, each a constraint of its own.
    fn equations(rows: &[(&[f64], f64)]) -> Equations {
        let mut equations = Equations::default();
        equations.clear(rows[0].0.len());
        for (a, b) in rows {
            equations.begin();
            equations.row(*b).copy_from_slice(a);
        }
        equations
    }

    #[test]
    fn redundant_equations_are_left_out_and_the_others_hold() {
        let rows: [(&[f64], f64); 3] =
            [(&[1.0, 2.0, 0.0], 3.0), (&[2.0, 4.0, 0.0], 6.0), (&[0.0, 1.0, 1.0], -1.0)];
        let mut subspace = Subspace::default();
        subspace.solve(&equations(&rows));
        assert_eq!(subspace.coordinates.len(), 2);
        for (a, b) in rows {
            assert!((dot(a, subspace.nearest()) - b).abs() < 1e-14);
        }
        // The line through p along (2, −1, 1) is nearest to the origin where it is across that direction.
        assert!(dot(subspace.nearest(), &[2.0, -1.0, 1.0]).abs() < 1e-14);
    }

    #[test]
    fn a_projection_in_a_subspace_is_that_of_pairs_of_opposite_inequalities() {
        for seed in 0..20_u64 {
            let number = |row: u64, at: u64| 2.0 * fraction([seed, row, at]) - 1.0;
            let row = |row: u64| (0..6).map(|at| number(row, at)).collect::<Vec<f64>>();
            let fixed: Vec<_> = (0..2).map(|k| (row(k), number(k, 9))).collect();
            let rows: Vec<_> = (2..6).map(|k| (row(k), number(k, 9))).collect();
            let mut subspace = Subspace::default();
            let given: Vec<(&[f64], f64)> = fixed.iter().map(|(a, b)| (a.as_slice(), *b)).collect();
            subspace.solve(&equations(&given));
            let (mut inside, mut slab) = (Rows::new(6), Rows::new(6));
            for (a, b) in &rows {
                assert!(subspace.push(&mut inside, a, *b));
                slab.push(a, *b);
            }
            // A slab of a millionth of a millionth around each equation.
            for (a, b) in &fixed {
                slab.push(a, b - 1e-12);
                slab.push(&a.iter().map(|x| -x).collect::<Vec<_>>(), -b - 1e-12);
            }
            let mut solver = MinNormProjection::default();
            let Ok(z) = solver.nearest(&inside, &[0.0; 6], 0.0) else { continue };
            let found: Vec<f64> = z.iter().zip(subspace.nearest()).map(|(z, p)| z + p).collect();
            let mut solver = MinNormProjection::default();
            let expected = solver.nearest(&slab, &[0.0; 6], 0.0).unwrap();
            for (x, y) in found.iter().zip(expected) {
                assert!((x - y).abs() < 1e-9, "{seed}: {found:?} {expected:?}");
            }
        }
    }
}
