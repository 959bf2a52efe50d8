//! A step of a world: rapier's, and what is done around it.

use std::time::{Duration, Instant};

use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::ColliderHandle;
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::depenetration::{Depenetration, KeptOverlaps};
use super::gyroscopic::FreeRotation;
use super::restitution::{Bounces, Start};
use super::rolling;
use super::soft::Times;
use super::soft_bodies::Failure;
use super::watch::Watch;
use super::{BodyDescription, SoftReport, StepError, StepReport, StepTimings, World, WorldOptions};

/// What is done around rapier's step.
pub(super) struct Outside {
    rotation: FreeRotation,
    bounces: Bounces,
    depenetration: Depenetration,
    /// In how many parts the next step is taken.
    parts: u32,
    /// Length of the last part [s].
    part: f64,
    /// Of the state at the start; there is none before the first step.
    watch: Option<Watch>,
}

impl Outside {
    /// Of a world with bodies in the order of their handles.
    pub(super) fn of(
        physics: &PhysicsWorld,
        bodies: &[BodyDescription],
        handles: &[RigidBodyHandle],
        options: &WorldOptions,
    ) -> Self {
        let slow = options.solver_settings().least_bounce_speed;
        Self {
            rotation: FreeRotation::of(physics, handles),
            bounces: Bounces::of(physics, bodies, handles, slow),
            depenetration: Depenetration::of(physics, bodies, handles, options.recoverable_depth()),
            parts: 1,
            part: options.time_step,
            watch: None,
        }
    }
}

/// What of it the next step follows from.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptOutside {
    held: Vec<bool>,
    starts: Vec<Start>,
    overlaps: KeptOverlaps,
    parts: u32,
    part: f64,
    watch: Option<Watch>,
}

impl Outside {
    /// What the next step follows from.
    pub(super) fn kept(&self) -> KeptOutside {
        let (held, starts) = (self.rotation.held(), self.bounces.starts());
        let (overlaps, watch) = (self.depenetration.kept(), self.watch.clone());
        KeptOutside { held, starts, overlaps, parts: self.parts, part: self.part, watch }
    }

    /// Length of the last part of a step [s]: impulses of contacts are those of that time.
    pub(super) fn part(&self) -> f64 {
        self.part
    }

    /// Goes on from what was kept.
    pub(super) fn resume(&mut self, kept: KeptOutside) {
        self.rotation.resume(&kept.held);
        self.bounces.resume(kept.starts);
        self.depenetration.resume(kept.overlaps);
        // A forged checkpoint could ask for any number.
        self.parts = kept.parts.clamp(1, rolling::MOST);
        self.part = kept.part;
        self.watch = kept.watch;
    }
}

/// What the parts of a step came to.
#[derive(Default)]
struct Parts {
    /// Work against gravity [J] of what was moved.
    lifted: f64,
    /// Time that rapier took in all.
    stepped: Duration,
    /// What rapier and the sweeps took.
    timings: StepTimings,
}

