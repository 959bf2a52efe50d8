//! The record of a run, complete or still growing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use extricate_scene::record::{RecordError, Recording, RunDirectory, StateSource};

use crate::frame::Frame;
use crate::stage::Stage;

/// Interval at which the record of a run that continues is read again.
const INTERVAL: Duration = Duration::from_millis(500);

/// A record that is shown.
#[derive(Debug)]
pub(crate) struct Playback {
    recording: Recording,
    /// Length of the states [bytes] when it was read.
    length: u64,
    looked: Instant,
}

impl Playback {
    /// Opens the folder of a run.
    pub(crate) fn open(folder: PathBuf) -> Result<Self, RecordError> {
        let length = length_of(&folder);
        Ok(Self { recording: Recording::open(folder)?, length, looked: Instant::now() })
    }

    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// A state, the last one by default.
    pub(crate) fn state(
        &mut self,
        stage: &Stage,
        index: Option<usize>,
    ) -> Result<(Frame, Value), RecordError> {
        self.look_again();
        let count = self.recording.state_count();
        let index = index.unwrap_or(count - 1).min(count - 1);
        let state = self.recording.state(index)?;
        let contacts = self.recording.contacts(index)?.unwrap_or_default();
        let fields = json!({
            "count": count, "index": index, "complete": self.recording.is_complete(),
            "end": self.recording.time(count - 1), "prepared": true,
        });
        Ok((Frame::of_state(stage, &state, &contacts), fields))
    }

    /// Opens the record again if it has grown. A failure leaves it as it is: the writer may be in the middle of a line.
    fn look_again(&mut self) {
        if self.recording.is_complete() || self.looked.elapsed() < INTERVAL {
            return;
        }
        self.looked = Instant::now();
        let folder = self.recording.folder().to_owned();
        let length = length_of(&folder);
        if (length != self.length || folder.join(RunDirectory::SUMMARY).is_file())
            && let Ok(recording) = Recording::open(&folder)
        {
            (self.recording, self.length) = (recording, length);
        }
    }
}

fn length_of(folder: &std::path::Path) -> u64 {
    fs::metadata(folder.join(RunDirectory::STATES)).map_or(0, |file| file.len())
}
