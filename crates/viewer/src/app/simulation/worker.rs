//! Main loop of the simulation thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nalgebra::Point3;

use super::clock::{Clock, Pace};
use super::exchange::Exchange;
use super::{Command, Painter};
use crate::app::source::Source;
use crate::interface::{DisplayOptions, Layer, Snapshot};
use crate::overlay::OverlayInput;
use crate::{Drawing, Models};
use extricate_dynamics::Pull;

/// Minimum time between snapshots while steps are due: a display of 60 Hz shows no more.
const MIN_INTERVAL: Duration = Duration::from_millis(16);
/// Minimum time between snapshots over the time that the last one took: snapshots slow stepping by at most 1/20. Half of it
/// doubles that cost, twice of it halves the rate of pictures of large scenes.
const INTERVAL_OVER_COST: u32 = 20;
/// Maximum wait for a command while no step is due.
const IDLE: Duration = Duration::from_secs(1);

pub(super) struct Worker {
    source: Source,
    models: Models,
    painter: Box<dyn Painter>,
    clock: Clock,
    exchange: Arc<Exchange>,
    display: DisplayOptions,
    pull: Option<Pull>,
    failure: Option<String>,
    /// Number of executed commands.
    executed: u64,
    started: Instant,
    /// Whether something has changed since the last snapshot, when that was published, and how long it took.
    changed: bool,
    last: Instant,
    cost: Duration,
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
            display: DisplayOptions::default(),
            pull: None,
            failure: None,
            executed: 0,
            started: now,
            changed: true,
            last: now,
            cost: Duration::ZERO,
        }
    }

    /// Executes commands and steps until the sender of commands is dropped.
    pub(super) fn run(mut self, commands: &Receiver<Command>) {
        self.publish();
        loop {
            match commands.recv_timeout(self.wait()) {
                Ok(command) => self.execute(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // All waiting commands come before the next step, which may take long.
            while let Ok(command) = commands.try_recv() {
                self.execute(command);
            }
            self.clock.pass(self.started.elapsed());
            if self.is_due() {
                self.step();
            }
            if self.changed && (!self.is_due() || self.may_publish()) {
                self.publish();
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

    fn execute(&mut self, command: Command) {
        self.executed += 1;
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
            Command::Display(display) => {
                self.display = display;
                Ok(())
            }
        };
        if let Err(error) = done {
            self.exchange.push_error(error);
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
                    self.exchange.push_sample(sample);
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

    /// Whether a snapshot may be made between two steps; one with overlays waits until the last one was taken.
    fn may_publish(&self) -> bool {
        let paints = !self.display.layers.is_empty() || self.display.coloring.is_some();
        self.last.elapsed() >= MIN_INTERVAL.max(self.cost * INTERVAL_OVER_COST)
            && !(paints && self.exchange.is_full())
    }

    fn publish(&mut self) {
        let started = Instant::now();
        let snapshot = Box::new(self.snapshot());
        // Commands are complete only when the simulated time that they requested has been stepped through.
        let done = if self.clock.waits_for_commands() && self.is_due() { 0 } else { self.executed };
        self.exchange.publish(snapshot, done);
        self.changed = false;
        self.last = Instant::now();
        self.cost = self.last - started;
    }

    fn snapshot(&mut self) -> Snapshot {
        let Self { source, models, painter, display, .. } = self;
        let (state, report) = (source.state(), source.report());
        let input = OverlayInput { world: source.world(), live: source.is_live(), models, state: &state };
        let paints = !display.layers.is_empty() || display.coloring.is_some();
        let drawing = if paints { painter.paint(&input, display) } else { Drawing::default() };
        let wants_contacts = display.subject.is_some() || display.layers.has(Layer::Contacts);
        let contacts = if input.live && wants_contacts { source.world().contacts() } else { Vec::new() };
        let held = source.world().pulled_at().filter(|_| input.live);
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
            executed: self.executed,
        }
    }
}
