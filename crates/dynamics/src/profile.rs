//! Profile of a world: the time that each pair of bodies takes, and the present activity.
//!
//! rapier's narrow phase calls [`PhysicsHooks::filter_contact_pair`](rapier3d::pipeline::PhysicsHooks) for a pair immediately
//! before our dispatcher computes its contacts, in the same thread. So the hook stores the bodies in the slot of the thread, and
//! the dispatcher reads them there when it begins. A thread that waits for parts of its pair may compute another pair meanwhile,
//! whose time does not count for the first one. Nothing here affects a result.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of slots: threads above it share one, and may then be reported with each other's pairs.
const SLOTS: usize = 64;

/// Activity of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Between steps.
    Idle,
    /// Preprocessing of shapes before the first step.
    Preparation,
    /// Soft bodies.
    Soft,
    /// Contacts and solver of rigid bodies.
    Rigid,
    /// Sweeps of fast bodies.
    Continuous,
    /// Separation of overlaps.
    Overlaps,
    /// Measurement and recording of a state.
    Recording,
}

impl Phase {
    const ALL: [Self; 7] = [
        Self::Idle,
        Self::Preparation,
        Self::Soft,
        Self::Rigid,
        Self::Continuous,
        Self::Overlaps,
        Self::Recording,
    ];

    /// The phase in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "between steps",
            Self::Preparation => "preparation of shapes",
            Self::Soft => "soft bodies",
            Self::Rigid => "contacts and solver",
            Self::Continuous => "continuous collision detection",
            Self::Overlaps => "separation of overlaps",
            Self::Recording => "measurement of a state",
        }
    }
}

/// Time that a pair of bodies took so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairTime {
    /// The bodies: indices in [`World::descriptions`](crate::World::descriptions), in ascending order.
    pub bodies: [usize; 2],
    /// Time spent on its contacts.
    pub contacts: Duration,
    /// Time spent on its sweeps.
    pub sweeps: Duration,
    /// Number of searches for contacts and of sweeps.
    pub count: u64,
    /// Maximum time of one of them.
    pub slowest: Duration,
    /// Number of the step in which that was.
    pub slowest_step: u64,
}

impl PairTime {
    /// Time of contacts and sweeps.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.contacts + self.sweeps
    }
}

/// Part of a step that is timed for each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Contacts,
    Sweep,
}

/// State of a thread.
#[derive(Debug, Default)]
struct Slot {
    /// The pair that was announced, or is being timed; 0 where there is none.
    pair: AtomicU64,
    /// The pair that is being timed, 0 where there is none.
    timed: AtomicU64,
    /// Time of the pairs that began and ended since that one began [ns].
    nested: AtomicU64,
}

#[derive(Debug)]
struct Shared {
    timed: AtomicBool,
    step: AtomicU64,
    phase: AtomicU8,
    slots: [Slot; SLOTS],
    pairs: Mutex<BTreeMap<[usize; 2], PairTime>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            timed: AtomicBool::new(false),
            step: AtomicU64::new(0),
            phase: AtomicU8::new(0),
            slots: std::array::from_fn(|_| Slot::default()),
            pairs: Mutex::default(),
        }
    }
}

/// Profile of a world, shared by all that contribute to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiler(Arc<Shared>);

/// Present activity of a world, for a thread that monitors it.
#[derive(Debug, Clone)]
pub struct Activity(Arc<Shared>);

/// A pair whose work is being timed.
pub(crate) struct Timer {
    started: Instant,
    pair: Option<[usize; 2]>,
    /// The pair that this thread was timing before, and the time nested in that one so far [ns].
    outer: (u64, u64),
}

/// Bodies of a pair in one number; never 0.
fn packed([a, b]: [usize; 2]) -> u64 {
    let [a, b] = [a, b].map(|body| body as u64 & 0x7fff_ffff);
    (1 << 63) | (a << 32) | b
}

fn unpacked(number: u64) -> Option<[usize; 2]> {
    let body = |shift: u32| usize::try_from((number >> shift) & 0x7fff_ffff).ok();
    if number == 0 { None } else { Some([body(32)?, body(0)?]) }
}

impl Profiler {
    fn slot(&self) -> &Slot {
        let thread = rayon::current_thread_index().map_or(0, |index| index + 1);
        &self.0.slots[thread % SLOTS]
    }

    /// Starts timing the pairs.
    pub(crate) fn start(&self) {
        self.0.timed.store(true, Ordering::Relaxed);
    }

    /// States that the next contacts of this thread are those of a pair of bodies.
    pub(crate) fn announce(&self, pair: [usize; 2]) {
        self.slot().pair.store(packed(pair), Ordering::Relaxed);
    }

    /// Begins the contacts of the pair that was announced.
    pub(crate) fn begin(&self) -> Timer {
        let slot = self.slot();
        let pair = slot.pair.load(Ordering::Relaxed);
        let outer = (slot.timed.swap(pair, Ordering::Relaxed), slot.nested.swap(0, Ordering::Relaxed));
        Timer { started: Instant::now(), pair: unpacked(pair), outer }
    }

    /// Begins work on a pair.
    pub(crate) fn begin_pair(&self, pair: [usize; 2]) -> Timer {
        self.announce(pair);
        self.begin()
    }

