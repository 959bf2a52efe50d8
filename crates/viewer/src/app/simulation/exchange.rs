//! Where the thread that steps leaves what others take: locked only while something is put there or taken.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interface::{Sample, Snapshot};

#[derive(Debug, Default)]
pub(super) struct Exchange {
    left: Mutex<Left>,
    /// Told when something was left.
    news: Condvar,
}

#[derive(Debug, Default)]
struct Left {
    newest: Option<Box<Snapshot>>,
    samples: Vec<Sample>,
    /// Commands that are done, with all the time that they asked for; none before the first snapshot.
    done: Option<u64>,
    /// What went wrong with commands.
    told: Vec<String>,
    ended: Option<String>,
}

impl Exchange {
    /// Nothing under the lock can panic, so that what is behind it is whole.
    fn lock(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a snapshot in place of one that nobody took.
    pub(super) fn leave(&self, snapshot: Box<Snapshot>, done: u64) {
        let before = {
            let mut left = self.lock();
            left.done = left.done.max(Some(done));
            left.newest.replace(snapshot)
        };
        self.news.notify_all();
        // Freed outside the lock.
        drop(before);
    }

    /// Leaves the numbers of a step; the oldest are dropped where nobody takes them.
    pub(super) fn note(&self, sample: Sample) {
        let mut left = self.lock();
        if left.samples.len() >= 2 * Sample::KEPT {
            left.samples.drain(..Sample::KEPT);
        }
        left.samples.push(sample);
    }

    /// Leaves word of what went wrong with a command.
    pub(super) fn tell(&self, error: String) {
        self.lock().told.push(error);
    }

    pub(super) fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().told)
    }

    pub(super) fn end(&self, why: String) {
        self.lock().ended = Some(why);
        self.news.notify_all();
    }

    /// Whether nobody has taken the last snapshot yet.
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

    /// Waits until so many commands are done: the snapshot after them, unless it was taken.
    pub(super) fn settled(&self, commands: u64, limit: Duration) -> Result<Option<Box<Snapshot>>, String> {
        let until = Instant::now() + limit;
        let mut left = self.lock();
        loop {
            if let Some(why) = &left.ended {
                return Err(why.clone());
            }
            if left.done.is_some_and(|done| done >= commands) {
                return Ok(left.newest.take());
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Err(format!("it takes longer than {} s", limit.as_secs()));
            }
            (left, _) = self.news.wait_timeout(left, rest).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
