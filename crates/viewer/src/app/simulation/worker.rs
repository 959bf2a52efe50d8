//! The loop of the thread that steps.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nalgebra::Point3;

use super::clock::{Clock, Pace};
use super::exchange::Exchange;
use super::{Command, Painter};
use crate::app::source::Source;
use crate::interface::{Layer, Snapshot, Wants};
use crate::overlay::Sight;
use crate::{Drawing, Models};
use extricate_dynamics::Pull;

/// Least time between snapshots while steps are taken: sixty pictures a second want no more.
const BETWEEN: Duration = Duration::from_millis(16);
/// Part of the time that snapshots may take while steps are taken.
const SHARE: u32 = 20;
/// Longest wait for a command, where nothing is to be done.
const IDLE: Duration = Duration::from_secs(1);

pub(super) struct Worker {
    source: Source,
    models: Models,
    painter: Box<dyn Painter>,
    clock: Clock,
    exchange: Arc<Exchange>,
    wants: Wants,
    pull: Option<Pull>,
    failure: Option<String>,
    /// Commands that were obeyed.
    obeyed: u64,
    started: Instant,
    /// Whether something has changed since the last snapshot, when that was, and how long it took.
    changed: bool,
    last: Instant,
    took: Duration,
}

impl Worker {
    pub(super) fn new(
        (source, models): (Source, Models),
        painter: Box<dyn Painter>,
        pace: Pace,
        exchange: Arc<Exchange>,
    ) -> Self {
        let now = Instant::now();
        Self {
            source,
            models,
            painter,
            clock: Clock::new(pace),
            exchange,
            wants: Wants::default(),
            pull: None,
            failure: None,
            obeyed: 0,
            started: now,
            changed: true,
            last: now,
            took: Duration::ZERO,
        }
    }

    /// Obeys and steps until nobody tells it anything any more.
    pub(super) fn run(mut self, orders: &Receiver<Command>) {
        self.leave();
        loop {
            match orders.recv_timeout(self.wait()) {
                Ok(command) => self.obey(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(command) = orders.try_recv() {
                self.obey(command);
            }
            self.clock.pass(self.started.elapsed());
            if self.is_due() {
                self.step();
            }
            if self.changed && (!self.is_due() || self.may_leave()) {
                self.leave();
            }
        }
    }

    fn is_due(&self) -> bool {
        self.source.step_length().is_some_and(|step| self.clock.is_due(step))
    }

    fn wait(&self) -> Duration {
        let wait = self.source.step_length().and_then(|step| self.clock.wait(step));
        wait.unwrap_or(IDLE).min(IDLE)
    }

    fn obey(&mut self, command: Command) {
        self.obeyed += 1;
        self.changed = true;
        self.clock.pass(self.started.elapsed());
        let done = match command {
            Command::Play(playing) => {
                self.clock.play(playing && self.failure.is_none());
                Ok(())
            }
            Command::Step => {
                self.clock.play(false);
                if self.failure.is_none() {
                    self.step();
                }
                Ok(())
            }
            Command::Back => {
                self.clock.play(false);
                self.source.back()
            }
            Command::Reset => self.reset(),
            Command::Seek(state) => self.source.seek(state),
            Command::Speed(speed) => {
                self.clock.set_speed(speed);
                Ok(())
            }
            Command::Advance(seconds) => {
                self.clock.advance(seconds);
                Ok(())
            }
            Command::Pace(pace) => {
                self.clock.set_pace(pace);
                Ok(())
            }
            Command::Pull(pull) => self.pull(pull),
            Command::Want(wants) => {
                self.wants = wants;
                Ok(())
            }
        };
        if let Err(error) = done {
            self.exchange.tell(error);
        }
    }

    fn reset(&mut self) -> Result<(), String> {
        self.source.reset()?;
        (self.failure, self.pull) = (None, None);
        Ok(())
    }

    fn pull(&mut self, pull: Option<Pull>) -> Result<(), String> {
        let pulled = self.source.pull(pull.clone());
        self.pull = pull.filter(|_| pulled.is_ok());
        pulled
    }

    fn step(&mut self) {
        let length = self.source.step_length().unwrap_or(0.0);
        match self.source.advance() {
            Ok(sample) => {
                if let Some(sample) = sample {
                    self.exchange.note(sample);
                }
                self.clock.stepped(length);
            }
            Err(error) => {
                self.failure = Some(error);
                self.clock.play(false);
            }
        }
        if self.source.step_length().is_none() {
            self.clock.play(false);
        }
        self.changed = true;
    }

    /// Whether there is time for a snapshot between two steps: what is painted waits until the last one was taken.
    fn may_leave(&self) -> bool {
        let paints = !self.wants.layers.is_empty() || self.wants.coloring.is_some();
        self.last.elapsed() >= BETWEEN.max(self.took * SHARE) && !(paints && self.exchange.is_full())
    }

    fn leave(&mut self) {
        let started = Instant::now();
        let snapshot = Box::new(self.snapshot());
        // Time that was asked for and is not over is not done.
        let done = if self.clock.waits_for_commands() && self.is_due() { 0 } else { self.obeyed };
        self.exchange.leave(snapshot, done);
        self.changed = false;
        self.last = Instant::now();
        self.took = self.last - started;
    }

    fn snapshot(&mut self) -> Snapshot {
        let Self { source, models, painter, wants, .. } = self;
        let (state, report) = (source.state(), source.report());
        let seen = Sight { world: source.world(), live: source.is_live(), models, state: &state };
        let paints = !wants.layers.is_empty() || wants.coloring.is_some();
        let drawing = if paints { painter.paint(&seen, wants) } else { Drawing::default() };
        let wants_contacts = wants.subject.is_some() || wants.layers.has(Layer::Contacts);
        let contacts = if seen.live && wants_contacts { source.world().contacts() } else { Vec::new() };
        let held = source.world().pulled_at().filter(|_| seen.live);
        let pull: Option<[Point3<f64>; 2]> =
            held.zip(self.pull.as_ref().map(|pull| pull.target)).map(<[_; 2]>::from);
        Snapshot {
            state,
            report,
            contacts,
            drawing,
            walk_steps: self.painter.walk_steps(),
            clock: self.clock.state(),
            pull,
            recorded: source.recorded(),
            failure: self.failure.clone(),
            obeyed: self.obeyed,
        }
    }
}
