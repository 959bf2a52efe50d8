//! The simulation thread: it executes commands and publishes snapshots, of which readers take the newest. No lock is held
//! while it steps or while a picture is drawn, so that neither waits for the other. The layers of the newest snapshot are drawn
//! on a further thread.

mod clock;
mod command;
mod exchange;
mod painting;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

pub use clock::{Pace, SPEEDS};
pub use command::{Command, Painter};
pub use exchange::Update;

use self::exchange::Exchange;
use self::worker::Worker;
use super::source::Source;
use crate::Models;
use crate::interface::{Sample, Snapshot};

/// A source that is stepped on a thread of its own. The thread ends after its current step when this is dropped.
pub struct Simulation {
    commands: Sender<Command>,
    exchange: Arc<Exchange>,
    sent: u64,
}

impl Simulation {
    /// Starts the thread of a source, paused.
    #[must_use]
    pub fn start(source: Source, models: Models, painter: Box<dyn Painter>, pace: Pace) -> Self {
        let (commands, received) = channel();
        let exchange = Arc::new(Exchange::default());
        let worker = Worker::new((source, models), painter, pace, Arc::clone(&exchange));
        let outbox = Arc::clone(&exchange);
        // Never joined: the thread owns all it needs, and a step may take long.
        std::thread::spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| worker.run(&received)));
            if let Err(panic) = ended {
                outbox.end_with("simulation", &*panic);
            }
        });
        Self { commands, exchange, sent: 0 }
    }

    /// Sends a command.
    pub fn send(&mut self, command: Command) {
        self.sent += 1;
        // Fails only if the thread has panicked, which `ended` reports.
        let _ = self.commands.send(command);
    }

    /// Number of commands sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Takes the newest snapshot and the newest layers, as far as they were not taken yet. A snapshot is withheld for a moment if
    /// its layers will be finished then.
    #[must_use]
    pub fn take(&self) -> Update {
        self.exchange.take()
    }

    /// Takes the samples of all steps since the last call.
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        self.exchange.samples()
    }

    /// Takes the errors of commands since the last call.
    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        self.exchange.errors()
    }

    /// Panic message of a thread, if one has ended.
    #[must_use]
    pub fn ended(&self) -> Option<String> {
        self.exchange.ended()
    }

    /// Waits until all commands are complete, including the time that they requested; returns the snapshot after them, unless
    /// it was taken. Its layers may not be finished.
    ///
    /// # Errors
    /// A message for the user when a thread has ended or the limit is exceeded.
    pub fn executed(&self, limit: Duration) -> Result<Option<Box<Snapshot>>, String> {
        self.exchange.wait(self.sent, false, limit)
    }

    /// The same, with the layers after the commands.
    ///
    /// # Errors
    /// A message for the user when a thread has ended or the limit is exceeded.
    pub fn settled(&self, limit: Duration) -> Result<Option<Box<Snapshot>>, String> {
        self.exchange.wait(self.sent, true, limit)
    }
}

#[cfg(test)]
mod tests;
