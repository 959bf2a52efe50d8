//! Options of a run.

use crate::scene::Scene;

/// What to run of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Number of steps.
    pub steps: u64,
    /// Every how many steps a state is recorded, and penetrations measured. The start and the end are always.
    pub every: u64,
    /// Whether what the scene expects is judged; a run that is shorter than the scene cannot be.
    pub judge: bool,
}

impl RunOptions {
    /// Recorded states in a second where nothing else is said.
    const STATES_PER_SECOND: f64 = 60.0;

    /// The whole scene, judged, with sixty recorded states a second, or one for each step where those are longer.
    #[must_use]
    pub fn whole(scene: &Scene) -> Self {
        let every = scene.steps(Self::STATES_PER_SECOND.recip());
        Self { steps: scene.steps(scene.duration), every, judge: true }
    }
}
