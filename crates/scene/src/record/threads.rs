//! The threads on which the steps of a run are made: all of the current pool, or one.
//!
//! Beside other programs a step of some hundred microseconds waits for milliseconds until each thread has had a processor. Results are
//! the same for every number of threads, so that time alone decides: where the steps wait for longer than the process works, some are
//! made on one thread, from time to time some of those on all again, and the faster number of threads is retained.

use std::time::Duration;

use rayon::ThreadPool;

/// Number of steps that are compared with as many made with the other number of threads. More wait longer where the other number is slow, fewer compare
/// chance.
const COMPARED: u64 = 16;
/// Bound on the time of a trial of it, relative to that of the steps that it is compared with.
const TRIAL: u32 = 2;
/// Time until the next trial, relative to that of the last one: the fraction of a run that trials may take.
const APART: u32 = 20;
/// Fraction of the time per step that one thread, and all of them, may take at most to replace the other number. Closer to 1 chance decides; one
/// thread has to gain more, so that runs by themselves retain all.
const GAIN: [f64; 2] = [0.8, 0.95];
/// Processor time of the process per time of its steps below which one thread is tried. By themselves steps take between the one and as many
/// times the other as there are threads.
const WAITING: f64 = 0.8;

/// Steps that are made one after the other on the same threads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    /// Number of steps, or the maximum of it.
    pub(super) steps: u64,
    /// Time of all of them, or the maximum, which the last step may exceed.
    pub(super) time: Duration,
    /// Processor time of the process during that, where the system measures it.
    work: Option<Duration>,
}

impl Span {
    const WHOLE: Self = Self { steps: u64::MAX, time: Duration::MAX, work: None };

    /// Steps that took a time.
    pub(super) fn of(steps: u64, time: Duration) -> Self {
        Self { steps, time, work: None }
    }

    /// Whether `made` is all of it.
    pub(super) fn is_over(&self, made: &Self) -> bool {
        made.steps >= self.steps || made.time >= self.time
    }

    /// The part of it after `made`.
    fn rest(&self, made: &Self) -> Self {
        Self::of(self.steps - made.steps, self.time - made.time)
    }

    /// Whether the steps waited for other programs.
    fn waited(&self) -> bool {
        self.work.is_some_and(|work| work.as_secs_f64() < WAITING * self.time.as_secs_f64())
    }

    /// Time per step \[s\]; infinite of no step.
    fn mean(&self) -> f64 {
        if self.steps == 0 { f64::INFINITY } else { self.time.as_secs_f64() / self.steps as f64 }
    }
}

/// The steps of a run, and what is done between them.
pub(super) trait Steps: Send {
    /// The failure of a run.
    type Error: Send;

    /// Makes steps until the span is over, something has to be done after a step, or the run ends; returns their number and time: none of a run that is
    /// over.
    fn make(&mut self, span: Span) -> Result<Span, Self::Error>;

    /// Does with all threads what is due after those steps; whether the run continues.
    fn between(&mut self) -> Result<bool, Self::Error>;

