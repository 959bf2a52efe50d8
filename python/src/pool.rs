//! Threads: pools that calls borrow, calls that Ctrl-C ends, and batches.
//!
//! A call has its pool for itself. In one that calls share, a thread that waits for a part of its own work takes the work of
//! another call, which may need what the first one is just preparing (the tree of a mesh, once for all): both then wait for ever.
//! For the same reason each thread of a batch is a pool of its own.
//!
//! A process that was forked has none of the threads of its parent: pools of another process are abandoned, and the global pool
//! is never used. The lock of the pools is taken by threads that hold the interpreter's lock only, so that a fork, which needs
//! that as well, never copies a locked one.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Failure, bad, failed, message};

/// Time between two looks at signals and at progress: Ctrl-C takes effect within it.
const LOOK: Duration = Duration::from_millis(15);
/// Minimum time between two calls of a progress callback.
const REPORT: Duration = Duration::from_millis(50);
/// Maximum number of items that a thread takes at once: enough to make the handing out cheap, few enough to stop soon.
const MAX_CHUNK: usize = 256;

/// Pools that no call uses.
struct Free {
    /// The process whose threads they have.
    process: u32,
    /// By number of threads: one, or one for each core.
    pools: [Vec<Arc<ThreadPool>>; 2],
}

static FREE: Mutex<Option<Free>> = Mutex::new(None);

/// Number of threads of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    One,
    /// One for each core, or as many as `RAYON_NUM_THREADS` states.
    All,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The free pools of this process.
fn with_free<T>(_: Python<'_>, work: impl FnOnce(&mut Free) -> T) -> T {
    let process = std::process::id();
    let mut slot = locked(&FREE);
    if slot.as_ref().is_some_and(|free| free.process != process) {
        // Dropping pools whose threads were left behind by a fork would wait for them.
        std::mem::forget(slot.take());
    }
    work(slot.get_or_insert_with(|| Free { process, pools: [Vec::new(), Vec::new()] }))
}

/// Takes a free pool, or builds one.
fn take(py: Python<'_>, threads: Threads) -> PyResult<Arc<ThreadPool>> {
    if let Some(pool) = with_free(py, |free| free.pools[threads as usize].pop()) {
        return Ok(pool);
    }
    let builder = ThreadPoolBuilder::new().thread_name(|index| format!("extricate-{index}"));
    let builder = if threads == Threads::One { builder.num_threads(1) } else { builder };
    let built = builder.build().map_err(|error| failed(py, format!("cannot start threads: {error}")))?;
    Ok(Arc::new(built))
}

/// Gives a pool back whose work has ended. One that is not given back ends with its work.
fn give_back(py: Python<'_>, threads: Threads, pool: Arc<ThreadPool>) {
    with_free(py, |free| free.pools[threads as usize].push(pool));
}

/// Number of threads that a batch may use.
fn width() -> usize {
    let stated = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    stated.filter(|&threads| threads > 0).unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get))
}

/// Makes this thread a pool of its own: what it computes itself never starts the global pool.
pub(crate) fn alone(py: Python<'_>) -> PyResult<()> {
    thread_local!(static IS_ALONE: Cell<bool> = const { Cell::new(false) });
    if IS_ALONE.get() {
        return Ok(());
    }
    let built = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    // The pool of the thread is dropped with the process: dropping it here would end it.
    std::mem::forget(built.map_err(|error| failed(py, format!("cannot use this thread: {error}")))?);
    IS_ALONE.set(true);
    Ok(())
}

/// A result that one thread puts and another awaits.
struct Slot<T> {
    value: Mutex<Option<T>>,
    changed: Condvar,
}

impl<T> Slot<T> {
    fn put(&self, value: T) {
        *locked(&self.value) = Some(value);
        self.changed.notify_all();
    }

    fn take_within(&self, time: Duration) -> Option<T> {
        let waited = self.changed.wait_timeout_while(locked(&self.value), time, |value| value.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Whether a call should end early.
pub(crate) type Stop = Arc<AtomicBool>;

/// Runs `work` in the pool without the interpreter's lock. Ctrl-C sets its flag, and raises `KeyboardInterrupt` at once.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    interruptible_until(py, work, false)
}

/// As [`interruptible`]; if `must_end`, after Ctrl-C the end of the work is awaited, so that what it owns is not lost.
pub(crate) fn interruptible_until<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, Failure> + Send + 'static,
    must_end: bool,
) -> PyResult<T> {
    let stop = Stop::default();
    let slot = Arc::new(Slot { value: Mutex::new(None), changed: Condvar::new() });
    let (own_stop, own_slot) = (Arc::clone(&stop), Arc::clone(&slot));
    let pool = take(py, Threads::All)?;
    pool.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&own_stop)));
        own_slot.put(result.unwrap_or_else(|payload| Err(Failure::Internal(message(&*payload)))));
    });
    loop {
        if let Some(result) = py.detach(|| slot.take_within(LOOK)) {
            give_back(py, Threads::All, pool);
            return result.map_err(|failure| failure.raised(py));
        }
        if let Err(interrupted) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            while must_end && py.detach(|| slot.take_within(LOOK)).is_none() {}
            return Err(interrupted);
        }
    }
}

