//! What is shown: a scene that runs, or a run that was recorded.

use std::sync::Arc;

use super::playback::Playback;
use crate::interface::{Recorded, Sample};
use extricate_dynamics::{Pull, StepReport, World};
use extricate_scene::record::WorldState;
use extricate_scene::scene::Scene;

/// What is shown.
pub enum Source {
    /// A scene that runs.
    Live(Box<Live>),
    /// A run that was recorded.
    Recorded(Box<Playback>),
}

/// A scene that runs.
pub struct Live {
    scene: Arc<Scene>,
    world: World,
    report: Option<StepReport>,
}

impl Source {
    /// A scene with its world at the start.
    #[must_use]
    pub fn live(scene: Arc<Scene>, world: World) -> Self {
        Self::Live(Box::new(Live { scene, world, report: None }))
    }

    /// The world as it is now; of a recorded run that at the start.
    #[must_use]
    pub fn world(&self) -> &World {
        match self {
            Self::Live(live) => &live.world,
            Self::Recorded(playback) => playback.start(),
        }
    }

    /// Whether [`Source::world`] is as it is now.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Where everything is now.
    #[must_use]
    pub fn state(&self) -> WorldState {
        match self {
            Self::Live(live) => WorldState::of(&live.world),
            Self::Recorded(playback) => playback.state().clone(),
        }
    }

    /// Simulated time until the next step or state [s]; none at the end of a recording.
    pub(super) fn step_length(&self) -> Option<f64> {
        match self {
            Self::Live(live) => Some(live.world.options().time_step),
            Self::Recorded(playback) => playback.until_next(),
        }
    }

    /// Takes a step, or goes on to the next state; nothing at the end of a recording.
    pub(super) fn advance(&mut self) -> Result<Option<Sample>, String> {
        match self {
            Self::Live(live) => live.step().map(Some),
            Self::Recorded(playback) => playback.next(),
        }
    }

    /// Back to the start.
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
            Self::Live(_) => Err(NO_WAY_BACK.into()),
            Self::Recorded(playback) => playback.seek(state),
        }
    }

    /// Shows the recorded state before.
    pub(super) fn back(&mut self) -> Result<(), String> {
        match self {
            Self::Live(_) => Err(NO_WAY_BACK.into()),
            Self::Recorded(playback) => playback.seek(playback.place().at.saturating_sub(1)),
        }
    }

    /// Pulls at a body, or lets go.
    pub(super) fn pull(&mut self, pull: Option<Pull>) -> Result<(), String> {
        match self {
            Self::Live(live) => live.world.pull(pull).map_err(|error| error.to_string()),
            Self::Recorded(_) => Err("what was recorded cannot be pulled".into()),
        }
    }

    pub(super) fn recorded(&self) -> Option<Recorded> {
        match self {
            Self::Live(_) => None,
            Self::Recorded(playback) => Some(playback.place()),
        }
    }

    /// Report of the last step; none at the start, and of a recording.
    pub(super) fn report(&self) -> Option<StepReport> {
        match self {
            Self::Live(live) => live.report,
            Self::Recorded(_) => None,
        }
    }
}

/// What is said to who wants to go back in a scene that runs.
const NO_WAY_BACK: &str = "a scene runs forward only; `extricate run` records it, and `extricate view` of the run's folder goes back";

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