    /// Processor time of the process so far, where the system measures it.
    fn processor_time(&self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            use rustix::time::{ClockId, clock_gettime};
            clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

/// Makes the steps of a run.
pub(super) fn in_spans<S: Steps>(steps: &mut S) -> Result<(), S::Error> {
    // Where there is one thread alone, or the pool of one thread cannot be had, the run is one span.
    let one = match rayon::current_num_threads() {
        1 => None,
        _ => rayon::ThreadPoolBuilder::new().num_threads(1).build().ok(),
    };
    let Some(one) = one else { return span(None, steps, Span::WHOLE).map(|_| ()) };
    let mut is_alone = false;
    let pool_of = |is_alone: bool| is_alone.then_some(&one);
    loop {
        let Some(known) = span(pool_of(is_alone), steps, Span::of(COMPARED, Duration::MAX))? else {
            return Ok(());
        };
        if !is_alone && !known.waited() {
            continue;
        }
        let trial = Span::of(COMPARED, TRIAL * known.time);
        let Some(tried) = span(pool_of(!is_alone), steps, trial)? else { return Ok(()) };
        is_alone ^= tried.mean() < GAIN[usize::from(is_alone)] * known.mean();
        if span(pool_of(is_alone), steps, Span::of(u64::MAX, APART * tried.time))?.is_none() {
            return Ok(());
        }
    }
}

/// Makes a span, on one thread or in the current pool; `None` where the run ended within it.
fn span<S: Steps>(one: Option<&ThreadPool>, steps: &mut S, whole: Span) -> Result<Option<Span>, S::Error> {
    let mut made = Span::default();
    while !whole.is_over(&made) {
        let rest = whole.rest(&made);
        let before = steps.processor_time();
        let part = match one {
            Some(one) => one.install(|| steps.make(rest)),
            None => steps.make(rest),
        }?;
        if part.steps == 0 {
            return Ok(None);
        }
        let work = steps.processor_time().zip(before).map(|(now, before)| now.saturating_sub(before));
        let work = work.map(|work| made.work.unwrap_or_default() + work);
        made = Span { steps: made.steps + part.steps, time: made.time + part.time, work };
        if !steps.between()? {
            return Ok(None);
        }
    }
    Ok(Some(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 1 ms of work that take as much time on one thread, and `all` ms in the pool, with something to do after every third one.
    struct Simulated {
        all: f64,
        steps: u64,
        /// Number of steps of the last half that were made on one thread.
        alone: u64,
        fails_at: u64,
    }

    const STEPS: u64 = 4000;

    impl Steps for Simulated {
        type Error = &'static str;

        fn make(&mut self, span: Span) -> Result<Span, &'static str> {
            let mut made = Span::default();
            while !span.is_over(&made) && self.steps < STEPS {
                let is_alone = rayon::current_num_threads() == 1;
                made.time += Duration::from_secs_f64(1e-3 * if is_alone { 1.0 } else { self.all });
                made.steps += 1;
                self.steps += 1;
                self.alone += u64::from(is_alone && self.steps > STEPS / 2);
                if self.steps == self.fails_at {
                    return Err("failed");
                }
                if self.steps.is_multiple_of(3) {
                    break;
                }
            }
            Ok(made)
        }

        fn between(&mut self) -> Result<bool, &'static str> {
            assert_eq!(rayon::current_num_threads(), 2, "what is done between steps has all threads");
            Ok(self.steps < STEPS)
        }

        fn processor_time(&self) -> Option<Duration> {
            Some(Duration::from_millis(self.steps))
        }
    }

    fn simulated(all: f64, fails_at: u64) -> (Result<(), &'static str>, Simulated) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let mut steps = Simulated { all, steps: 0, alone: 0, fails_at };
        (pool.install(|| in_spans(&mut steps)), steps)
    }

    /// Fraction of the last half of the steps that were made on one thread.
    fn alone(all: f64) -> f64 {
        let (outcome, made) = simulated(all, 0);
        assert_eq!((outcome, made.steps), (Ok(()), STEPS));
        made.alone as f64 / (STEPS / 2) as f64
    }

    #[test]
    fn steps_that_wait_are_made_on_one_thread() {
        assert!(alone(20.0) > 0.99, "{}", alone(20.0));
        assert!(alone(2.0) > 0.9, "{}", alone(2.0));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "none of them")]
    fn steps_that_work_are_made_on_all_threads() {
        for all in [0.5, 0.7, 1.0, 1.2] {
            assert_eq!(alone(all), 0.0);
        }
    }

    #[test]
    fn after_a_run_that_is_over_nothing_is_done() {
        struct Over;
        impl Steps for Over {
            type Error = ();
            fn make(&mut self, _: Span) -> Result<Span, ()> {
                Ok(Span::default())
            }
            fn between(&mut self) -> Result<bool, ()> {
                Err(())
            }
        }
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| in_spans(&mut Over)), Ok(()));
        }
    }

    #[test]
    fn an_error_ends_the_run_in_either_way() {
        for fails_at in [1, COMPARED, COMPARED + 1, 2 * COMPARED, 100, 1000, STEPS] {
            let (outcome, made) = simulated(5.0, fails_at);
            assert_eq!((outcome, made.steps), (Err("failed"), fails_at));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_processor_time_of_the_process_grows_with_its_work() {
        struct Nothing;
        impl Steps for Nothing {
            type Error = ();
            fn make(&mut self, _: Span) -> Result<Span, ()> {
                Err(())
            }
            fn between(&mut self) -> Result<bool, ()> {
                Err(())
            }
        }
        let before = Nothing.processor_time().unwrap();
        while Nothing.processor_time().unwrap() - before < Duration::from_millis(5) {}
        let worked = Nothing.processor_time().unwrap() - before;
        assert!((Duration::from_millis(5)..Duration::from_secs(5)).contains(&worked), "{worked:?}");
    }
}
