//! Preconditioned conjugate gradients.
//!
//! An iteration passes over the vectors twice: once for the new direction, its product and their curvature, once for the new
//! point, its residual and the preconditioned residual. Both passes work chunk by chunk on all threads, and sums are taken over
//! the chunks in their order: the same bits for every thread count.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::cholesky::Cholesky;
use super::operator::Operator;
use super::options::{LinearOptions, LinearReport};
use crate::error::SoftError;
use crate::soft::blocks::{CHUNK, PARALLEL_BLOCKS, dot, norm};

/// Preconditioned conjugate gradients with their vectors: residual r, preconditioned residual z, direction p, product q = A p.
#[derive(Debug, Clone, Default)]
pub struct ConjugateGradients {
    r: Vec<Vector3<f64>>,
    z: Vec<Vector3<f64>>,
    p: Vec<Vector3<f64>>,
    q: Vec<Vector3<f64>>,
    /// Inverse diagonal blocks, the block-Jacobi preconditioner; empty where Cholesky preconditions.
    inverse: Vec<Matrix3<f64>>,
    /// Partial sums of each chunk: r·r and, with the block-Jacobi preconditioner, r·z.
    sums: Vec<[f64; 2]>,
}

/// A chunk of the vectors of an iteration.
pub(super) struct Piece<'a> {
    x: &'a mut [Vector3<f64>],
    r: &'a mut [Vector3<f64>],
    z: &'a mut [Vector3<f64>],
    p: &'a [Vector3<f64>],
    q: &'a [Vector3<f64>],
    free: &'a [Vector3<f64>],
    /// Empty where Cholesky preconditions.
    inverse: &'a [Matrix3<f64>],
}

impl Piece<'_> {
    /// Updates x ← x + αp, r ← r − αq and z = D⁻¹ r; returns r·r and r·z.
    fn advance(self, alpha: f64) -> [f64; 2] {
        let (mut square, mut along) = (0.0, 0.0);
        for i in 0..self.r.len() {
            self.x[i] += alpha * self.p[i];
            let r = self.r[i] - alpha * self.q[i].component_mul(&self.free[i]);
            self.r[i] = r;
            square += r.norm_squared();
            if let Some(inverse) = self.inverse.get(i) {
                let z = inverse * r;
                self.z[i] = z;
                along += r.dot(&z);
            }
        }
        [square, along]
    }
}

impl ConjugateGradients {
    /// Solves for `x`, which contains the initial guess, with the right-hand side `b`; prescribed components of both must
    /// be zero. The preconditioner is `cholesky`, or the inverse diagonal blocks.
    ///
    /// # Errors
    /// [`SoftError::NotPositive`] where a direction has no positive curvature; `x` then holds the last iterate.
    pub fn solve(
        &mut self,
        operator: &mut Operator<'_>,
        b: &[Vector3<f64>],
        x: &mut [Vector3<f64>],
        mut cholesky: Option<&mut Cholesky>,
        options: &LinearOptions,
    ) -> Result<LinearReport, SoftError> {
        self.resize(b.len());
        self.inverse.clear();
        if cholesky.is_none() {
            self.invert_diagonal(operator);
        }
        let scale = norm(b);
        let mut report = LinearReport { factored: cholesky.is_some(), ..LinearReport::default() };
        self.start(operator, b, x, scale);
        // A step of length zero preconditions the first residual.
        let [mut square, mut along] = self.advance(0.0, x, operator.free);
        let mut before = f64::INFINITY;
        loop {
            report.residual = square.sqrt() / scale;
            if report.residual <= options.relative_tolerance || scale <= 0.0 {
                report.residual = if scale > 0.0 { report.residual } else { 0.0 };
                return Ok(report);
            }
            if report.iterations >= options.max_iterations {
                return Ok(report);
            }
            if let Some(cholesky) = cholesky.as_deref_mut() {
                cholesky.solve(&self.r, &mut self.z);
                along = dot(&self.r, &self.z);
            }
            let curvature = operator.multiply_direction(&self.z, along / before, &mut self.p, &mut self.q);
            if !(curvature > 0.0 && along > 0.0) {
                let curvature = curvature / dot(&self.p, &self.p);
                return Err(SoftError::NotPositive { iteration: report.iterations, curvature });
            }
            before = along;
            [square, along] = self.advance(along / curvature, x, operator.free);
            report.iterations += 1;
        }
    }

