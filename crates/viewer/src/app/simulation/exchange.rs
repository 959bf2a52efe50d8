//! Exchange of results between the simulation thread and its readers: locked only while data is moved in or out.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interface::{Sample, Snapshot};

#[derive(Debug, Default)]
pub(super) struct Exchange {
    outbox: Mutex<Outbox>,
    /// Notified when something was published.
    published: Condvar,
}

#[derive(Debug, Default)]
struct Outbox {
    newest: Option<Box<Snapshot>>,
    samples: Vec<Sample>,
    /// Number of commands that are complete, with all the time that they requested; `None` before the first snapshot.
    done: Option<u64>,
    /// Errors of commands that have not been taken.
    errors: Vec<String>,
    /// Panic message of the thread, if it has ended so.
    ended: Option<String>,
}

impl Exchange {
    /// Nothing panics while holding the lock, so that a poisoned lock still guards consistent data.
    fn lock(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a snapshot in place of one that was not taken.
    pub(super) fn publish(&self, snapshot: Box<Snapshot>, done: u64) {
        let before = {
            let mut outbox = self.lock();
            outbox.done = outbox.done.max(Some(done));
            outbox.newest.replace(snapshot)
        };
        self.published.notify_all();
        // Freed outside the lock.
        drop(before);
    }

    /// Adds the sample of a step; the oldest are dropped if nobody takes them.
    pub(super) fn push_sample(&self, sample: Sample) {
        let mut outbox = self.lock();
        if outbox.samples.len() >= 2 * Sample::HISTORY_LENGTH {
            outbox.samples.drain(..Sample::HISTORY_LENGTH);
        }
        outbox.samples.push(sample);
    }

    /// Adds the error of a command.
    pub(super) fn push_error(&self, error: String) {
        self.lock().errors.push(error);
    }

    pub(super) fn errors(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().errors)
    }

    pub(super) fn end(&self, reason: String) {
        self.lock().ended = Some(reason);
        self.published.notify_all();
    }

    /// Whether the last snapshot has not been taken yet.
    pub(super) fn is_full(&self) -> bool {
        self.lock().newest.is_some()
    }

    pub(super) fn take(&self) -> Option<Box<Snapshot>> {
        self.lock().newest.take()
    }

    pub(super) fn samples(&self) -> Vec<Sample> {
        std::mem::take(&mut self.lock().samples)
    }

    pub(super) fn ended(&self) -> Option<String> {
        self.lock().ended.clone()
    }

    /// Waits until this many commands are complete; returns the snapshot after them, unless it was taken.
    pub(super) fn settled(&self, commands: u64, limit: Duration) -> Result<Option<Box<Snapshot>>, String> {
        let until = Instant::now() + limit;
        let mut outbox = self.lock();
        loop {
            if let Some(reason) = &outbox.ended {
                return Err(reason.clone());
            }
            if outbox.done.is_some_and(|done| done >= commands) {
                return Ok(outbox.newest.take());
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Err(format!("timed out after {} s", limit.as_secs()));
            }
            (outbox, _) = self.published.wait_timeout(outbox, rest).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
