//! Passes of a step, each over the parts of the world that it needs.

use std::time::Instant;

use rapier3d::geometry::ColliderHandle;

use super::progress::Progress;
use super::report::StepReport;
use crate::error::StepError;
use crate::passes::monitor::Monitor;
use crate::passes::{Passes, rolling};
use crate::profile::Phase;
use crate::pull;
use crate::soft::bodies::Failure;
use crate::world::World;

pub(super) fn start_monitoring(world: &mut World, _: &mut Progress) {
    if world.passes.monitor.is_none() {
        // Soft bodies are monitored by the residual of each of their steps.
        let start = world.soft.is_none().then(|| world.energy());
        world.passes.monitor = Some(Monitor::of(&world.physics, &world.bodies, &world.handles, start));
    }
}

/// Steps the soft bodies, from the state at the start of the step, and applies their forces to the rigid bodies.
pub(super) fn step_soft_bodies(world: &mut World, progress: &mut Progress) -> Result<(), StepError> {
    let (time, step, dt) = (world.time(), world.steps + 1, world.options.time_step);
    if world.soft.is_some() {
        world.enter(Phase::Soft);
    }
    let Some(soft) = &mut world.soft else { return Ok(()) };
    let done = soft.step(&mut world.physics, &world.options.soft, (time, dt));
    let (report, times) = done.map_err(|Failure { source, parts }| {
        let name = soft.names_at_fault(&source);
        StepError::Soft { name, parts, source: Box::new(source), step, time: time + dt }
    })?;
    (progress.report.soft, progress.soft_times) = (Some(report), times);
    Ok(())
}

/// Applies the pull at a rigid body for the duration of the step.
pub(super) fn start_pull(world: &mut World, progress: &mut Progress) {
    let Some(pull) = world.rigid_pull() else { return };
    let begun = pull.begin(&mut world.physics, world.options.time_step);
    progress.pulled = begun.map(|()| pull.handle);
}

/// Sets the forces within the joints of all robots for a part of the step.
pub(super) fn drive_robots(world: &mut World, progress: &mut Progress) {
    for robot in &mut world.robots {
        robot.prepare(&mut world.physics, progress.part);
    }
}

pub(super) fn start_continuous_collision(world: &mut World, _: &mut Progress) {
    world.passes.continuous.begin(&world.physics, &world.handles);
}

pub(super) fn start_restitution(world: &mut World, _: &mut Progress) {
    world.passes.restitution.before_step(&world.physics);
}

pub(super) fn start_free_rotation(world: &mut World, progress: &mut Progress) {
    let substeps = world.options.solver_settings().substeps;
    world.passes.rotation.before_step(&mut world.physics.bodies, progress.part, substeps);
}

/// Makes rapier's own step, with the contacts of our dispatcher; overlaps that are being resolved are hidden from its solver.
pub(super) fn step_rigid_bodies(world: &mut World, progress: &mut Progress) {
    let started = Instant::now();
    world.enter(Phase::Rigid);
    world.physics.step_with_events(&world.passes.depenetration, &());
    progress.stepped += started.elapsed();
    let counters = &world.physics.physics_pipeline.counters;
    let timings = &mut progress.report.timings;
    timings.broad_phase += counters.cd.broad_phase_time.time() + counters.cd.final_broad_phase_time.time();
    timings.narrow_phase += counters.cd.narrow_phase_time.time();
    timings.solver += counters.stages.solver_time.time();
}

/// Continuous collision detection: fast bodies stop at their first contact.
pub(super) fn stop_at_contacts(world: &mut World, progress: &mut Progress) {
    if world.options.solver_settings().sweeps {
        let started = Instant::now();
        world.enter(Phase::Continuous);
        let Passes { continuous, depenetration, .. } = &world.passes;
        continuous.finish(&mut world.physics, &world.handles, progress.part, depenetration);
        progress.report.timings.continuous += started.elapsed();
    }
}

pub(super) fn finish_free_rotation(world: &mut World, progress: &mut Progress) {
    world.passes.rotation.after_step(&mut world.physics.bodies, progress.part);
}

pub(super) fn apply_restitution(world: &mut World, _: &mut Progress) {
    let Passes { restitution, depenetration, .. } = &world.passes;
    restitution.after_step(&mut world.physics, &|bodies| depenetration.is_resolving(bodies));
}

/// Separates overlaps by position, and accounts for the work against gravity [J].
pub(super) fn resolve_overlaps(world: &mut World, progress: &mut Progress) {
    world.enter(Phase::Overlaps);
    let lifted = world.passes.depenetration.after_step(&mut world.physics);
    if let Some(monitor) = &mut world.passes.monitor {
        monitor.lift(lifted);
    }
    progress.report.lifted += lifted;
}

pub(super) fn end_pull(world: &mut World, progress: &mut Progress) {
    if let Some(handle) = progress.pulled {
        pull::rigid::end(&mut world.physics, handle);
    }
}

/// Determines the number of parts of the next step.
pub(super) fn plan_parts(world: &mut World, _: &mut Progress) {
    let overlaps = &world.passes.depenetration;
    world.passes.parts =
        rolling::parts(&world.physics, world.options.time_step, &|body| overlaps.radius(body));
}

/// Reports contacts, speeds, energy and momentum at the end of the step.
pub(super) fn report_state(world: &mut World, progress: &mut Progress) {
    let (mut manifolds, mut contacts) = (0, 0);
    let mut deepest: (f64, Option<[ColliderHandle; 2]>) = (0.0, None);
    for pair in world.physics.narrow_phase.contact_pairs() {
        for manifold in pair.solver_manifolds() {
            manifolds += usize::from(!manifold.data.solver_contacts.is_empty());
            contacts += manifold.data.solver_contacts.len();
            let depth = manifold.points.iter().map(|contact| -contact.dist).fold(0.0, f64::max);
            if depth > deepest.0 {
                deepest = (depth, Some([pair.collider1, pair.collider2]));
            }
        }
    }
    let speeds = world.named_bodies().map(|(.., body)| body.linvel().length()).enumerate();
    // Of equal speeds the first body, so that the report does not depend on the search.
    let fastest = speeds.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
    let indices = deepest.1.and_then(|colliders| world.indices(colliders));
    progress.report = StepReport {
        step: world.steps,
        time: world.time(),
        manifolds,
        contacts,
        max_penetration: deepest.0,
        deepest: indices.map(|[a, b]| [a.min(b), a.max(b)]),
        resolving: world.passes.depenetration.pairs(),
        max_speed: fastest.map_or(0.0, |(_, speed)| speed),
        fastest: fastest.map(|(index, _)| index),
        energy: world.energy(),
        momentum: world.momentum(),
        ..progress.report
    };
}

/// Checks that the state is finite, slow enough, and accounted for by the energy at the start. While a body is pulled, the
/// budget is the present energy.
pub(super) fn check_monitor(world: &mut World, progress: &mut Progress) -> Result<(), StepError> {
    let StepReport { energy, step, time, .. } = progress.report;
    if let (Some(_), Some(monitor)) = (&world.pull, &mut world.passes.monitor) {
        monitor.reset_budget(energy);
    }
    let Some(monitor) = &world.passes.monitor else { return Ok(()) };
    monitor.check(&world.physics, world.named_bodies(), energy, (step, time))
}
