//! The folder of a batch: `batch.json`, `results.jsonl`, `failed.jsonl`, `summary.json`, `timing.json` and `runs/`.
//!
//! `results.jsonl` is authoritative: all other files follow from it. Its lines are in the order of the manifest.
//! Results that are finished before their predecessors are stored in `pending.jsonl` until these are written, so that a kill loses none
//! of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::BatchError;
use super::summary::{BatchFile, BatchSummary, ItemOutcome, Tally};
use crate::disk::{self, part_of};

/// Name of the file of all results.
pub(super) const RESULTS: &str = "results.jsonl";
/// Name of the file of the failures.
pub(super) const FAILED: &str = "failed.jsonl";
/// Name of the file of results whose predecessors are not written yet.
const PENDING: &str = "pending.jsonl";
/// Name of the file that only a complete batch has.
pub(super) const SUMMARY: &str = "summary.json";
/// Name of the file of timings.
pub(super) const TIMING: &str = "timing.json";
/// Name of the folder of the runs.
pub(super) const RUNS: &str = "runs";

/// Length of `pending.jsonl` beyond which it is rewritten with the results that are still pending [bytes]. A smaller length rewrites
/// the file more often, a larger one leaves a longer file to be read on resuming.
const LONG_PENDING: u64 = 1 << 26;

/// Length of `pending.jsonl` beyond which it is truncated where nothing is pending [bytes]: results that are written already do no
/// harm there, and truncating a file costs as much as writing many results.
const STALE_PENDING: u64 = 1 << 20;

/// Result of an item as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultLine {
    pub(super) outcome: ItemOutcome,
    pub(super) line: Vec<u8>,
}

/// Pending results, by their position in the order of the shard.
pub(super) type Pending = BTreeMap<u64, ResultLine>;

/// The folder of a batch that is being processed.
#[derive(Debug)]
pub(super) struct BatchFolder {
    folder: PathBuf,
    results: File,
    failed: File,
    pending: File,
    pending_bytes: u64,
}

/// An opened folder, with the progress of its batch.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) folder: BatchFolder,
    pub(super) tally: Tally,
    pub(super) pending: Pending,
}

impl BatchFolder {
    /// Creates the folder of a batch, or opens it to be resumed: a partially written line at the end of the results is cut off.
    pub(super) fn open(folder: &Path, file: &BatchFile, resume: bool) -> Result<Opened, BatchError> {
        fs::create_dir_all(folder).map_err(BatchError::write(folder))?;
        let own = folder.join(BatchFile::FILE);
        if own.exists() {
            if !resume {
                return Err(BatchError::Occupied { folder: folder.to_owned() });
            }
            if let Some((what, found, wanted)) = read_batch_file(folder)?.difference(file) {
                return Err(BatchError::Other { folder: folder.to_owned(), what, found, wanted });
            }
        } else if [RESULTS, FAILED, SUMMARY].iter().any(|name| folder.join(name).exists()) {
            return Err(BatchError::Occupied { folder: folder.to_owned() });
        } else {
            write_json(&own, file)?;
        }
        let results = appended(&folder.join(RESULTS))?;
        // File systems without locks report other errors; the batch then runs without a lock.
        if let Err(TryLockError::WouldBlock) = results.try_lock() {
            return Err(BatchError::Busy { folder: folder.to_owned() });
        }
        // What follows the last whole line in order is dropped: a kill may leave a part of a line.
        let (tally, whole) = recovered(folder, file)?;
        results.set_len(whole).map_err(BatchError::write(&folder.join(RESULTS)))?;
        let pending = read_pending(&folder.join(PENDING), file, tally.done)?;
        let failed = appended(&folder.join(FAILED))?;
        let (path, pending_file) = (folder.join(PENDING), appended(&folder.join(PENDING))?);
        let mut opened =
            Self { folder: folder.to_owned(), results, failed, pending: pending_file, pending_bytes: 0 };
        opened.rewrite_pending(&pending).map_err(BatchError::write(&path))?;
        Ok(Opened { folder: opened, tally, pending })
    }

    /// Appends results that are next in order, and then their failures.
    pub(super) fn append(&mut self, results: &[u8], failed: &[u8]) -> Result<(), BatchError> {
        let path = |name| self.folder.join(name);
        self.results.write_all(results).map_err(BatchError::write(&path(RESULTS)))?;
        self.failed.write_all(failed).map_err(BatchError::write(&path(FAILED)))
    }

