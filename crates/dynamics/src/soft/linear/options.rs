//! Options and report of the linear solver.

/// Method for linear systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinearMethod {
    /// Cholesky for small systems, for quasi-static ones, and from then on where conjugate gradients exceeded their maximum
    /// number of iterations; else conjugate gradients.
    #[default]
    Automatic,
    /// Conjugate gradients preconditioned by the inverse diagonal blocks.
    ConjugateGradients,
    /// Conjugate gradients preconditioned by a Cholesky factor of the whole matrix: one or two iterations.
    Cholesky,
}

/// Options of the linear solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearOptions {
    /// The method.
    pub method: LinearMethod,
    /// Residual over the right-hand side at which to stop.
    pub relative_tolerance: f64,
    /// Maximum number of iterations.
    pub max_iterations: usize,
}

impl Default for LinearOptions {
    fn default() -> Self {
        Self { method: LinearMethod::Automatic, relative_tolerance: 1e-3, max_iterations: 500 }
    }
}

/// Report of a linear solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinearReport {
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Residual over the right-hand side.
    pub residual: f64,
    /// Whether a Cholesky factor was the preconditioner.
    pub factored: bool,
}
