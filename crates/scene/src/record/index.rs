//! Index of the states in `states.jsonl`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use super::RecordError;

/// The states of a file, in their order.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) states: Vec<IndexEntry>,
}

/// Position of a state in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexEntry {
    /// Offset of its line [bytes].
    start: u64,
    /// Length of its line [bytes].
    length: u32,
    /// Number of steps taken.
    pub(super) step: u64,
    /// Time since the start [s].
    pub(super) time: f64,
}

/// Fields of a line that are parsed when the file is opened; the rest need only be JSON.
#[derive(Deserialize)]
struct StateHeader {
    step: u64,
    time: f64,
}

impl Index {
    /// Indexes all lines of a file. A last line without an end, which a killed run leaves, is skipped.
    pub(super) fn of(path: &Path) -> Result<Self, RecordError> {
        let unreadable = |source| RecordError::unreadable(path, source);
        let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(unreadable)?);
        let mut states = Vec::<IndexEntry>::new();
        let (mut line, mut start) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(unreadable)?;
            if line.last() != Some(&b'\n') {
                return Ok(Self { states });
            }
            let number = Some(states.len() + 1);
            let damaged = |cause: String| RecordError::damaged(path, number, cause);
            let head: StateHeader =
                serde_json::from_slice(&line).map_err(|error| RecordError::json(path, number, &error))?;
            if let Some(before) = states.last()
                && !(before.step < head.step && before.time < head.time)
            {
                let cause = format!("step {} does not come after step {}", head.step, before.step);
                return Err(damaged(cause));
            }
            let Ok(line_length) = u32::try_from(length) else {
                return Err(damaged(format!("the line has {length} bytes")));
            };
            states.push(IndexEntry { start, length: line_length, step: head.step, time: head.time });
            start += length as u64;
        }
    }
}

impl IndexEntry {
    /// Reads the line.
    pub(super) fn line(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.start))?;
        let mut bytes = vec![0; self.length as usize];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
