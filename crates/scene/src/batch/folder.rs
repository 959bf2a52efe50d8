//! The folder of a batch: `batch.json`, `results.jsonl`, `failed.jsonl`, `summary.json`, `timing.json` and `runs/`.
//!
//! `results.jsonl` is the truth: whatever else there is follows from it. Its lines stand in the order of the manifest.
//! Answers that were there before their turn stand in `pending.jsonl` until it is, so that a kill loses none of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::BatchError;
use super::summary::{BatchFile, BatchSummary, Facts, Tally};
use crate::disk::{self, part_of};

/// Name of the file of all answers.
pub(super) const RESULTS: &str = "results.jsonl";
/// Name of the file of the failures.
pub(super) const FAILED: &str = "failed.jsonl";
/// Name of the file of answers before their turn.
const PENDING: &str = "pending.jsonl";
/// Name of the file that a complete batch has.
pub(super) const SUMMARY: &str = "summary.json";
/// Name of the file of times.
pub(super) const TIMING: &str = "timing.json";
/// Name of the folder of the runs.
pub(super) const RUNS: &str = "runs";

/// Length of `pending.jsonl` beyond which it is written anew with what is still pending [bytes].
const LONG_PENDING: u64 = 1 << 26;

/// Length of `pending.jsonl` beyond which it is emptied where nothing is pending [bytes]: what had its turn does no harm there, and
/// to cut a file costs as much as to write many answers.
const STALE_PENDING: u64 = 1 << 20;

/// An answer as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) facts: Facts,
    pub(super) line: Vec<u8>,
}

/// Answers before their turn, by their place in the order of the shard.
pub(super) type Pending = BTreeMap<u64, Answer>;

/// The folder of a batch that is being answered.
#[derive(Debug)]
pub(super) struct BatchFolder {
    folder: PathBuf,
    results: File,
    failed: File,
    pending: File,
    pending_bytes: u64,
}

/// A folder, and what of the batch is done.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) folder: BatchFolder,
    pub(super) tally: Tally,
    pub(super) pending: Pending,
}

impl BatchFolder {
    /// Makes the folder of a batch, or opens it to go on: what is torn at the end of the results is cut off.
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
        // A file system without locks has none to offer.
        if let Err(TryLockError::WouldBlock) = results.try_lock() {
            return Err(BatchError::Busy { folder: folder.to_owned() });
        }
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

    /// Appends answers whose turn it is, and then their failures.
    pub(super) fn append(&mut self, results: &[u8], failed: &[u8]) -> Result<(), BatchError> {
        let path = |name| self.folder.join(name);
        self.results.write_all(results).map_err(BatchError::write(&path(RESULTS)))?;
        self.failed.write_all(failed).map_err(BatchError::write(&path(FAILED)))
    }

    /// Keeps answers whose turn it is not yet; `all` are those that wait.
    pub(super) fn keep(&mut self, lines: &[u8], all: &Pending) -> Result<(), BatchError> {
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

    /// Writes how long it took.
    pub(super) fn time(&self, timing: &impl Serialize) -> Result<(), BatchError> {
        write_json(&self.folder.join(TIMING), timing)
    }

    /// Writes the summary, which makes the batch complete.
    pub(super) fn complete(self, summary: &BatchSummary) -> Result<(), BatchError> {
        let path = self.folder.join(RESULTS);
        self.results.sync_all().map_err(BatchError::write(&path))?;
        let pending = self.folder.join(PENDING);
        fs::remove_file(&pending).map_err(BatchError::write(&pending))?;
        write_json(&self.folder.join(SUMMARY), summary)
    }
}

/// What a folder says that it is of.
pub(super) fn read_batch_file(folder: &Path) -> Result<BatchFile, BatchError> {
    let path = folder.join(BatchFile::FILE);
    let text = fs::read(&path).map_err(BatchError::read(&path))?;
    serde_json::from_slice(&text)
        .map_err(|error| BatchError::Damaged { path, why: format!("tells of no batch: {error}") })
}

/// Writes a value as JSON; the file is never there in part.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), BatchError> {
    disk::write_json(path, value).map_err(BatchError::write(path))
}

fn appended(path: &Path) -> Result<File, BatchError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(BatchError::write(path))
}

/// A line of results: its facts, if it is whole and a line of results.
pub(super) fn facts_of(line: &[u8]) -> Option<Facts> {
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}

/// Counts the results that are whole and in order, and writes their failures anew. Returns the length of these results.
fn recovered(folder: &Path, file: &BatchFile) -> Result<(Tally, u64), BatchError> {
    let (path, failed) = (folder.join(RESULTS), folder.join(FAILED));
    let mut lines = BufReader::new(File::open(&path).map_err(BatchError::read(&path))?);
    let part = part_of(&failed);
    let mut failures = BufWriter::new(File::create(&part).map_err(BatchError::write(&failed))?);
    let (mut tally, mut whole, mut line) = (Tally::default(), 0, Vec::new());
    while tally.done < file.items {
        line.clear();
        let read = lines.read_until(b'\n', &mut line).map_err(BatchError::read(&path))?;
        let next = file.shard.item(tally.done);
        let Some(facts) = facts_of(&line).filter(|facts| facts.index == next) else { break };
        tally.add(&facts, &line);
        whole += read as u64;
        let failure = facts.failed_line().unwrap_or_default();
        failures.write_all(&failure).map_err(BatchError::write(&failed))?;
    }
    let written = failures.flush().and_then(|()| fs::rename(&part, &failed));
    written.map_err(BatchError::write(&failed))?;
    Ok((tally, whole))
}

/// Answers before their turn that an earlier call has left.
fn read_pending(path: &Path, file: &BatchFile, done: u64) -> Result<Pending, BatchError> {
    let lines = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Pending::new()),
        file => BufReader::new(file.map_err(BatchError::read(path))?),
    };
    let mut pending = Pending::new();
    for line in lines.split(b'\n') {
        let mut line = line.map_err(BatchError::read(path))?;
        line.push(b'\n');
        let Some(facts) = facts_of(&line) else { continue };
        let place = file.shard.place(facts.index).filter(|place| (done..file.items).contains(place));
        if let Some(place) = place {
            pending.insert(place, Answer { facts, line });
        }
    }
    Ok(pending)
}