impl World {
    /// Advances the world by one time step.
    ///
    /// # Errors
    /// [`StepError`] when a body's state is not finite any more, a body is faster than any that is meant, or the bodies
    /// have far more energy than can be explained; the world is of no use then. Where the soft bodies do not converge, the
    /// world is as before the step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let started = Instant::now();
        self.tally.take();
        let parts = self.outside.parts;
        let part = self.options.time_step / f64::from(parts);
        self.prepare_robots(part);
        self.begin_to_watch();
        let (soft, soft_times) = self.step_soft_bodies()?;
        let pulled = self.begin_pull();
        let mut done = Parts::default();
        self.physics.integration_parameters.dt = part;
        self.outside.part = part;
        for number in 0..parts {
            if number > 0 {
                self.prepare_robots(part);
            }
            self.step_rigid_bodies(part, &mut done);
        }
        self.end_pull(pulled);
        self.steps += 1;
        self.outside.parts = self.parts_of_next_step();
        let mut report = StepReport { soft, lifted: done.lifted, ..self.report() };
        if let (Some(_), Some(watch)) = (&self.pull, &mut self.outside.watch) {
            watch.begin_anew(report.energy);
        }
        self.check_step(&report)?;
        let total = started.elapsed();
        let outside = total.saturating_sub(done.stepped).saturating_sub(done.timings.continuous);
        let timings = StepTimings { total, outside, contacts: self.tally.take(), ..done.timings };
        report.timings = timings.with_soft(&soft_times);
        Ok(report)
    }

    /// Steps the rigid bodies by a part of a step [s].
    fn step_rigid_bodies(&mut self, part: f64, done: &mut Parts) {
        let settings = self.options.solver_settings();
        self.continuous.begin(&self.physics, &self.handles);
        self.outside.bounces.before_step(&self.physics);
        self.outside.rotation.before_step(&mut self.physics.bodies, part, settings.substeps);
        let stepping = Instant::now();
        self.physics.step_with_events(&self.outside.depenetration, &());
        done.stepped += stepping.elapsed();
        let sweeping = Instant::now();
        if settings.sweeps {
            let overlaps = &self.outside.depenetration;
            self.continuous.finish(&mut self.physics, &self.handles, part, overlaps);
        }
        done.timings.continuous += sweeping.elapsed();
        let counters = &self.physics.physics_pipeline.counters;
        done.timings.broad_phase +=
            counters.cd.broad_phase_time.time() + counters.cd.final_broad_phase_time.time();
        done.timings.narrow_phase += counters.cd.narrow_phase_time.time();
        done.timings.solver += counters.stages.solver_time.time();
        done.lifted += self.work_after_step(part);
    }

    /// In how many parts the next step is taken.
    fn parts_of_next_step(&self) -> u32 {
        let overlaps = &self.outside.depenetration;
        rolling::parts(&self.physics, self.options.time_step, &|body| overlaps.radius(body))
    }

    /// Steps the soft bodies, from the state at the start of the step.
    fn step_soft_bodies(&mut self) -> Result<(Option<SoftReport>, Times), StepError> {
        let (time, step) = (self.time(), self.steps + 1);
        let Some(soft) = &mut self.soft else { return Ok((None, Times::default())) };
        match soft.step(&mut self.physics, &self.options, time) {
            Ok((report, times)) => Ok((Some(report), times)),
            Err(Failure { source, parts }) => {
                let (name, time) = (soft.names_at_fault(&source), time + self.options.time_step);
                Err(StepError::Soft { name, parts, source, step, time })
            }
        }
    }

    /// Rotations, bounces and overlaps after a part of a step [s]. Tells the work against gravity [J] that these took.
    fn work_after_step(&mut self, part: f64) -> f64 {
        let Outside { rotation, bounces, depenetration, watch, .. } = &mut self.outside;
        rotation.after_step(&mut self.physics.bodies, part);
        bounces.after_step(&mut self.physics, &|bodies| depenetration.is_resolving(bodies));
        let lifted = depenetration.after_step(&mut self.physics);
        if let Some(watch) = watch {
            watch.lift(lifted);
        }
        lifted
    }

    /// Begins to watch the run.
    fn begin_to_watch(&mut self) {
        if self.outside.watch.is_none() {
            // Soft bodies are watched by the residual of each of their steps.
            let start = self.soft.is_none().then(|| self.energy());
            let watch = Watch::of(&self.physics, self.descriptions(), &self.handles, start);
            self.outside.watch = Some(watch);
        }
    }

    fn check_step(&self, report: &StepReport) -> Result<(), StepError> {
        let Some(watch) = &self.outside.watch else { return Ok(()) };
        watch.check(&self.physics, self.named_bodies(), report.energy, (report.step, report.time))
    }

    /// What there is to tell of the step, but for the timings.
    fn report(&self) -> StepReport {
        let (mut manifolds, mut contacts) = (0, 0);
        let mut deepest: (f64, Option<[ColliderHandle; 2]>) = (0.0, None);
        for pair in self.physics.narrow_phase.contact_pairs() {
            for manifold in pair.solver_manifolds() {
                manifolds += usize::from(!manifold.data.solver_contacts.is_empty());
                contacts += manifold.data.solver_contacts.len();
                let depth = manifold.points.iter().map(|contact| -contact.dist).fold(0.0, f64::max);
                if depth > deepest.0 {
                    deepest = (depth, Some([pair.collider1, pair.collider2]));
                }
            }
        }
        let speeds = self.named_bodies().map(|(.., body)| body.linvel().length()).enumerate();
        let fastest = speeds.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
        StepReport {
            step: self.steps,
            time: self.time(),
            manifolds,
            contacts,
            max_penetration: deepest.0,
            deepest: deepest.1.and_then(|colliders| self.indices(colliders)),
            resolving: self.outside.depenetration.pairs(),
            lifted: 0.0,
            greatest_speed: fastest.map_or(0.0, |(_, speed)| speed),
            fastest: fastest.map(|(index, _)| index),
            energy: self.energy(),
            momentum: self.momentum(),
            soft: None,
            timings: StepTimings::default(),
        }
    }

    /// Indices of the bodies of two colliders, the lesser first.
    fn indices(&self, colliders: [ColliderHandle; 2]) -> Option<[usize; 2]> {
        let [a, b] = colliders.map(|collider| {
            let body = self.physics.colliders.get(collider)?.parent()?;
            self.handles.iter().position(|&handle| handle == body)
        });
        let (a, b) = (a?, b?);
        Some([a.min(b), a.max(b)])
    }
}
