//! A thread of its own for what is stepped: told what to do by commands, it leaves snapshots where whoever draws finds the
//! newest one. No lock is held while it steps or while somebody draws, so that neither waits for the other.

mod clock;
mod command;
mod exchange;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

pub use clock::{Pace, SPEEDS};
pub use command::{Command, Painter};

use self::exchange::Exchange;
use self::worker::Worker;
use super::source::Source;
use crate::Models;
use crate::interface::{Sample, Snapshot};

/// A source that is stepped on a thread of its own. The thread ends when this is dropped, after the step it is in.
pub struct Simulation {
    commands: Sender<Command>,
    exchange: Arc<Exchange>,
    sent: u64,
}

impl Simulation {
    /// Starts a thread with a source, paused.
    #[must_use]
    pub fn start(source: Source, models: Models, painter: Box<dyn Painter>, pace: Pace) -> Self {
        let (commands, orders) = channel();
        let exchange = Arc::new(Exchange::default());
        let worker = Worker::new((source, models), painter, pace, Arc::clone(&exchange));
        let left = Arc::clone(&exchange);
        // Nobody waits for its end: it owns all it needs, and a step may take long.
        std::thread::spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| worker.run(&orders)));
            if let Err(panic) = ended {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said =
                    said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
                left.end(format!("the simulation broke, which is a defect of this program: {said}"));
            }
        });
        Self { commands, exchange, sent: 0 }
    }

    /// Tells it something.
    pub fn send(&mut self, command: Command) {
        self.sent += 1;
        // A thread that has ended says why in `ended`.
        let _ = self.commands.send(command);
    }

    /// Number of commands that it was sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The newest snapshot, if there is one that was not taken yet.
    #[must_use]
    pub fn take(&self) -> Option<Box<Snapshot>> {
        self.exchange.take()
    }

    /// The numbers of all steps since the last call.
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        self.exchange.samples()
    }

    /// What went wrong with commands since the last call.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        self.exchange.told()
    }

    /// Why it ended, if it did.
    #[must_use]
    pub fn ended(&self) -> Option<String> {
        self.exchange.ended()
    }

    /// Waits until all it was told is done, and the time that was asked for has passed: the snapshot after it, unless it
    /// was taken.
    ///
    /// # Errors
    /// Why it has ended, or that it takes longer than the limit.
    pub fn settled(&self, limit: Duration) -> Result<Option<Box<Snapshot>>, String> {
        self.exchange.settled(self.sent, limit)
    }
}

#[cfg(test)]
mod tests;
