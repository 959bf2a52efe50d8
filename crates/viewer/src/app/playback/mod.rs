//! A recorded run that is played.

use std::path::Path;

use crate::interface::{Recorded, Sample};
use extricate_dynamics::{StepTimings, World};
use extricate_scene::record::{Recording, WorldState};

/// A recorded run that is played.
pub struct Playback {
    recording: Recording,
    /// The world of its scene at the start.
    start: World,
    at: usize,
    state: WorldState,
}

impl Playback {
    /// The run in a folder, at its start.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let recording = Recording::open(folder).map_err(|error| error.to_string())?;
        let start = recording.scene().world().map_err(|error| format!("{}: {error}", folder.display()))?;
        let state = recording.state(0).map_err(|error| error.to_string())?;
        Ok(Self { recording, start, at: 0, state })
    }

    /// The run.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The world of its scene at the start.
    #[must_use]
    pub fn start(&self) -> &World {
        &self.start
    }

    pub(super) fn state(&self) -> &WorldState {
        &self.state
    }

    pub(super) fn place(&self) -> Recorded {
        let states = self.recording.state_count();
        Recorded {
            at: self.at,
            states,
            duration: self.recording.time(states - 1),
            complete: self.recording.is_complete(),
        }
    }

    /// Time until the next state [s]; none at the end.
    pub(super) fn until_next(&self) -> Option<f64> {
        let next = self.at + 1;
        (next < self.recording.state_count())
            .then(|| self.recording.time(next) - self.recording.time(self.at))
    }

    /// Goes on to the next state; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Sample>, String> {
        if self.until_next().is_none() {
            return Ok(None);
        }
        self.seek(self.at + 1)?;
        let WorldState { step, time, max_penetration, contacts, energy, .. } = &self.state;
        Ok(Some(Sample {
            step: *step,
            time: *time,
            seconds: f64::NAN,
            timings: StepTimings::default(),
            max_penetration: *max_penetration,
            contacts: *contacts,
            energy: energy.total(),
        }))
    }

    /// Shows a state, the last one where there are not so many.
    pub(super) fn seek(&mut self, state: usize) -> Result<(), String> {
        let at = state.min(self.recording.state_count() - 1);
        self.state = self.recording.state(at).map_err(|error| error.to_string())?;
        self.at = at;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
