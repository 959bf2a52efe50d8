//! Lines about steps that last long, printed while they do.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use extricate_dynamics::{Activity, Phase, World};

/// Time between two looks at the activity.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time that the work on a step lasts before there is a line; the next ones follow after twice the time each.
const LONG: Duration = Duration::from_secs(5);

/// A thread that prints a line on stderr when a step lasts long. It ends when this is dropped.
pub(in crate::cli) struct LongSteps {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LongSteps {
    /// Monitors a world.
    pub(in crate::cli) fn of(world: &World) -> Self {
        let activity = world.activity();
        let names: Vec<_> = world.descriptions().iter().map(|body| body.name.clone()).collect();
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut observed = Observed::new(Instant::now());
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = observed.line(&activity, &names, Instant::now()) {
                    let _ = writeln!(io::stderr(), "{line}");
                }
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for LongSteps {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A panic of the thread has been printed, and concerns no result.
        self.thread.take().map(JoinHandle::join);
    }
}

/// Work that was observed last.
struct Observed {
    work: (u64, Phase),
    since: Instant,
    next: Duration,
}

impl Observed {
    fn new(now: Instant) -> Self {
        Self { work: (0, Phase::Idle), since: now, next: LONG }
    }

    /// A line about the present work, if it lasts long.
    fn line(&mut self, activity: &Activity, names: &[String], now: Instant) -> Option<String> {
        let (step, phase, pair) = activity.now();
        if (step, phase) != self.work || phase == Phase::Idle {
            *self = Self { work: (step, phase), ..Self::new(now) };
            return None;
        }
        let elapsed = now.duration_since(self.since);
        if elapsed < self.next {
            return None;
        }
        self.next = 2 * elapsed;
        let pair = pair.and_then(|[a, b]| Some(format!(", {} and {}", names.get(a)?, names.get(b)?)));
        let (phase, seconds) = (phase.name(), elapsed.as_secs());
        let at = if step == 0 { String::from("before step 1") } else { format!("step {step}") };
        Some(format!("{at}: {phase}{} for {seconds} s", pair.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use extricate_dynamics::WorldOptions;

    use super::*;

    #[test]
    fn a_line_is_printed_only_for_work_that_lasts_and_at_growing_intervals() {
        let world = World::builder(WorldOptions::default()).build().unwrap();
        let (activity, start) = (world.activity(), Instant::now());
        let mut observed = Observed::new(start);
        let mut at = |seconds: u64| observed.line(&activity, &[], start + Duration::from_secs(seconds));
        assert_eq!((at(0), at(60)), (None, None));
        world.enter(Phase::Recording);
        assert_eq!((at(61), at(65)), (None, None));
        assert_eq!(at(66).as_deref(), Some("before step 1: measurement of a state for 5 s"));
        assert_eq!((at(70), at(71).is_some(), at(80), at(81).is_some()), (None, true, None, true));
        world.enter(Phase::Rigid);
        assert_eq!((at(200), at(204), at(205).is_some()), (None, None, true));
    }
}
