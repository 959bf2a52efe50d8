//! The states of a run, read one after the other.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::record::{RecordError, RunDirectory};
use crate::state::WorldState;

/// The states of a run in their order; one of them is in memory at a time.
#[derive(Debug)]
pub struct States {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    /// Number of lines read.
    lines: usize,
    last_step: Option<u64>,
}

impl States {
    /// The states of the run in a folder, complete or not.
    ///
    /// # Errors
    /// [`RecordError`] when there is no file of states, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join(RunDirectory::STATES);
        if !path.is_file() {
            return Err(RecordError::NoRun { folder: folder.to_owned() });
        }
        let file = File::open(&path).map_err(|source| RecordError::unreadable(&path, source))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Self { path, reader, line: Vec::new(), lines: 0, last_step: None })
    }

    fn read(&mut self) -> Result<Option<WorldState>, RecordError> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        read.map_err(|source| RecordError::unreadable(&self.path, source))?;
        // A line without an end is that of a run that was killed while writing it.
        if self.line.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.lines += 1;
        let damaged = |cause: String| RecordError::damaged(&self.path, Some(self.lines), cause);
        let state: WorldState = serde_json::from_slice(&self.line)
            .map_err(|error| RecordError::json(&self.path, Some(self.lines), &error))?;
        if let Some(last) = self.last_step.filter(|last| *last >= state.step) {
            return Err(damaged(format!("step {} does not come after step {last}", state.step)));
        }
        self.last_step = Some(state.step);
        Ok(Some(state))
    }
}

impl Iterator for States {
    type Item = Result<WorldState, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