    fn resize(&mut self, count: usize) {
        for vector in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            vector.resize(count, Vector3::zeros());
        }
        self.p.fill(Vector3::zeros());
        self.q.fill(Vector3::zeros());
        self.sums.resize(count.div_ceil(CHUNK), [0.0; 2]);
    }

    /// The first residual; an initial guess whose residual exceeds that of zero is dropped.
    fn start(&mut self, operator: &mut Operator<'_>, b: &[Vector3<f64>], x: &mut [Vector3<f64>], scale: f64) {
        self.r.copy_from_slice(b);
        if x.iter().all(|x| *x == Vector3::zeros()) {
            return;
        }
        operator.multiply(x, &mut self.q);
        self.r.iter_mut().zip(&self.q).for_each(|(r, q)| *r -= q);
        if !(norm(&self.r) <= scale) {
            self.r.copy_from_slice(b);
            x.fill(Vector3::zeros());
        }
    }

    /// Moves `x` by `alpha` along the direction; returns r·r and r·z of the new residual.
    fn advance(&mut self, alpha: f64, x: &mut [Vector3<f64>], free: &[Vector3<f64>]) -> [f64; 2] {
        let Self { r, z, p, q, inverse, sums } = self;
        let (p, q, inverse) = (&*p, &*q, &*inverse);
        let work = |at: usize, x: &mut [_], r: &mut [Vector3<f64>], z: &mut [_]| {
            let span = at * CHUNK..at * CHUNK + r.len();
            let inverse = if inverse.is_empty() { inverse } else { &inverse[span.clone()] };
            let (p, q, free) = (&p[span.clone()], &q[span.clone()], &free[span]);
            Piece { x, r, z, p, q, free, inverse }.advance(alpha)
        };
        if r.len() < PARALLEL_BLOCKS {
            let pieces = x.chunks_mut(CHUNK).zip(r.chunks_mut(CHUNK)).zip(z.chunks_mut(CHUNK));
            let pieces = pieces.zip(sums.iter_mut()).enumerate();
            pieces.for_each(|(at, (((x, r), z), sum))| *sum = work(at, x, r, z));
        } else {
            let pieces = x.par_chunks_mut(CHUNK).zip(r.par_chunks_mut(CHUNK)).zip(z.par_chunks_mut(CHUNK));
            let pieces = pieces.zip(sums.par_iter_mut()).enumerate();
            pieces.for_each(|(at, (((x, r), z), sum))| *sum = work(at, x, r, z));
        }
        sums.iter().fold([0.0; 2], |[square, along], sum| [square + sum[0], along + sum[1]])
    }

    /// Inverts the diagonal blocks of the operator for the block-Jacobi preconditioner.
    fn invert_diagonal(&mut self, operator: &Operator<'_>) {
        self.inverse.resize(self.r.len(), Matrix3::zeros());
        operator.matrix.diagonal(&mut self.inverse);
        operator.outer.add_diagonal(&mut self.inverse);
        let free = operator.free;
        let invert = |(piece, blocks): (usize, &mut [Matrix3<f64>])| {
            for (block, free) in blocks.iter_mut().zip(&free[piece * CHUNK..]) {
                invert(block, free);
            }
        };
        if self.r.len() < PARALLEL_BLOCKS {
            self.inverse.chunks_mut(CHUNK).enumerate().for_each(invert);
        } else {
            self.inverse.par_chunks_mut(CHUNK).enumerate().for_each(invert);
        }
    }
}

/// Replaces a diagonal block by its inverse over the free components, and by the identity where it has none.
fn invert(block: &mut Matrix3<f64>, free: &Vector3<f64>) {
    for axis in (0..3).filter(|&axis| free[axis] <= 0.0) {
        block.row_mut(axis).fill(0.0);
        block.column_mut(axis).fill(0.0);
        block[(axis, axis)] = 1.0;
    }
    // An indefinite block must not precondition: conjugate gradients need a positive definite preconditioner.
    let inverse = block.try_inverse().filter(positive_definite);
    *block = inverse.unwrap_or_else(Matrix3::identity);
}

/// Whether a symmetric matrix is positive definite, by Sylvester's criterion.
fn positive_definite(m: &Matrix3<f64>) -> bool {
    m.m11 > 0.0 && m.m11 * m.m22 - m.m12 * m.m21 > 0.0 && m.determinant() > 0.0
}

#[cfg(test)]
mod tests {
    use super::super::super::blocks::tests::{flat, random_system, wave};
    use super::super::super::blocks::{DerivativeOrder, ElementKernel};
    use super::super::super::interaction::OuterProducts;
    use super::super::*;
    use super::*;

