//! Playback of a recorded run.

use std::path::Path;

use crate::interface::{Recorded, Sample};
use crate::models::Models;
use crate::overlay::recorded_contacts;
use extricate_dynamics::{StepTimings, World, WorldContact};
use extricate_scene::record::{Recording, WorldState};

/// Playback of a recorded run: the recording and the state that is shown.
pub struct Playback {
    recording: Recording,
    /// World of the scene at the start.
    start: World,
    at: usize,
    state: WorldState,
}

impl Playback {
    /// Opens the folder of a run, at its start.
    ///
    /// # Errors
    /// A message for the user when the recording cannot be read or its world not be built.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let recording = Recording::open(folder).map_err(|error| error.to_string())?;
        let start = recording.scene().world().map_err(|error| format!("{}: {error}", folder.display()))?;
        let state = recording.state(0).map_err(|error| error.to_string())?;
        Ok(Self { recording, start, at: 0, state })
    }

    /// The recording.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// World of the scene at the start.
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
            has_contacts: self.recording.has_contacts(),
        }
    }

    /// Contacts of the state; `None` where they were not recorded. `models` are those of the bodies.
    pub(super) fn contacts(&self, models: &Models) -> Result<Option<Vec<WorldContact>>, String> {
        recorded_contacts(&self.recording, self.at, models)
    }

    /// Simulated time until the next state [s]; `None` at the end.
    pub(super) fn until_next(&self) -> Option<f64> {
        let next = self.at + 1;
        (next < self.recording.state_count())
            .then(|| self.recording.time(next) - self.recording.time(self.at))
    }

    /// Advances to the next state; `None` at the end.
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

    /// Shows a state by index, the last one if there are fewer.
    pub(super) fn seek(&mut self, state: usize) -> Result<(), String> {
        let at = state.min(self.recording.state_count() - 1);
        self.state = self.recording.state(at).map_err(|error| error.to_string())?;
        self.at = at;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
