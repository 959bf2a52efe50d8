//! What a step of soft bodies achieved.

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
