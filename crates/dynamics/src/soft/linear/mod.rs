//! Linear systems of soft bodies: conjugate gradients, preconditioned by diagonal blocks or by a sparse Cholesky
//! factor, with prescribed components left out.

mod cholesky;
mod conjugate_gradients;

use nalgebra::Vector3;
use thiserror::Error;

use super::blocks::{BlockMatrix, PARALLEL_BLOCKS};
use super::interaction::OuterProducts;
pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;

/// Most blocks for which Automatic takes Cholesky where no masses help the conditioning.
const SMALL_STATIC: usize = 30_000;

/// Most blocks for which Automatic takes Cholesky in a time step.
const SMALL_DYNAMIC: usize = 48;

/// How linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinearMethod {
    /// Cholesky for small systems, for quasi-static ones, and from then on where conjugate gradients took more than
    /// their limit; else conjugate gradients.
    #[default]
    Automatic,
    /// Conjugate gradients preconditioned by the inverse diagonal blocks.
    ConjugateGradients,
    /// Conjugate gradients preconditioned by a Cholesky factor of the elastic and inertial part: one or two
    /// iterations without contact.
    Cholesky,
}

/// Options of the linear solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearOptions {
    /// The method.
    pub method: LinearMethod,
    /// Residual over the right-hand side at which to stop.
    pub tolerance: f64,
    /// Most iterations.
    pub limit: usize,
}

impl Default for LinearOptions {
    fn default() -> Self {
        Self { method: LinearMethod::Automatic, tolerance: 1e-3, limit: 500 }
    }
}

/// What a linear solve achieved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinearReport {
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Residual over the right-hand side.
    pub residual: f64,
    /// Whether a Cholesky factor was the preconditioner.
    pub factored: bool,
}

/// Why a linear system was not solved.
#[derive(Debug, Error, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum LinearError {
    /// The matrix is not positive definite, or not finite.
    #[error(
        "conjugate gradients met curvature {curvature:e} N/m in iteration {iteration}: the matrix is not positive definite"
    )]
    NotPositive {
        /// Iteration, from 0.
        iteration: usize,
        /// pᵀAp/pᵀp [N/m].
        curvature: f64,
    },
    /// Cholesky met a pivot that is not positive.
    #[error(
        "the matrix of {unknowns} unknowns has no Cholesky factor ({reason}): is a body free to move without mass?"
    )]
    NotFactored {
        /// Rows of the matrix.
        unknowns: usize,
        /// What the factorisation says.
        reason: &'static str,
    },
}

/// A + Σ stiffness J Jᵀ without the prescribed components.
#[derive(Debug)]
pub struct Operator<'a> {
    /// The elastic and inertial part.
    pub matrix: &'a mut BlockMatrix,
    /// The part of contacts.
    pub outer: &'a OuterProducts,
    /// 1 where a component is free, 0 where it is prescribed.
    pub free: &'a [Vector3<f64>],
}

impl Operator<'_> {
    /// The product with `p`, whose prescribed components must be zero, replaces `out`.
    pub fn multiply(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        self.matrix.multiply(p, out);
        self.outer.add_product(p, out);
        out.iter_mut().zip(self.free).for_each(|(out, free)| out.component_mul_assign(free));
    }

    /// `p` becomes z + `beta` p, whose prescribed components must be zero; `out` becomes its product, in which they are to be
    /// left out. Returns p · `out`.
    fn multiply_direction(
        &mut self,
        z: &[Vector3<f64>],
        beta: f64,
        p: &mut [Vector3<f64>],
        out: &mut [Vector3<f64>],
    ) -> f64 {
        self.matrix.multiply_direction(z, beta, p, out) + self.outer.add_product(p, out)
    }
}

/// Solver of linear systems with its memory.
#[derive(Debug, Clone, Default)]
pub struct LinearSolver {
    gradients: ConjugateGradients,
    cholesky: Option<Cholesky>,
    /// Conjugate gradients failed before.
    stiff: bool,
}

impl LinearSolver {
    /// Whether conjugate gradients failed in the last solve, so that the next one is by Cholesky.
    pub(in crate::soft) fn is_stiff(&self) -> bool {
        self.stiff
    }

    /// Goes on as after a solve that was [stiff](Self::is_stiff) or not.
    pub(in crate::soft) fn resume(&mut self, stiff: bool) {
        self.stiff = stiff;
    }

    /// Solves for `x`, which holds a first guess, with the right-hand side `b`; prescribed components of both must
    /// be zero. `has_mass` says that masses help the conditioning.
    ///
    /// # Errors
    /// [`LinearError`] where the matrix is not positive definite; `x` then holds the last iterate.
    pub fn solve(
        &mut self,
        mut operator: Operator<'_>,
        b: &[Vector3<f64>],
        x: &mut [Vector3<f64>],
        has_mass: bool,
        options: &LinearOptions,
    ) -> Result<LinearReport, LinearError> {
        let small = if has_mass { SMALL_DYNAMIC } else { SMALL_STATIC };
        let automatic = options.method == LinearMethod::Automatic;
        let direct =
            options.method == LinearMethod::Cholesky || automatic && (self.stiff || b.len() <= small);
        if !direct {
            let gradients = &mut self.gradients;
            let solved = inside_the_pool(b.len(), || gradients.solve(&mut operator, b, x, None, options));
            let report = solved?;
            self.stiff = !(report.residual <= options.tolerance) && b.len() <= SMALL_STATIC;
            if !(automatic && self.stiff) {
                return Ok(report);
            }
        }
        let cholesky = self.cholesky.get_or_insert_default();
        cholesky.factor(operator.matrix, operator.free)?;
        self.gradients.solve(&mut operator, b, x, Some(cholesky), options)
    }
}

/// Runs `work` on `blocks` blocks on a thread of the pool where it will hand parts to the others: each hand-over from outside the
/// pool would wake a thread, which takes longer than a part.
fn inside_the_pool<R: Send>(blocks: usize, work: impl FnOnce() -> R + Send) -> R {
    if blocks < PARALLEL_BLOCKS || rayon::current_thread_index().is_some() {
        return work();
    }
    rayon::scope(|_| work())
}
