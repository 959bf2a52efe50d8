//! Order of the passes of a step.

use std::time::{Duration, Instant};

use StepPass::{Always, Fallible};

use super::passes;
use super::progress::Progress;
use super::report::StepReport;
use crate::error::StepError;
use crate::profile::Phase;
use crate::soft::Times;
use crate::world::World;

/// Passes before the rigid bodies move.
const PRE_STEP: [StepPass; 3] =
    [Always(passes::start_monitoring), Fallible(passes::step_soft_bodies), Always(passes::start_pull)];

/// Passes of each part of the step; most steps have one part.
const PART: [StepPass; 11] = [
    Always(passes::find_awake),
    Always(passes::drive_robots),
    Always(passes::start_continuous_collision),
    Always(passes::start_restitution),
    Always(passes::start_free_rotation),
    Always(passes::step_rigid_bodies),
    Always(passes::step_robots),
    Always(passes::stop_at_contacts),
    Always(passes::finish_free_rotation),
    Always(passes::apply_restitution),
    Always(passes::resolve_overlaps),
];

/// Passes after the rigid bodies have moved.
const POST_STEP: [StepPass; 5] = [
    Always(passes::end_pull),
    Always(passes::renew_account),
    Always(passes::plan_step),
    Always(passes::report_state),
    Fallible(passes::check_monitor),
];

/// A pass of a step.
enum StepPass {
    /// One that cannot fail.
    Always(fn(&mut World, &mut Progress)),
    /// One whose failure ends the step.
    Fallible(fn(&mut World, &mut Progress) -> Result<(), StepError>),
}

impl World {
    /// Advances the world by one time step.
    ///
    /// Loops over many bodies run in the pool of rayon. A thread outside of it hands work over and waits, in the steps of robots at least once, which takes
    /// 20 to 40 µs of processor time; a thread within the pool does not, such as a main thread after
    /// `rayon::ThreadPoolBuilder::new().use_current_thread().build_global()`.
    ///
    /// # Errors
    /// [`StepError`] when a body's state is no longer finite, a body is faster than any intended motion, or the bodies have
    /// far more energy than can be accounted for; the world must not be used any more then. Where the soft bodies do not
    /// converge, the world is as before the step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let preparation = self.prepare_first();
        let started = Instant::now();
        self.tally.take();
        self.tally.profiler.enter_step(self.steps + 1);
        let parts = self.passes.parts;
        let mut progress = Progress {
            report: StepReport::default(),
            part: self.options.time_step / f64::from(parts),
            elapsed: 0.0,
            pulled: None,
            stepped: Duration::ZERO,
            soft_times: Times::default(),
        };
        // Soft bodies step as a whole, from the state at the start; parts are for the contacts of rigid ones.
        self.run(&PRE_STEP, &mut progress)?;
        self.physics.integration_parameters.dt = progress.part;
        self.passes.part = progress.part;
        for part in 0..parts {
            progress.elapsed = f64::from(part) * progress.part;
            self.run(&PART, &mut progress)?;
        }
        self.steps += 1;
        self.run(&POST_STEP, &mut progress)?;
        self.enter(Phase::Idle);
        let Progress { mut report, stepped, soft_times, .. } = progress;
        let timings = &mut report.timings;
        timings.preparation = preparation;
        timings.total = started.elapsed();
        timings.passes = timings.total.saturating_sub(stepped).saturating_sub(timings.continuous);
        timings.contacts = self.tally.take();
        *timings = timings.with_soft(&soft_times);
        Ok(report)
    }

    fn run(&mut self, passes: &[StepPass], progress: &mut Progress) -> Result<(), StepError> {
        passes.iter().try_for_each(|pass| match pass {
            Always(pass) => {
                pass(self, progress);
                Ok(())
            }
            Fallible(pass) => pass(self, progress),
        })
    }
}
