//! A run of a scene on a thread of its own, in real time times a speed, with its past states.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use extricate_dynamics::{Pull, World};
use extricate_scene::record::WorldState;
use extricate_scene::request::start::at_start;
use extricate_scene::scene::Scene;

use crate::frame::Frame;
use crate::limits::HISTORY_BYTES;
use crate::posing::Posing;
use crate::stage::Stage;

/// Time after which a run whose step has not ended is left without its state.
const STEP_LIMIT: Duration = Duration::from_secs(5);
/// Delay behind real time beyond which a run does not catch up.
const MAX_DELAY: Duration = Duration::from_millis(100);

/// A run; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Live(Arc<Exchange>);

#[derive(Debug, Default)]
struct Exchange {
    control: Mutex<Control>,
    changed: Condvar,
    history: Mutex<History>,
}

#[derive(Debug, Default)]
struct Control {
    playing: bool,
    /// Simulated time per real time.
    speed: f64,
    /// Steps to be taken while it is paused.
    steps: u64,
    /// A new pull, or the end of one.
    pull: Option<Option<Pull>>,
    ended: bool,
    prepared: bool,
    failure: Option<String>,
    /// The last state, once the run has ended.
    last: Option<WorldState>,
}

/// Next work of the thread.
struct Work {
    pull: Option<Option<Pull>>,
    /// Speed, while it plays.
    speed: Option<f64>,
}

/// States of a run, thinned out evenly where they take too much memory.
#[derive(Debug, Default)]
struct History {
    frames: Vec<Arc<Frame>>,
    last: Option<Arc<Frame>>,
    bytes: usize,
    /// One of so many states is kept.
    stride: u64,
    count: u64,
}

impl History {
    fn push(&mut self, frame: Frame) {
        let frame = Arc::new(frame);
        if self.count.is_multiple_of(self.stride.max(1)) {
            self.bytes += frame.size();
            self.frames.push(Arc::clone(&frame));
        }
        self.count += 1;
        self.last = Some(frame);
        if self.bytes > HISTORY_BYTES {
            let mut is_kept = false;
            self.frames.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.stride = 2 * self.stride.max(1);
            self.bytes = self.frames.iter().map(|frame| frame.size()).sum();
        }
    }
}

impl Exchange {
    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do; none where the run has ended.
    fn work(&self) -> Option<Work> {
        let mut control = self.control();
        loop {
            if control.ended {
                return None;
            }
            if control.playing || control.steps > 0 {
                control.steps = control.steps.saturating_sub(1);
                let speed = Some(control.speed).filter(|_| control.playing);
                return Some(Work { pull: control.pull.take(), speed });
            }
            control = self.changed.wait(control).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for a time, unless something changes.
    fn rest(&self, time: Duration) {
        let control = self.control();
        if control.playing && !control.ended {
            drop(self.changed.wait_timeout(control, time));
        }
    }

    fn fail(&self, failure: String) {
        let mut control = self.control();
        (control.playing, control.steps, control.failure) = (false, 0, Some(failure));
    }
}

impl Live {
    /// A run from the start of a scene, paused.
    pub(crate) fn new(stage: Arc<Stage>, scene: Scene) -> Self {
        let exchange = Arc::new(Exchange::default());
        let own = Arc::clone(&exchange);
        thread::spawn(move || match at_start(scene) {
            Ok((_, mut world)) => {
                advance(&own, &stage, &mut world);
                own.control().last = Some(WorldState::of(&world));
                own.changed.notify_all();
            }
            Err(fault) => own.fail(fault.message),
        });
        Self(exchange)
    }

    /// Plays at a speed, relative to real time.
    pub(crate) fn play(&self, speed: f64) {
        let mut control = self.0.control();
        (control.playing, control.failure) = (true, None);
        control.speed = if speed > 0.0 && speed.is_finite() { speed } else { 1.0 };
        self.0.changed.notify_all();
    }

    pub(crate) fn pause(&self) {
        self.0.control().playing = false;
        self.0.changed.notify_all();
    }

    /// Takes a step.
    pub(crate) fn step(&self) {
        let mut control = self.0.control();
        (control.playing, control.failure) = (false, None);
        control.steps += 1;
        self.0.changed.notify_all();
    }

    /// Ends the run and returns its last state, unless its step takes too long.
    pub(crate) fn end(self) -> Option<WorldState> {
        let mut control = self.0.control();
        control.ended = true;
        self.0.changed.notify_all();
        let deadline = Instant::now() + STEP_LIMIT;
        while control.last.is_none() && control.failure.is_none() {
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.0.changed.wait_timeout(control, left);
            control = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        control.last.take()
    }

    /// Pulls a body, or releases it.
    pub(crate) fn pull(&self, pull: Option<Pull>) {
        self.0.control().pull = Some(pull);
    }

    /// A state of the run, the last one by default, with fields about the run; none before the first one.
    pub(crate) fn state(&self, index: Option<usize>) -> (Option<Arc<Frame>>, Value) {
        let (frame, count, index) = {
            let history = self.0.history();
            let count = history.frames.len();
            let at = index.map_or(count.saturating_sub(1), |index| index.min(count.saturating_sub(1)));
            let frame = if index.is_some() { history.frames.get(at) } else { history.last.as_ref() };
            (frame.cloned(), count, at)
        };
        let control = self.0.control();
        let fields = json!({
            "count": count, "index": index, "playing": control.playing, "prepared": control.prepared,
            "failure": control.failure,
        });
        (frame, fields)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.control().ended = true;
        self.0.changed.notify_all();
    }
}

/// Ends a run, if there is one; the poses are then those of its last state.
pub(crate) fn end_run(run: Option<Live>, posing: &mut Result<Posing, String>, stage: &Stage) {
    if posing.is_ok()
        && let Some(state) = run.and_then(Live::end)
    {
        *posing = Posing::of_run(stage, &state);
    }
}

/// Takes steps as they are asked for.
fn advance(exchange: &Exchange, stage: &Stage, world: &mut World) {
    world.prepare();
    exchange.history().push(Frame::of_world(stage, world, None));
    exchange.control().prepared = true;
    let mut clock: Option<(Instant, f64, f64)> = None;
    while let Some(Work { pull, speed }) = exchange.work() {
        if let Some(Err(error)) = pull.map(|pull| world.pull(pull)) {
            exchange.fail(error.to_string());
            continue;
        }
        match world.step() {
            Ok(report) => exchange.history().push(Frame::of_world(stage, world, Some(&report))),
            Err(error) => {
                exchange.fail(error.to_string());
                continue;
            }
        }
        let Some(speed) = speed else {
            clock = None;
            continue;
        };
        let start = clock.filter(|(_, _, before)| before.to_bits() == speed.to_bits());
        let (began, from, _) = *clock.insert(start.unwrap_or((Instant::now(), world.time(), speed)));
        let due = Duration::try_from_secs_f64((world.time() - from) / speed).unwrap_or_default();
        match due.checked_sub(began.elapsed()) {
            Some(early) => exchange.rest(early),
            None if began.elapsed() > due + MAX_DELAY => clock = None,
            None => {}
        }
    }
}
