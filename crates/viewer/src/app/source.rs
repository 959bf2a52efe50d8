//! Source of the states that are shown: a simulated scene or a recorded run.

use std::sync::Arc;

use super::playback::Playback;
use crate::interface::{Recorded, Sample};
use crate::models::Models;
use crate::overlay::contact_depths;
use extricate_dynamics::{Pull, StepReport, World, WorldContact};
use extricate_scene::record::WorldState;
use extricate_scene::scene::Scene;

/// Source of the states that are shown.
pub enum Source {
    /// A simulated scene.
    Live(Box<Live>),
    /// A recorded run.
    Recorded(Box<Playback>),
}

/// A simulated scene.
pub struct Live {
    scene: Arc<Scene>,
    world: World,
    report: Option<StepReport>,
}

impl Source {
    /// A simulated scene with its world at the start.
    #[must_use]
    pub fn live(scene: Arc<Scene>, world: World) -> Self {
        Self::Live(Box::new(Live { scene, world, report: None }))
    }

    /// The current world; of a recorded run, the world at the start.
    #[must_use]
    pub fn world(&self) -> &World {
        match self {
            Self::Live(live) => &live.world,
            Self::Recorded(playback) => playback.start(),
        }
    }

    /// Whether [`Source::world`] is the current world.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> WorldState {
        match self {
            Self::Live(live) => WorldState::of(&live.world),
            Self::Recorded(playback) => playback.state().clone(),
        }
    }

    /// Simulated time until the next step or state [s]; `None` at the end of a recording.
    pub(super) fn step_length(&self) -> Option<f64> {
        match self {
            Self::Live(live) => Some(live.world.options().time_step),
            Self::Recorded(playback) => playback.until_next(),
        }
    }

    /// Takes a step, or advances to the next recorded state; `None` at the end of a recording.
    pub(super) fn advance(&mut self) -> Result<Option<Sample>, String> {
        match self {
            Self::Live(live) => live.step().map(Some),
            Self::Recorded(playback) => playback.next(),
        }
    }

    /// Resets to the start.
    pub(super) fn reset(&mut self) -> Result<(), String> {
        match self {
            Self::Live(live) => {
                live.world = live.scene.world().map_err(|error| error.to_string())?;
                live.report = None;
                Ok(())
            }
            Self::Recorded(playback) => playback.seek(0),
        }
    }

    /// Shows a recorded state.
    pub(super) fn seek(&mut self, state: usize) -> Result<(), String> {
        match self {
            Self::Live(_) => Err(FORWARD_ONLY.into()),
            Self::Recorded(playback) => playback.seek(state),
        }
    }

    /// Shows the previous recorded state.
    pub(super) fn back(&mut self) -> Result<(), String> {
        match self {
            Self::Live(_) => Err(FORWARD_ONLY.into()),
            Self::Recorded(playback) => playback.seek(playback.place().at.saturating_sub(1)),
        }
    }

    /// Pulls at a body with a spring, or releases it.
    pub(super) fn pull(&mut self, pull: Option<Pull>) -> Result<(), String> {
        match self {
            Self::Live(live) => live.world.pull(pull).map_err(|error| error.to_string()),
            Self::Recorded(_) => Err("bodies of a recorded run cannot be pulled".into()),
        }
    }

    /// Contacts of the step that led to the state; `None` if they were not recorded. `models` are those of its bodies.
    pub(super) fn contacts(&self, models: &Models) -> Result<Option<Vec<WorldContact>>, String> {
        match self {
            Self::Live(live) => Ok(Some(live.world.contacts())),
            Self::Recorded(playback) => playback.contacts(models),
        }
    }

    /// Depths of contacts at the nodes of each soft body \[m\]; `None` for a recording.
    pub(super) fn contact_depths(&self) -> Option<Vec<Vec<f64>>> {
        match self {
            Self::Live(live) => Some(contact_depths(&live.world)),
            Self::Recorded(_) => None,
        }
    }

    pub(super) fn recorded(&self) -> Option<Recorded> {
        match self {
            Self::Live(_) => None,
            Self::Recorded(playback) => Some(playback.place()),
        }
    }

    /// Report of the last step; `None` at the start, and for a recording.
    pub(super) fn report(&self) -> Option<StepReport> {
        match self {
            Self::Live(live) => live.report,
            Self::Recorded(_) => None,
        }
    }
}

/// Error of stepping back in a simulated scene.
const FORWARD_ONLY: &str = "a simulation only runs forward; record it with `extricate run` and open the run's folder with `extricate view` to step back";

impl Live {
    fn step(&mut self) -> Result<Sample, String> {
        let report = self.world.step().map_err(|error| error.to_string())?;
        let soft = report.soft.as_ref();
        let sample = Sample {
            step: report.step,
            time: report.time,
            seconds: report.timings.total.as_secs_f64(),
            timings: report.timings,
            max_penetration: report.max_penetration.max(soft.map_or(0.0, |soft| soft.max_penetration)),
            contacts: report.contacts + soft.map_or(0, |soft| soft.contacts),
            energy: report.energy.total(),
        };
        self.report = Some(report);
        Ok(sample)
    }
}