    /// Ends the work on a pair, in the thread that began it, and returns its time without that of pairs that this thread computed
    /// meanwhile.
    pub(crate) fn end(&self, timer: &Timer, work: Work) -> Duration {
        let (elapsed, slot) = (timer.started.elapsed(), self.slot());
        let (outer, before) = timer.outer;
        let whole = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let nested = slot.nested.swap(before.saturating_add(whole), Ordering::Relaxed);
        let time = elapsed.saturating_sub(Duration::from_nanos(nested));
        slot.timed.store(outer, Ordering::Relaxed);
        slot.pair.store(outer, Ordering::Relaxed);
        if let Some(pair) = timer.pair.filter(|_| self.0.timed.load(Ordering::Relaxed)) {
            self.tally(pair, work, time);
        }
        time
    }

    fn tally(&self, pair: [usize; 2], work: Work, time: Duration) {
        let step = self.0.step.load(Ordering::Relaxed);
        let bodies = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        let mut pairs = self.0.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = pairs.entry(bodies).or_insert(PairTime { bodies, ..PairTime::default() });
        match work {
            Work::Contacts => entry.contacts += time,
            Work::Sweep => entry.sweeps += time,
        }
        entry.count += 1;
        if time > entry.slowest {
            (entry.slowest, entry.slowest_step) = (time, step);
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Ordering::Relaxed);
    }

    pub(crate) fn enter_step(&self, step: u64) {
        self.0.step.store(step, Ordering::Relaxed);
    }

    /// Times of the pairs, the costliest first; `None` unless they are timed.
    pub(crate) fn pairs(&self) -> Option<Vec<PairTime>> {
        self.0.timed.load(Ordering::Relaxed).then(|| {
            let pairs = self.0.pairs.lock().unwrap_or_else(PoisonError::into_inner);
            let mut pairs: Vec<_> = pairs.values().copied().collect();
            pairs.sort_by_key(|pair| std::cmp::Reverse(pair.total()));
            pairs
        })
    }

    pub(crate) fn activity(&self) -> Activity {
        Activity(self.0.clone())
    }
}

impl Activity {
    /// Number of the present step, its phase, and a pair of bodies whose contacts or sweeps are being computed.
    #[must_use]
    pub fn now(&self) -> (u64, Phase, Option<[usize; 2]>) {
        let phase = usize::from(self.0.phase.load(Ordering::Relaxed));
        let phase = Phase::ALL.get(phase).copied().unwrap_or(Phase::Idle);
        let has_pairs = matches!(phase, Phase::Rigid | Phase::Continuous);
        let pair = self.0.slots.iter().find_map(|slot| unpacked(slot.pair.load(Ordering::Relaxed)));
        (self.0.step.load(Ordering::Relaxed), phase, pair.filter(|_| has_pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_timed_only_after_the_start_and_sorted_by_their_time() {
        let profiler = Profiler::default();
        profiler.end(&profiler.begin_pair([3, 1]), Work::Contacts);
        assert_eq!(profiler.pairs(), None);
        profiler.start();
        profiler.enter_step(7);
        let old = |pair| {
            let timer = profiler.begin_pair(pair);
            Timer { started: timer.started - Duration::from_millis(40), ..timer }
        };
        profiler.end(&profiler.begin_pair([1, 2]), Work::Contacts);
        profiler.end(&old([5, 4]), Work::Sweep);
        profiler.end(&old([4, 5]), Work::Contacts);
        let pairs = profiler.pairs().unwrap();
        assert_eq!(pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), [[4, 5], [1, 2]]);
        let both = pairs[0].sweeps.min(pairs[0].contacts);
        assert!(both >= Duration::from_millis(40) && pairs[0].total() >= 2 * both);
        assert_eq!((pairs[0].count, pairs[0].slowest_step), (2, 7));
    }

    #[test]
    fn the_time_of_a_pair_that_a_waiting_thread_computes_counts_once() {
        let profiler = Profiler::default();
        profiler.start();
        let outer = profiler.begin_pair([1, 2]);
        let inner = profiler.begin_pair([3, 4]);
        let long = Timer { started: inner.started - Duration::from_secs(40), ..inner };
        assert!(profiler.end(&long, Work::Contacts) >= Duration::from_secs(40));
        assert_eq!(profiler.slot().timed.load(Ordering::Relaxed), packed([1, 2]));
        assert!(profiler.end(&outer, Work::Contacts) < Duration::from_secs(40));
        let times: Vec<_> =
            profiler.pairs().unwrap().iter().map(|pair| pair.contacts.as_secs() >= 40).collect();
        assert_eq!(times, [true, false]);
        // Nothing is left for the next pair of this thread.
        assert!(profiler.end(&profiler.begin_pair([5, 6]), Work::Sweep) < Duration::from_secs(40));
        assert_eq!(profiler.begin().pair, None);
    }

    #[test]
    fn the_activity_names_the_pair_that_is_being_computed() {
        let profiler = Profiler::default();
        let activity = profiler.activity();
        assert_eq!(activity.now(), (0, Phase::Idle, None));
        profiler.enter(Phase::Rigid);
        profiler.announce([0, 0x7fff_ffff]);
        let timer = profiler.begin();
        assert_eq!(activity.now(), (0, Phase::Rigid, Some([0, 0x7fff_ffff])));
        profiler.end(&timer, Work::Contacts);
        assert_eq!(activity.now(), (0, Phase::Rigid, None));
        for phase in Phase::ALL {
            profiler.enter(phase);
            assert_eq!(activity.now().1, phase);
        }
    }
}
