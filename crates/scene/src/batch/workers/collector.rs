//! Where workers hand answers over, and how these are put in order and written.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::admission::Admission;
use super::done::Done;
use crate::batch::error::BatchError;
use crate::batch::folder::{Answer, BatchFolder, Pending};
use crate::batch::memory::MemoryLog;
use crate::batch::progress::BatchProgress;
use crate::batch::summary::{KindTiming, Tally};

/// How long nothing may be told.
const PATIENCE: Duration = Duration::from_millis(200);

/// What a worker hands over.
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) answer: Answer,
    pub(super) kind: &'static str,
    pub(super) time: Duration,
}

/// Where answers are handed over.
pub(super) struct ResultCollector<'a> {
    handed: Mutex<Vec<Message>>,
    writer: Mutex<Writer<'a>>,
    /// Workers that are still there.
    there: Mutex<usize>,
    left: Condvar,
}

impl<'a> ResultCollector<'a> {
    pub(super) fn new(writer: Writer<'a>, workers: usize) -> Self {
        let (handed, writer) = (Mutex::default(), Mutex::new(writer));
        Self { handed, writer, there: Mutex::new(workers), left: Condvar::new() }
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer<'a>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hand_over(&self, admission: &Admission, message: Message) {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        self.write(admission);
    }

    /// Writes what was handed over, unless somebody else is at it: then that one finds it when done.
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
            if self.handed.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
        }
    }

    /// Ends all with an error.
    pub(super) fn give_up(&self, admission: &Admission, error: BatchError) {
        self.writer().failure.get_or_insert(error);
        admission.close();
    }

    /// The writer, when all workers have left.
    pub(super) fn into_writer(self) -> Writer<'a> {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells that a worker has left.
    pub(super) fn leave(&self) {
        *self.there.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.left.notify_all();
    }

    /// Whether all workers have left, soon.
    pub(super) fn is_left(&self) -> bool {
        let there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.left.wait_timeout_while(there, PATIENCE, |there| *there > 0);
        *wait.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Puts answers in order and writes them.
pub(super) struct Writer<'a> {
    folder: &'a mut BatchFolder,
    tally: Tally,
    waiting: Pending,
    waiting_bytes: usize,
    items: u64,
    found: u64,
    /// Places of answers that an earlier call has left waiting: nobody took these.
    left: BTreeSet<u64>,
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
            left: waiting.keys().copied().collect(),
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

    /// Writes what has come and what has its turn with it.
    pub(super) fn write(&mut self, messages: Vec<Message>, admission: &Admission) {
        // Behind an error nothing is written: what is there must stay whole.
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
        match self.write_turns(early) {
            Ok(written) => admission.written(written, self.waiting_bytes),
            Err(error) => {
                self.failure = Some(error);
                admission.close();
            }
        }
        self.memory.look(self.tally.done, false);
    }

    /// Writes the answers whose turn it is, and keeps those that came before theirs. Returns how many lines that were taken are
    /// done with.
    fn write_turns(&mut self, mut early: BTreeSet<u64>) -> Result<u64, BatchError> {
        let (mut results, mut failed, mut written) = (Vec::new(), Vec::new(), 0);
        while let Some(answer) = self.waiting.remove(&self.tally.done) {
            early.remove(&self.tally.done);
            written += u64::from(!self.left.remove(&self.tally.done));
            self.tally.add(&answer.facts, &answer.line);
            self.waiting_bytes -= answer.line.len();
            failed.extend(answer.facts.failed_line().unwrap_or_default());
            results.extend_from_slice(&answer.line);
        }
        if !results.is_empty() {
            self.folder.append(&results, &failed)?;
        }
        let early: Vec<u8> =
            early.iter().flat_map(|place| self.waiting[place].line.iter().copied()).collect();
        self.folder.keep(&early, &self.waiting)?;
        Ok(written)
    }

    pub(super) fn done(mut self) -> Result<Done, BatchError> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.memory.look(self.tally.done, true);
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
