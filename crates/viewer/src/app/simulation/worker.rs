//! Main loop of the simulation thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nalgebra::Point3;

use super::clock::{Clock, Pace};
use super::exchange::Exchange;
use super::painting::{PaintJob, PaintThread};
use super::{Command, Painter};
use crate::app::source::Source;
use crate::interface::{DisplayOptions, Layer, LayersOf, Snapshot};
use crate::overlay::SceneShapes;
use crate::soft_quantity::SoftQuantity;
use crate::{Drawing, Models};
use extricate_dynamics::{Pull, WorldContact};
use extricate_scene::record::WorldState;

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
    painting: PaintThread,
    clock: Clock,
    exchange: Arc<Exchange>,
    display: DisplayOptions,
    pull: Option<Pull>,
    failure: Option<String>,
    /// Number of executed commands, of jumps in time, and of ordered layers.
    executed: u64,
    jumps: u64,
    ordered: u64,
    /// Number of commands that were executed before the last snapshot.
    answered: u64,
    /// Last error of reading contacts, which is reported once.
    no_contacts: Option<String>,
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
        let shapes = SceneShapes::of(source.world(), &models);
        let painting = PaintThread::start(painter, (shapes, models.clone()), Arc::clone(&exchange));
        Self {
            source,
            models,
            painting,
            clock: Clock::new(pace),
            exchange,
            display: DisplayOptions::default(),
            pull: None,
            failure: None,
            executed: 0,
            answered: 0,
            jumps: 0,
            ordered: 0,
            no_contacts: None,
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
            if self.changed && self.is_to_publish() {
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
                self.jumps += 1;
                self.source.back()
            }
            Command::Reset => self.reset(),
            Command::Seek(state) => {
                self.jumps += 1;
                self.source.seek(state)
            }
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
        self.jumps += 1;
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

    /// Whether a snapshot is made now: where no step will come, where commands are answered, and at intervals while steps come.
    fn is_to_publish(&self) -> bool {
        let comes = self.source.step_length().and_then(|step| self.clock.wait(step)).is_some();
        let answers = self.executed > self.answered && !self.is_due();
        !comes || answers || self.may_publish()
    }

    /// Whether a snapshot may be made between two steps; one with overlays waits until the last one was taken.
    fn may_publish(&self) -> bool {
        self.last.elapsed() >= MIN_INTERVAL.max(self.cost * INTERVAL_OVER_COST)
            && !(self.paints() && self.exchange.is_full())
    }

    fn publish(&mut self) {
        let started = Instant::now();
        let snapshot = Box::new(self.snapshot());
        // Commands are complete only when the simulated time that they requested has been stepped through.
        let done = if self.clock.waits_for_commands() && self.is_due() { 0 } else { self.executed };
        self.exchange.publish(snapshot, done);
        (self.changed, self.answered) = (false, self.executed);
        self.last = Instant::now();
        self.cost = self.last - started;
    }

    fn paints(&self) -> bool {
        !self.display.layers.is_empty() || self.display.coloring.is_some()
    }

    /// The snapshot without its layers, which are ordered.
    fn snapshot(&mut self) -> Snapshot {
        let wants_contacts = self.display.subject.is_some() || self.display.layers.has(Layer::Contacts);
        let contacts = if wants_contacts { self.contacts() } else { None };
        let Self { source, .. } = &*self;
        let (state, report) = (source.state(), source.report());
        let held = source.world().pulled_at().filter(|_| source.is_live());
        let pull: Option<[Point3<f64>; 2]> =
            held.zip(self.pull.as_ref().map(|pull| pull.target)).map(<[_; 2]>::from);
        let wanted = self.order_layers(&state, contacts.as_ref());
        Snapshot {
            state,
            report,
            contacts: contacts.unwrap_or_default(),
            wanted,
            drawn: None,
            drawing: Drawing::default(),
            walk_steps: 0,
            clock: self.clock.state(),
            pull,
            recorded: self.source.recorded(),
            failure: self.failure.clone(),
            executed: self.executed,
        }
    }

    /// Contacts of the state, if they are known.
    fn contacts(&mut self) -> Option<Vec<WorldContact>> {
        match self.source.contacts(&self.models) {
            Ok(contacts) => contacts,
            Err(error) => {
                if self.no_contacts.as_ref() != Some(&error) {
                    self.exchange.push_error(error.clone());
                    self.no_contacts = Some(error);
                }
                None
            }
        }
    }

    /// Orders the layers of a state, if any are shown.
    fn order_layers(&mut self, state: &WorldState, contacts: Option<&Vec<WorldContact>>) -> Option<LayersOf> {
        if !self.paints() {
            self.painting.order(None);
            return None;
        }
        self.ordered += 1;
        let display = self.display;
        let of =
            LayersOf { number: self.ordered, jumps: self.jumps, step: state.step, time: state.time, display };
        let has_depths = display.coloring == Some(SoftQuantity::ContactDepth);
        let contact_depths = if has_depths { self.source.contact_depths() } else { None };
        let job = PaintJob { of, state: state.clone(), contacts: contacts.cloned(), contact_depths };
        self.painting.order(Some(Box::new(job)));
        Some(of)
    }
}
