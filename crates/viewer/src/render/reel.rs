//! What is shown: a scene that runs as it is looked at, or a recorded run.

use std::ops::ControlFlow;

use crate::ViewError;
use extricate_dynamics::World;
use extricate_scene::record::{Recording, WorldState};
use extricate_scene::scene::Scene;

/// What is shown.
pub enum Reel {
    /// A scene that runs as it is looked at.
    Live {
        /// The scene.
        scene: Box<Scene>,
        /// Its world.
        world: Box<World>,
    },
    /// A recorded run.
    Recorded {
        /// The run.
        recording: Box<Recording>,
        /// The world of its scene at the start.
        start: Box<World>,
    },
}

impl Reel {
    /// A scene as its file puts it.
    ///
    /// # Errors
    /// [`ViewError`] when it makes no world.
    pub fn of_scene(scene: Scene) -> Result<Self, ViewError> {
        let world = scene.world()?;
        Ok(Self::Live { scene: Box::new(scene), world: Box::new(world) })
    }

    /// A recorded run.
    ///
    /// # Errors
    /// [`ViewError`] when its scene makes no world.
    pub fn of_recording(recording: Recording) -> Result<Self, ViewError> {
        let start = Box::new(recording.scene().world()?);
        Ok(Self::Recorded { recording: Box::new(recording), start })
    }

    /// A recorded run from a time on [s], as it was run: gone on with from its last checkpoint before that. So it tells what is
    /// not recorded, such as contacts.
    ///
    /// # Errors
    /// [`ViewError`] when its scene makes no world, or a step fails.
    pub fn of_run(recording: &Recording, time: f64) -> Result<Self, ViewError> {
        let mut scene = recording.scene().clone();
        scene.duration = recording.time(recording.state_count() - 1);
        let step = recording.state(recording.state_at(time))?.step;
        let world = Box::new(recording.world_at(step)?);
        Ok(Self::Live { scene: Box::new(scene), world })
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        match self {
            Self::Live { scene, .. } => scene,
            Self::Recorded { recording, .. } => recording.scene(),
        }
    }

    /// The world as it is now; of a recorded run, as it was at the start.
    #[must_use]
    pub fn world(&self) -> &World {
        match self {
            Self::Live { world, .. } => world,
            Self::Recorded { start, .. } => start,
        }
    }

    /// Time at which it ends [s].
    #[must_use]
    pub fn end(&self) -> f64 {
        match self {
            Self::Live { scene, .. } => scene.duration,
            Self::Recorded { recording, .. } => recording.time(recording.state_count() - 1),
        }
    }

    /// Where everything is at a time [s]: of a run, in the last state that is not after it.
    pub(super) fn seek(
        &mut self,
        time: f64,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<WorldState, ViewError> {
        match self {
            Self::Live { world, .. } => {
                let half_a_step = 0.5 * world.options().time_step;
                while world.time() < time - half_a_step {
                    world.step()?;
                    if watch(world.time()).is_break() {
                        return Err(ViewError::Stopped { time: world.time() });
                    }
                }
                Ok(WorldState::of(world))
            }
            Self::Recorded { recording, .. } => {
                // Times are multiples of the time step: a rounding must not show the state before.
                let slack = 0.5 * recording.scene().options.time_step;
                let state = recording.state(recording.state_at(time + slack))?;
                match watch(state.time) {
                    ControlFlow::Continue(()) => Ok(state),
                    ControlFlow::Break(()) => Err(ViewError::Stopped { time: state.time }),
                }
            }
        }
    }
}
