//! Linear systems of soft bodies: conjugate gradients, preconditioned by diagonal blocks or by a sparse Cholesky
//! factor, with prescribed components eliminated.

mod cholesky;
mod conjugate_gradients;
mod operator;
mod options;
mod solver;

pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;
pub use operator::Operator;
pub use options::{LinearMethod, LinearOptions, LinearReport};
pub use solver::LinearSolver;
