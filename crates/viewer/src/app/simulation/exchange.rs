//! Exchange of results between the simulation thread and its readers: locked only while data is moved in or out.

use std::any::Any;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interface::{LayerDrawing, Sample, Snapshot};

/// Maximum time for which a snapshot is withheld until its layers are finished. Longer shows costly layers with the state that
/// they belong to, and fewer states.
const PATIENCE: Duration = Duration::from_millis(50);

/// News of a simulation.
#[derive(Debug, Default)]
pub struct Update {
    /// The newest snapshot.
    pub snapshot: Option<Box<Snapshot>>,
    /// The newest finished layers.
    pub layers: Option<Box<LayerDrawing>>,
}

#[derive(Debug, Default)]
pub(super) struct Exchange {
    outbox: Mutex<Outbox>,
    /// Notified when something was published.
    published: Condvar,
}

#[derive(Debug, Default)]
struct Outbox {
    newest: Option<Box<Snapshot>>,
    /// Time since which there is one to be taken.
    since: Option<Instant>,
    /// The newest layers, until they are taken.
    layers: Option<Box<LayerDrawing>>,
    /// Number of the last finished layers, and how long they took.
    finished: u64,
    paint_time: Duration,
    samples: Vec<Sample>,
    /// Number of commands that are complete, with all the time that they requested; `None` before the first snapshot.
    done: Option<u64>,
    /// Number of the layers of the first snapshot after them, zero if it has none.
    layers_done: u64,
    /// Errors of commands that have not been taken.
    errors: Vec<String>,
    /// Panic message of a thread, if one has ended so.
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
            if Some(done) > outbox.done {
                (outbox.done, outbox.layers_done) = (Some(done), layers_of(&snapshot));
            }
            // A snapshot in place of another one that waits does not wait anew.
            if outbox.newest.is_none() {
                outbox.since = Some(Instant::now());
            }
            outbox.newest.replace(snapshot)
        };
        self.published.notify_all();
        // Freed outside the lock.
        drop(before);
    }

    /// Publishes finished layers in place of those that were not taken.
    pub(super) fn push_layers(&self, layers: Box<LayerDrawing>, took: Duration) {
        let before = {
            let mut outbox = self.lock();
            (outbox.finished, outbox.paint_time) = (layers.of.number, took);
            outbox.layers.replace(layers)
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

    /// Reports that a thread has panicked.
    pub(super) fn end_with(&self, thread: &str, panic: &(dyn Any + Send)) {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        self.lock().ended = Some(format!("internal error: the thread of the {thread} panicked: {message}"));
        self.published.notify_all();
    }

    /// Whether the last snapshot has not been taken yet.
    pub(super) fn is_full(&self) -> bool {
        self.lock().newest.is_some()
    }

    pub(super) fn take(&self) -> Update {
        let mut outbox = self.lock();
        let withheld = outbox.waits_for_layers();
        let snapshot = if withheld { None } else { outbox.newest.take() };
        Update { snapshot, layers: outbox.layers.take() }
    }

    pub(super) fn samples(&self) -> Vec<Sample> {
        std::mem::take(&mut self.lock().samples)
    }

    pub(super) fn ended(&self) -> Option<String> {
        self.lock().ended.clone()
    }

    /// Waits until this many commands are complete, and until their layers are finished if requested; returns the snapshot
    /// after them, unless it was taken.
    pub(super) fn wait(
        &self,
        commands: u64,
        with_layers: bool,
        limit: Duration,
    ) -> Result<Option<Box<Snapshot>>, String> {
        let until = Instant::now() + limit;
        let mut outbox = self.lock();
        loop {
            if let Some(reason) = &outbox.ended {
                return Err(reason.clone());
            }
            let has_layers = !with_layers || outbox.finished >= outbox.layers_done;
            if has_layers && outbox.done.is_some_and(|done| done >= commands) {
                return Ok(outbox.joined());
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Err(format!("timed out after {} s", limit.as_secs()));
            }
            (outbox, _) = self.published.wait_timeout(outbox, rest).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Outbox {
    /// Whether the newest snapshot waits for its layers: it is young, and the last ones took little time.
    fn waits_for_layers(&self) -> bool {
        let wanted = self.newest.as_deref().map_or(0, layers_of);
        let is_young = self.since.is_some_and(|since| since.elapsed() < PATIENCE);
        wanted > self.finished && self.paint_time <= PATIENCE && is_young
    }

    /// The newest snapshot with the newest layers, which stay here if the snapshot was taken.
    fn joined(&mut self) -> Option<Box<Snapshot>> {
        let mut snapshot = self.newest.take()?;
        if let Some(layers) = self.layers.take() {
            snapshot.show_layers(*layers);
        }
        Some(snapshot)
    }
}

/// Number of the layers of a snapshot, zero if it has none.
fn layers_of(snapshot: &Snapshot) -> u64 {
    snapshot.wanted.map_or(0, |layers| layers.number)
}
