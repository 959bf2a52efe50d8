//! Report of a step of soft bodies.

/// Energies of a system \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// Strain energy of the elements.
    pub elastic: f64,
    /// −Σ m g·x.
    pub gravity: f64,
}

impl Energies {
    /// Sum of the three \[J\].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Wall time of a step by phase \[s\].
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

/// Report of a step or of a quasi-static solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftStepReport {
    /// Newton iterations: linear systems solved.
    pub newton_iterations: usize,
    /// Iterations of conjugate gradients, all systems together.
    pub linear_iterations: usize,
    /// Linear systems for which a Cholesky factor was computed.
    pub factorisations: usize,
    /// Norm of the residual forces \[N\]; before the last update where the scheme solves one linear system only.
    pub residual: f64,
    /// Residual forces over the forces in balance (inertial, elastic, external, contact).
    pub relative_residual: f64,
    /// Relative change of the interaction's energy that a refresh of its active set would make at the end; 0 where the set
    /// had settled.
    pub drift: f64,
    /// Whether the step met its bound on iterations and ended with its best iterate: see [`super::NewtonOptions::accept`].
    pub unconverged: bool,
    /// Step halvings of the line searches.
    pub halvings: usize,
    /// Energies at the end, the elastic one where the elements were last evaluated.
    pub energies: Energies,
    /// Wall times.
    pub times: Times,
}
