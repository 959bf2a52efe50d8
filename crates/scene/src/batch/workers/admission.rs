//! Where workers take lines, one at a time and not too far ahead of what is written.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::batch::error::BatchError;
use crate::batch::manifest::{Lines, Manifest, ManifestLine};
use crate::batch::shard::Shard;

/// Items that may be ahead of what is written: what one item may take longer than the others.
const WINDOW: u64 = 4096;

/// Bytes of answers that may wait for their turn; the answer that they wait for still comes.
const WAITING_BYTES: usize = 1 << 26;

/// Lines that nobody has taken yet, and how far those who took some are ahead.
pub(super) struct Admission<'a> {
    feed: Mutex<Feed<'a>>,
    moved: Condvar,
    stop: &'a AtomicBool,
}

struct Feed<'a> {
    manifest: &'a Manifest,
    lines: Lines,
    shard: Shard,
    /// Places that an earlier call has answered: those below, and these.
    done: u64,
    answered: BTreeSet<u64>,
    ended: bool,
    taken: u64,
    written: u64,
    waiting_bytes: usize,
}

impl<'a> Admission<'a> {
    /// The lines of a shard that are not answered yet: neither those before `done`, nor those at the places `answered`.
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
        Ok(Self { feed: Mutex::new(feed), moved: Condvar::new(), stop })
    }

    fn lock(&self) -> MutexGuard<'_, Feed<'a>> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line and its place in the shard, as soon as it is not too far ahead; none at the end.
    pub(super) fn take(&self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        let far = |feed: &mut Feed| {
            let ahead = feed.taken - feed.written >= WINDOW || feed.waiting_bytes >= WAITING_BYTES;
            ahead && !feed.ended && !self.stop.load(Ordering::SeqCst)
        };
        let feed = self.moved.wait_while(self.lock(), far);
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

    /// Tells that so many answers to lines that were taken were written, and how many bytes wait.
    pub(super) fn written(&self, answers: u64, waiting_bytes: usize) {
        let mut feed = self.lock();
        feed.written += answers;
        feed.waiting_bytes = waiting_bytes;
        self.moved.notify_all();
    }

    /// Lets nobody take any more.
    pub(super) fn close(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Whoever is about to wait holds the lock, and is woken once it does.
        drop(self.lock());
        self.moved.notify_all();
    }
}

impl Feed<'_> {
    fn next(&mut self) -> Result<Option<(u64, ManifestLine)>, BatchError> {
        loop {
            let path = self.manifest.path();
            let line = self.lines.next();
            let line = line.map_err(|source| BatchError::Manifest { path: path.to_owned(), source })?;
            let Some(line) = line else {
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