    /// Stores results whose predecessors are missing; `all` are those that are pending.
    pub(super) fn store_pending(&mut self, lines: &[u8], all: &Pending) -> Result<(), BatchError> {
        let path = self.folder.join(PENDING);
        let written = match () {
            () if self.pending_bytes > STALE_PENDING && all.is_empty() => {
                self.pending_bytes = 0;
                self.pending.set_len(0)
            }
            () if self.pending_bytes > LONG_PENDING => self.rewrite_pending(all),
            () if lines.is_empty() => Ok(()),
            () => {
                self.pending_bytes += lines.len() as u64;
                self.pending.write_all(lines)
            }
        };
        written.map_err(BatchError::write(&path))
    }

    fn rewrite_pending(&mut self, all: &Pending) -> io::Result<()> {
        let path = self.folder.join(PENDING);
        let lines: Vec<u8> = all.values().flat_map(|answer| answer.line.iter().copied()).collect();
        disk::write_whole(&path, &lines)?;
        self.pending = OpenOptions::new().append(true).open(&path)?;
        self.pending_bytes = lines.len() as u64;
        Ok(())
    }

    /// Folder of the runs.
    pub(super) fn runs(&self) -> PathBuf {
        self.folder.join(RUNS)
    }

    /// Writes the timing.
    pub(super) fn write_timing(&self, timing: &impl Serialize) -> Result<(), BatchError> {
        write_json(&self.folder.join(TIMING), timing)
    }

    /// Writes the summary, which makes the batch complete.
    pub(super) fn complete(self, summary: &BatchSummary) -> Result<(), BatchError> {
        let path = self.folder.join(RESULTS);
        // The results reach the disk before the summary that declares them complete.
        self.results.sync_all().map_err(BatchError::write(&path))?;
        let pending = self.folder.join(PENDING);
        fs::remove_file(&pending).map_err(BatchError::write(&pending))?;
        write_json(&self.folder.join(SUMMARY), summary)
    }
}

/// Reads `batch.json` of a folder.
pub(super) fn read_batch_file(folder: &Path) -> Result<BatchFile, BatchError> {
    let path = folder.join(BatchFile::FILE);
    let text = fs::read(&path).map_err(BatchError::read(&path))?;
    serde_json::from_slice(&text)
        .map_err(|error| BatchError::Damaged { path, why: format!("not a batch file: {error}") })
}

/// Writes a value as JSON, atomically.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), BatchError> {
    disk::write_json(path, value).map_err(BatchError::write(path))
}

fn appended(path: &Path) -> Result<File, BatchError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(BatchError::write(path))
}

/// Outcome of a line of results; none where the line is torn or not a result.
pub(super) fn outcome_of(line: &[u8]) -> Option<ItemOutcome> {
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}

/// Counts the results that are complete and in order, and rewrites the file of their failures. Returns the length of these results
/// [bytes].
fn recovered(folder: &Path, file: &BatchFile) -> Result<(Tally, u64), BatchError> {
    let (path, failed) = (folder.join(RESULTS), folder.join(FAILED));
    let mut lines = BufReader::new(File::open(&path).map_err(BatchError::read(&path))?);
    // A kill may leave the failures behind the results: they are derived from these anew.
    let part = part_of(&failed);
    let mut failures = BufWriter::new(File::create(&part).map_err(BatchError::write(&failed))?);
    let (mut tally, mut whole, mut line) = (Tally::default(), 0, Vec::new());
    while tally.done < file.items {
        line.clear();
        let read = lines.read_until(b'\n', &mut line).map_err(BatchError::read(&path))?;
        let next = file.shard.item(tally.done);
        let Some(outcome) = outcome_of(&line).filter(|outcome| outcome.index == next) else { break };
        tally.add(&outcome, &line);
        whole += read as u64;
        let failure = outcome.failed_line().unwrap_or_default();
        failures.write_all(&failure).map_err(BatchError::write(&failed))?;
    }
    let written = failures.flush().and_then(|()| fs::rename(&part, &failed));
    written.map_err(BatchError::write(&failed))?;
    Ok((tally, whole))
}

/// Pending results that an earlier call has left.
fn read_pending(path: &Path, file: &BatchFile, done: u64) -> Result<Pending, BatchError> {
    let lines = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Pending::new()),
        file => BufReader::new(file.map_err(BatchError::read(path))?),
    };
    let mut pending = Pending::new();
    for line in lines.split(b'\n') {
        let mut line = line.map_err(BatchError::read(path))?;
        line.push(b'\n');
        // Torn lines are skipped, and so are results that have been written to `results.jsonl` since.
        let Some(outcome) = outcome_of(&line) else { continue };
        let place = file.shard.place(outcome.index).filter(|place| (done..file.items).contains(place));
        if let Some(place) = place {
            pending.insert(place, ResultLine { outcome, line });
        }
    }
    Ok(pending)
}
