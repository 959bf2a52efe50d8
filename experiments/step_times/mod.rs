//! Times of the steps of a world, as a row of a table.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use extricate::World;
use extricate::dynamics::StepReport;

/// Times of the steps of a run.
pub(crate) struct StepTimes {
    preparation: Duration,
    first: Duration,
    /// Times of all steps but the first, sorted.
    sorted: Vec<Duration>,
    /// The slowest step but the first.
    slowest: u64,
    /// The phase that dominates it.
    phase: &'static str,
    /// The pair of bodies that took the most time.
    pair: String,
    simulated: f64,
    all: Duration,
    /// Maximum speed of a body at the end [m/s].
    speed_at_the_end: f64,
}

impl StepTimes {
    /// Titles of the columns.
    pub(crate) const HEADER: &str = "preparation, ms | first step, ms | × real time | p50, ms | p99, ms | \
        slowest, ms | in step | its phase | speed at the end, m/s | costliest pair";
    /// Their alignment.
    pub(crate) const RULE: &str = "--:|--:|--:|--:|--:|--:|--:|---|--:|---|";

    /// Runs a world for a time [s]; every step is shown to `observe`.
    pub(crate) fn run(
        world: &mut World,
        simulated: f64,
        mut observe: impl FnMut(&StepReport),
    ) -> Result<Self, Box<dyn Error>> {
        let preparation = world.prepare().time;
        world.start_profile();
        let (mut times, mut first, mut speed_at_the_end) = (Vec::new(), Duration::ZERO, 0.0);
        let (mut slowest, mut phase, mut longest) = (0, "", Duration::ZERO);
        let started = Instant::now();
        while world.time() < simulated - 0.5 * world.options().time_step {
            let report = world.step()?;
            speed_at_the_end = report.max_speed;
            observe(&report);
            let timings = report.timings;
            if report.step == 1 {
                first = timings.total;
                continue;
            }
            times.push(timings.total);
            if timings.total > longest {
                (longest, slowest) = (timings.total, report.step);
                let phases = [
                    ("broad phase", timings.broad_phase),
                    ("narrow phase", timings.narrow_phase),
                    ("solver", timings.solver),
                    ("continuous", timings.continuous),
                    ("passes", timings.passes),
                ];
                phase = phases.into_iter().max_by_key(|(_, time)| *time).map_or("", |(name, _)| name);
            }
        }
        let all = started.elapsed();
        let pair = world.pair_times().and_then(|pairs| pairs.first().copied());
        let pair = pair.map_or(String::new(), |pair| {
            pair.bodies.map(|body| world.descriptions()[body].name.clone()).join(" and ")
        });
        times.sort_unstable();
        Ok(Self { preparation, first, sorted: times, slowest, phase, pair, simulated, all, speed_at_the_end })
    }

    /// Simulated over wall-clock time, without the preparation.
    fn real_time_factor(&self) -> f64 {
        self.simulated / self.all.as_secs_f64()
    }
}

impl fmt::Display for StepTimes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let ms = |time: Duration| 1e3 * time.as_secs_f64();
        let at = |percent: usize| {
            let rank = (percent * self.sorted.len()).div_ceil(100).max(1) - 1;
            self.sorted.get(rank).copied().map_or(0.0, ms)
        };
        let Self { preparation, first, slowest, phase, speed_at_the_end, pair, .. } = self;
        write!(
            f,
            "{:.0} | {:.1} | {:.2} | {:.2} | {:.2} | {:.1} | {slowest} | {phase} | {speed_at_the_end:.3} | {pair}",
            ms(*preparation),
            ms(*first),
            self.real_time_factor(),
            at(50),
            at(99),
            at(100)
        )
    }
}