    fn solve(method: LinearMethod, tolerance: f64) -> (f64, LinearReport) {
        let (kernel, mut dense, mut matrix) = random_system(60, 150);
        let kernel: &dyn ElementKernel = &kernel;
        let mut free = vec![Vector3::repeat(1.0); 61];
        free[3] = Vector3::zeros();
        free[5].y = 0.0;
        let mut gradient = wave(61);
        matrix.assemble(kernel, &wave(61), DerivativeOrder::ExactHessian, &mut gradient);
        (0..61).for_each(|block| matrix.add_diagonal(block, &Matrix3::from_diagonal_element(3.0)));
        dense += nalgebra::DMatrix::identity(183, 183) * 3.0;
        let mut outer = OuterProducts::default();
        let column = [(0, Vector3::new(1.0, 2.0, 3.0)), (3, Vector3::x()), (9, Vector3::new(0.0, -1.0, 1.0))];
        outer.push(50.0, column);
        let mut j = nalgebra::DVector::zeros(183);
        column.iter().for_each(|(block, part)| j.fixed_rows_mut::<3>(3 * *block as usize).copy_from(part));
        dense += 50.0 * &j * j.transpose();
        let b: Vec<_> = wave(61).iter().zip(&free).map(|(b, free)| b.component_mul(free)).collect();
        for (row, free) in free.iter().flat_map(|free| free.iter()).enumerate() {
            if *free <= 0.0 {
                dense.row_mut(row).fill(0.0);
                dense.column_mut(row).fill(0.0);
                dense[(row, row)] = 1.0;
            }
        }
        let expected = dense.lu().solve(&flat(&b)).expect("a regular matrix");
        let mut x = vec![Vector3::zeros(); 61];
        let operator = Operator { matrix: &mut matrix, outer: &outer, free: &free };
        let options = LinearOptions { method, relative_tolerance: tolerance, max_iterations: 400 };
        let report = LinearSolver::default().solve(operator, &b, &mut x, true, &options).expect("a solution");
        ((flat(&x) - &expected).amax() / expected.amax(), report)
    }

    #[test]
    fn both_preconditioners_give_the_dense_solution() {
        let (error, report) = solve(LinearMethod::ConjugateGradients, 1e-12);
        assert!(error < 1e-9 && !report.factored, "{error} {report:?}");
        let (error, report) = solve(LinearMethod::Cholesky, 1e-12);
        assert!(error < 1e-9 && report.factored && report.iterations <= 4, "{error} {report:?}");
    }

    #[test]
    fn a_good_guess_ends_at_once_and_a_bad_one_is_dropped() {
        let (kernel, _, mut matrix) = random_system(60, 150);
        let free = vec![Vector3::repeat(1.0); 61];
        let (mut b, x) = (wave(61), wave(61));
        matrix.assemble(&kernel, &x, DerivativeOrder::ExactHessian, &mut b);
        matrix.add_diagonal(0, &Matrix3::identity());
        matrix.multiply(&x, &mut b);
        let outer = OuterProducts::default();
        let mut run = |mut guess: Vec<Vector3<f64>>| {
            let mut operator = Operator { matrix: &mut matrix, outer: &outer, free: &free };
            let options = LinearOptions { relative_tolerance: 1e-8, ..LinearOptions::default() };
            ConjugateGradients::default()
                .solve(&mut operator, &b, &mut guess, None, &options)
                .expect("a solution")
        };
        assert_eq!(run(x.clone()).iterations, 0);
        let cold = run(vec![Vector3::zeros(); 61]).iterations;
        assert!(cold > 5 && run(x.iter().map(|x| -50.0 * x).collect()).iterations == cold);
    }

    #[test]
    fn an_indefinite_matrix_is_an_error() {
        let (kernel, _, mut matrix) = random_system(20, 30);
        let mut b = wave(21);
        matrix.assemble(&kernel, &wave(21), DerivativeOrder::ExactHessian, &mut b);
        matrix.add_diagonal(4, &Matrix3::from_diagonal_element(-1e3));
        let free = vec![Vector3::repeat(1.0); 21];
        for method in [LinearMethod::ConjugateGradients, LinearMethod::Cholesky] {
            let outer = OuterProducts::default();
            let operator = Operator { matrix: &mut matrix, outer: &outer, free: &free };
            let options = LinearOptions { method, relative_tolerance: 1e-12, max_iterations: 400 };
            let mut x = vec![Vector3::zeros(); 21];
            assert!(LinearSolver::default().solve(operator, &wave(21), &mut x, true, &options).is_err());
        }
    }
}
