//! What a step of soft bodies achieved, or why it failed.

use thiserror::Error;

use super::linear::LinearError;

/// Energies of a system [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// Stored in the elements.
    pub elastic: f64,
    /// −Σ m g·x.
    pub gravity: f64,
}

impl Energies {
    /// Their sum.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Wall time of a step by phase [s].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Energies, forces and stiffnesses of the elements.
    pub assembly: f64,
    /// Linear systems.
    pub solve: f64,
    /// The interaction: contact, friction.
    pub contact: f64,
    /// All of the step.
    pub total: f64,
}

/// What a step or a quasi-static solve achieved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftStepReport {
    /// Newton iterations: linear systems solved.
    pub newton_iterations: usize,
    /// Iterations of conjugate gradients, all systems together.
    pub linear_iterations: usize,
    /// Linear systems for which a Cholesky factor was made.
    pub factorisations: usize,
    /// Norm of the forces out of balance [N]; before the last change where the scheme takes one linear system.
    pub residual: f64,
    /// The same over the forces that meet (inertial, elastic, external, of contact).
    pub relative_residual: f64,
    /// Change of the interaction's energy, over it, were its pieces held anew at the end; 0 where they had settled.
    pub drift: f64,
    /// Times the step along Newton's direction was halved.
    pub halvings: usize,
    /// Energies at the end, the elastic one where the elements were last evaluated.
    pub energies: Energies,
    /// Wall times.
    pub times: Times,
}

/// Why a step or a quasi-static solve has no result; positions and velocities are then as before it.
#[derive(Debug, Error, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SoftError {
    /// The time step is not a positive number.
    #[error("a time step must be positive and finite, not {dt} s")]
    TimeStep {
        /// What was given [s].
        dt: f64,
    },
    /// Newton's iteration did not converge.
    #[error(
        "the soft bodies did not converge: forces out of balance {relative:e} of those that meet after {iterations} \
         iterations, {tolerance:e} wanted; take a smaller time step (now {dt} s) or load step"
    )]
    NotConverged {
        /// Newton iterations.
        iterations: usize,
        /// Forces out of balance over the forces that meet.
        relative: f64,
        /// What was wanted.
        tolerance: f64,
        /// Time step [s]; infinite in a quasi-static solve.
        dt: f64,
    },
    /// A position, a velocity or an energy is not finite.
    #[error(
        "the soft bodies' energy is {energy} J in iteration {iteration}: block {block:?} is not finite, or the time step ({dt} s) is too large"
    )]
    NotFinite {
        /// Newton iterations so far.
        iteration: usize,
        /// The energy [J].
        energy: f64,
        /// The first block whose position is not finite, if there is one.
        block: Option<usize>,
        /// Time step [s]; infinite in a quasi-static solve.
        dt: f64,
    },
    /// A linear system was not solved.
    #[error(transparent)]
    Linear(#[from] LinearError),
}
