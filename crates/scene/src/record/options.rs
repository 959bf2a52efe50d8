//! Options of a run.

use crate::scene::Scene;

/// Options of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Number of steps.
    pub steps: u64,
    /// Number of steps between recorded states and measurements of penetration. The start and the end are always recorded.
    pub every: u64,
    /// Whether the expectations of the scene are checked; they cannot be in a run that is shorter than the scene.
    pub check_expectations: bool,
}

impl RunOptions {
    /// Default number of recorded states a second.
    const STATES_PER_SECOND: f64 = 60.0;

    /// The whole scene with its expectations, at sixty recorded states a second, or one for each step where steps are longer.
    #[must_use]
    pub fn whole(scene: &Scene) -> Self {
        let every = scene.steps(Self::STATES_PER_SECOND.recip());
        Self { steps: scene.steps(scene.duration), every, check_expectations: true }
    }
}
