//! Collection of the results of the workers, which are put in order and written.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::admission::Admission;
use super::done::Done;
use crate::batch::error::BatchError;
use crate::batch::folder::{BatchFolder, Pending, ResultLine};
use crate::batch::memory::MemoryLog;
use crate::batch::progress::BatchProgress;
use crate::batch::summary::{KindTiming, Tally};

/// Interval of progress reports. Results do not depend on it.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Result that a worker hands over.
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) answer: ResultLine,
    pub(super) kind: &'static str,
    pub(super) time: Duration,
}

/// Receives the results of the workers.
pub(super) struct ResultCollector<'a> {
    handed: Mutex<Vec<Message>>,
    writer: Mutex<Writer<'a>>,
    /// Number of running workers.
    running: Mutex<usize>,
    departure: Condvar,
}

impl<'a> ResultCollector<'a> {
    pub(super) fn new(writer: Writer<'a>, workers: usize) -> Self {
        let (handed, writer) = (Mutex::default(), Mutex::new(writer));
        Self { handed, writer, running: Mutex::new(workers), departure: Condvar::new() }
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer<'a>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hand_over(&self, admission: &Admission, message: Message) {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        self.write(admission);
    }

    /// Writes the results that were handed over, unless another thread is writing: that one finds them when it is done.
    pub(super) fn write(&self, admission: &Admission) {
        loop {
            let mut writer = match self.writer.try_lock() {
                Ok(writer) => writer,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            let messages = mem::take(&mut *self.handed.lock().unwrap_or_else(PoisonError::into_inner));
            writer.write(messages, admission);
            drop(writer);
            // Another thread may have handed a result over, and found the writer locked, since the results were taken.
            if self.handed.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
        }
    }

    /// Stops all workers with an error.
    pub(super) fn fail(&self, admission: &Admission, error: BatchError) {
        self.writer().failure.get_or_insert(error);
        admission.close();
    }

    /// The writer, when all workers have left.
    pub(super) fn into_writer(self) -> Writer<'a> {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports that a worker has left.
    pub(super) fn leave(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.departure.notify_all();
    }

    /// Waits for at most [`PROGRESS_INTERVAL`]; returns whether all workers have left.
    pub(super) fn all_left(&self) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.departure.wait_timeout_while(running, PROGRESS_INTERVAL, |running| *running > 0);
        *wait.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Puts results in order and writes them.
pub(super) struct Writer<'a> {
    folder: &'a mut BatchFolder,
    tally: Tally,
    waiting: Pending,
    waiting_bytes: usize,
    items: u64,
    found: u64,
    /// Positions of results that an earlier call has left pending: no worker has taken these lines.
    recovered: BTreeSet<u64>,
    answered: u64,
    started: Instant,
    failure: Option<BatchError>,
    kinds: BTreeMap<&'static str, KindTiming>,
    memory: MemoryLog,
}

impl<'a> Writer<'a> {
    pub(super) fn new(folder: &'a mut BatchFolder, (tally, waiting): (Tally, Pending), items: u64) -> Self {
        Self {
            folder,
            waiting_bytes: waiting.values().map(|answer| answer.line.len()).sum(),
            items,
            found: tally.done + waiting.len() as u64,
            recovered: waiting.keys().copied().collect(),
            tally,
            waiting,
            answered: 0,
            started: Instant::now(),
            failure: None,
            kinds: BTreeMap::new(),
            memory: MemoryLog::new(),
        }
    }

    pub(super) fn progress(&self) -> BatchProgress {
        BatchProgress {
            items: self.items,
            done: self.found + self.answered,
            found: self.found,
            failed: self.tally.failed,
            elapsed: self.started.elapsed(),
        }
    }

    /// Writes new results, and those that are next in order.
    pub(super) fn write(&mut self, messages: Vec<Message>, admission: &Admission) {
        // After an error nothing is written: the files must remain complete up to their end.
        if self.failure.is_some() {
            return;
        }
        let mut early = BTreeSet::new();
        for Message { place, answer, kind, time } in messages {
            let timing = self.kinds.entry(kind).or_default();
            timing.items += 1;
            timing.time += time.as_secs_f64();
            self.answered += 1;
            self.waiting_bytes += answer.line.len();
            early.insert(place);
            self.waiting.insert(place, answer);
        }
        match self.write_in_order(early) {
            Ok(written) => admission.written(written, self.waiting_bytes),
            Err(error) => {
                self.failure = Some(error);
                admission.close();
            }
        }
        self.memory.sample(self.tally.done, false);
    }

    /// Writes the results that are next in order, and stores those that came before their predecessors. Returns how many lines that
    /// workers have taken are thereby written.
    fn write_in_order(&mut self, mut early: BTreeSet<u64>) -> Result<u64, BatchError> {
        let (mut results, mut failed, mut written) = (Vec::new(), Vec::new(), 0);
        while let Some(answer) = self.waiting.remove(&self.tally.done) {
            early.remove(&self.tally.done);
            written += u64::from(!self.recovered.remove(&self.tally.done));
            self.tally.add(&answer.outcome, &answer.line);
            self.waiting_bytes -= answer.line.len();
            failed.extend(answer.outcome.failed_line().unwrap_or_default());
            results.extend_from_slice(&answer.line);
        }
        if !results.is_empty() {
            self.folder.append(&results, &failed)?;
        }
        let early: Vec<u8> =
            early.iter().flat_map(|place| self.waiting[place].line.iter().copied()).collect();
        self.folder.store_pending(&early, &self.waiting)?;
        Ok(written)
    }

    pub(super) fn done(mut self) -> Result<Done, BatchError> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.memory.sample(self.tally.done, true);
        Ok(Done {
            stopped: self.tally.done < self.items,
            tally: self.tally,
            items: self.answered,
            wall: self.started.elapsed(),
            kinds: self.kinds,
            memory: self.memory.into_samples(),
        })
    }
}
