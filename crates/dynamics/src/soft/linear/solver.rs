//! The choice between conjugate gradients and Cholesky.

use nalgebra::Vector3;

use super::cholesky::Cholesky;
use super::conjugate_gradients::ConjugateGradients;
use super::operator::Operator;
use super::options::{LinearMethod, LinearOptions, LinearReport};
use crate::error::SoftError;
use crate::soft::blocks::PARALLEL_BLOCKS;

/// Maximum number of blocks for which `Automatic` takes Cholesky in quasi-static solves, where no masses improve the conditioning,
/// and after a failure of conjugate gradients. It bounds the time and memory of fill-in; larger systems are left to conjugate gradients.
const SMALL_STATIC: usize = 30_000;

/// Maximum number of blocks for which `Automatic` takes Cholesky in a time step: masses improve the conditioning, and
/// conjugate gradients converge in fewer operations than a factorisation takes for all but tiny systems. No effect on
/// the sets of docs/sensitivity.md.
const SMALL_DYNAMIC: usize = 48;

/// Solver of linear systems with its buffers.
#[derive(Debug, Clone, Default)]
pub struct LinearSolver {
    gradients: ConjugateGradients,
    cholesky: Option<Cholesky>,
    /// Whether conjugate gradients failed to converge in the last solve by them.
    pub(in crate::soft) stiff: bool,
}

impl LinearSolver {
    /// Solves for `x`, which contains the initial guess, with the right-hand side `b`; prescribed components of both must
    /// be zero. `has_mass`: the matrix contains masses, which improve its conditioning.
    ///
    /// # Errors
    /// [`SoftError`] where the matrix is not positive definite; `x` then holds the last iterate.
    pub fn solve(
        &mut self,
        mut operator: Operator<'_>,
        b: &[Vector3<f64>],
        x: &mut [Vector3<f64>],
        has_mass: bool,
        options: &LinearOptions,
    ) -> Result<LinearReport, SoftError> {
        let small = if has_mass { SMALL_DYNAMIC } else { SMALL_STATIC };
        let automatic = options.method == LinearMethod::Automatic;
        let direct =
            options.method == LinearMethod::Cholesky || automatic && (self.stiff || b.len() <= small);
        if !direct {
            let gradients = &mut self.gradients;
            let solved = inside_the_pool(b.len(), || gradients.solve(&mut operator, b, x, None, options));
            let report = solved?;
            self.stiff = !(report.residual <= options.relative_tolerance) && b.len() <= SMALL_STATIC;
            if !(automatic && self.stiff) {
                return Ok(report);
            }
        }
        // With the contacts: friction that sticks is stiffer than anything else, and without it iterations do not converge.
        let cholesky = self.cholesky.get_or_insert_default();
        cholesky.factor(operator.matrix, operator.outer, operator.free)?;
        self.gradients.solve(&mut operator, b, x, Some(cholesky), options)
    }
}

/// Runs `work` on `blocks` blocks inside the thread pool where it will spawn parallel loops: each loop started from outside the
/// pool would wake a thread, which takes longer than a chunk.
fn inside_the_pool<R: Send>(blocks: usize, work: impl FnOnce() -> R + Send) -> R {
    if blocks < PARALLEL_BLOCKS || rayon::current_thread_index().is_some() {
        return work();
    }
    rayon::scope(|_| work())
}
