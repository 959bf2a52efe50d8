//! Source of rendered states: a scene that is simulated, or a recorded run.

use std::ops::ControlFlow;

use super::trails::Trails;
use crate::overlay::recorded_contacts;
use crate::{Models, ViewError};
use extricate_dynamics::{World, WorldContact};
use extricate_scene::record::{Recording, WorldState};
use extricate_scene::scene::Scene;

/// Source of rendered states.
pub enum RenderSource {
    /// A scene that is simulated while it is rendered.
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

impl RenderSource {
    /// A scene at its start.
    ///
    /// # Errors
    /// [`ViewError`] when its world cannot be built.
    pub fn of_scene(scene: Scene) -> Result<Self, ViewError> {
        let world = scene.world()?;
        Ok(Self::Live { scene: Box::new(scene), world: Box::new(world) })
    }

    /// A recorded run.
    ///
    /// # Errors
    /// [`ViewError`] when the world of its scene cannot be built.
    pub fn of_recording(recording: Recording) -> Result<Self, ViewError> {
        let start = Box::new(recording.scene().world()?);
        Ok(Self::Recorded { recording: Box::new(recording), start })
    }

    /// A recorded run simulated again from a time on \[s\], resumed from its last checkpoint before that, for data that is not
    /// recorded, such as contacts.
    ///
    /// # Errors
    /// [`ViewError`] when the world of its scene cannot be built, or a step fails.
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

    /// The current world; of a recorded run, the world at the start.
    #[must_use]
    pub fn world(&self) -> &World {
        match self {
            Self::Live { world, .. } => world,
            Self::Recorded { start, .. } => start,
        }
    }

    /// End time \[s\].
    #[must_use]
    pub fn end(&self) -> f64 {
        match self {
            Self::Live { scene, .. } => scene.duration,
            Self::Recorded { recording, .. } => recording.time(recording.state_count() - 1),
        }
    }

    /// Contacts of the step that led to the current state; `None` for a run that did not record them.
    pub(super) fn contacts(
        &self,
        state: &WorldState,
        models: &Models,
    ) -> Result<Option<Vec<WorldContact>>, ViewError> {
        match self {
            Self::Live { world, .. } => Ok(Some(world.contacts())),
            Self::Recorded { recording, .. } => {
                let at = recording.state_at(state.time);
                let contacts = recorded_contacts(recording, at, models);
                contacts.map_err(|reason| ViewError::Contacts { reason })
            }
        }
    }

    /// State at a time [s]; of a recorded run, the last state that is not after it. States before it become samples of trails.
    pub(super) fn seek(
        &mut self,
        time: f64,
        trails: Option<&mut Trails>,
        monitor: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<WorldState, ViewError> {
        match self {
            Self::Live { world, .. } => {
                let mut trails = trails;
                let mut sample = |world: &World| match &mut trails {
                    Some(trails) if trails.accepts(world.time()) => trails.add(&WorldState::of(world)),
                    _ => {}
                };
                // The step whose end is nearest to the time: sums of steps are rounded.
                let half_a_step = 0.5 * world.options().time_step;
                while world.time() < time - half_a_step {
                    sample(world);
                    world.step()?;
                    if monitor(world.time()).is_break() {
                        return Err(ViewError::Stopped { time: world.time() });
                    }
                }
                Ok(WorldState::of(world))
            }
            Self::Recorded { recording, .. } => {
                // Times are multiples of the time step: rounding must not select the previous state.
                let slack = 0.5 * recording.scene().options.time_step;
                if let Some(trails) = trails {
                    for at in trails.missing(time) {
                        trails.add(&recording.state(recording.state_at(at + slack))?);
                    }
                }
                let state = recording.state(recording.state_at(time + slack))?;
                match monitor(state.time) {
                    ControlFlow::Continue(()) => Ok(state),
                    ControlFlow::Break(()) => Err(ViewError::Stopped { time: state.time }),
                }
            }
        }
    }
}