/// State common to the threads of a batch.
struct Shared<T, F> {
    item: F,
    count: usize,
    chunk: usize,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Whether `done` is counted: threads that write the same number wait for each other, which costs more than a short query.
    is_reported: bool,
    stop: AtomicBool,
    results: Mutex<BTreeMap<usize, Vec<Result<T, String>>>>,
    workers: Mutex<usize>,
    ended: Condvar,
}

impl<T, F: Fn(usize) -> Result<T, Failure>> Shared<T, F> {
    fn work(&self) {
        loop {
            let start = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if start >= self.count || self.stop.load(Ordering::Relaxed) {
                break;
            }
            let end = (start + self.chunk).min(self.count);
            let mut found = Vec::with_capacity(end - start);
            for index in start..end {
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
                let result = catch_unwind(AssertUnwindSafe(|| (self.item)(index)));
                let result = result.unwrap_or_else(|payload| Err(Failure::Internal(message(&*payload))));
                found.push(result.map_err(Failure::text));
                if self.is_reported {
                    self.done.fetch_add(1, Ordering::Relaxed);
                }
            }
            locked(&self.results).insert(start, found);
        }
        *locked(&self.workers) -= 1;
        self.ended.notify_all();
    }

    /// Whether all workers have ended within a time.
    fn has_ended(&self, time: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(locked(&self.workers), time, |workers| *workers > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Options of a batch.
pub(crate) struct BatchOptions<'py> {
    /// Number of threads; 0 for all of the pool.
    pub(crate) threads: usize,
    /// Called with the numbers of items done and of all items; an exception of it ends the batch.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// The callback of the progress: for `True` a bar, which needs `tqdm`.
fn reporter<'py>(given: Option<&Bound<'py, PyAny>>, count: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(given) = given else { return Ok(None) };
    match given.extract::<bool>() {
        Ok(false) => Ok(None),
        Ok(true) => given.py().import("extricate._progress")?.getattr("bar")?.call1((count,)).map(Some),
        Err(_) if given.is_callable() => Ok(Some(given.clone())),
        Err(_) => Err(bad("progress: expected a callable of the numbers of items done and of all, or True")),
    }
}

/// Computes `count` items in the pool without the interpreter's lock, and returns the result of each, or its failure.
/// The results do not depend on the number of threads. Ctrl-C, and an exception of the progress callback, end it.
pub(crate) fn batch<T: Send + 'static>(
    py: Python<'_>,
    count: usize,
    options: &BatchOptions<'_>,
    item: impl Fn(usize) -> Result<T, Failure> + Send + Sync + 'static,
) -> PyResult<Vec<Result<T, String>>> {
    let all = width();
    let threads = if options.threads == 0 { all } else { options.threads.min(all) };
    let workers = threads.min(count).max(1);
    let chunk = (count / (8 * workers)).clamp(1, MAX_CHUNK);
    let progress = reporter(options.progress.as_ref(), count)?;
    let shared = Arc::new(Shared {
        item,
        count,
        chunk,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        is_reported: progress.is_some(),
        stop: AtomicBool::new(false),
        results: Mutex::new(BTreeMap::new()),
        workers: Mutex::new(workers),
        ended: Condvar::new(),
    });
    let lanes = (0..workers).map(|_| take(py, Threads::One)).collect::<PyResult<Vec<_>>>()?;
    for lane in &lanes {
        let shared = Arc::clone(&shared);
        lane.spawn(move || shared.work());
    }
    let mut reported = Instant::now();
    while !py.detach(|| shared.has_ended(LOOK)) {
        let mut looked = py.check_signals();
        if let Some(progress) = progress.as_ref().filter(|_| reported.elapsed() >= REPORT) {
            reported = Instant::now();
            let done = shared.done.load(Ordering::Relaxed);
            looked = looked.and_then(|()| progress.call1((done, count)).map(|_| ()));
        }
        if let Err(interrupted) = looked {
            shared.stop.store(true, Ordering::Relaxed);
            return Err(interrupted);
        }
    }
    lanes.into_iter().for_each(|lane| give_back(py, Threads::One, lane));
    if let Some(progress) = &progress {
        progress.call1((count, count))?;
    }
    let results = std::mem::take(&mut *locked(&shared.results));
    Ok(results.into_values().flatten().collect())
}
