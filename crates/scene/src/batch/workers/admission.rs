//! Admission of lines to the workers: one at a time, and not too far ahead of the written results.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::batch::error::BatchError;
use crate::batch::manifest::{Lines, Manifest, ManifestLine};
use crate::batch::shard::Shard;

/// Maximum number of items ahead of the written results. A smaller window stalls the workers sooner behind one slow item, a larger one
/// costs memory for pending results.
const WINDOW: u64 = 4096;

/// Bytes of pending results from which no further item is admitted; the result that they wait for is already in work. It bounds the
/// memory that the window alone would not bound.
const WAITING_BYTES: usize = 1 << 26;

/// Lines that no worker has taken yet, and the lead of the taken ones over the written results.
pub(super) struct Admission<'a> {
    feed: Mutex<Feed<'a>>,
    advanced: Condvar,
    stop: &'a AtomicBool,
}

struct Feed<'a> {
    manifest: &'a Manifest,
    lines: Lines,
    shard: Shard,
    /// Positions that an earlier call has answered: those below `done`, and those in `answered`.
    done: u64,
    answered: BTreeSet<u64>,
    ended: bool,
    taken: u64,
    written: u64,
    waiting_bytes: usize,
}

impl<'a> Admission<'a> {
    /// Lines of a shard that are not answered yet: neither those before `done`, nor those at the positions `answered`.
    pub(super) fn new(
        (manifest, shard): (&'a Manifest, Shard),
        done: u64,
        answered: BTreeSet<u64>,
        stop: &'a AtomicBool,
    ) -> Result<Self, BatchError> {
        let lines = manifest.lines()?;
        let feed = Feed {
            manifest,
            lines,
            shard,
            done,
            answered,
            ended: false,
            taken: 0,
            written: 0,
            waiting_bytes: 0,
        };
        Ok(Self { feed: Mutex::new(feed), advanced: Condvar::new(), stop })
    }

    fn lock(&self) -> MutexGuard<'_, Feed<'a>> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Next line and its position in the shard, once the lead is small enough; none at the end.
    pub(super) fn take(&self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        let too_far_ahead = |feed: &mut Feed| {
            let ahead = feed.taken - feed.written >= WINDOW || feed.waiting_bytes >= WAITING_BYTES;
            ahead && !feed.ended && !self.stop.load(Ordering::SeqCst)
        };
        let feed = self.advanced.wait_while(self.lock(), too_far_ahead);
        let mut feed = feed.unwrap_or_else(PoisonError::into_inner);
        if feed.ended || self.stop.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let line = feed.next();
        match &line {
            Ok(Some(_)) => feed.taken += 1,
            _ => feed.ended = true,
        }
        line
    }

    /// Reports that results of `answers` taken lines were written, and that `waiting_bytes` are pending.
    pub(super) fn written(&self, answers: u64, waiting_bytes: usize) {
        let mut feed = self.lock();
        feed.written += answers;
        feed.waiting_bytes = waiting_bytes;
        self.advanced.notify_all();
    }

    /// Ends the admission of lines.
    pub(super) fn close(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // A worker that has seen the flag unset holds the lock until it waits: locking once ensures its notification.
        drop(self.lock());
        self.advanced.notify_all();
    }
}

impl Feed<'_> {
    fn next(&mut self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        loop {
            let path = self.manifest.path();
            let line = self.lines.next();
            let line = line.map_err(|source| BatchError::Manifest { path: path.to_owned(), source })?;
            let Some(line) = line else {
                // A manifest that has changed since its scan must not be completed.
                self.manifest.check(&self.lines)?;
                return Ok(None);
            };
            match self.shard.place(line.index) {
                Some(place) if place >= self.done && !self.answered.contains(&place) => {
                    return Ok(Some((place, line)));
                }
                _ => {}
            }
        }
    }
}
