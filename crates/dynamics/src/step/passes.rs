//! Passes of a step, each over the parts of the world that it needs.

use std::time::Instant;

use rapier3d::dynamics::RigidBodyHandle;

use super::progress::Progress;
use super::report::StepReport;
use crate::error::StepError;
use crate::multibody::ahead::RobotsAhead;
use crate::multibody::solver::Bounces;
use crate::passes::monitor::Monitor;
use crate::passes::pair_contacts::PairContacts;
use crate::passes::refinement::Refinement;
use crate::passes::{Passes, pair_contacts, rolling};
use crate::profile::Phase;
use crate::pull;
use crate::rigid::raw;
use crate::robot::body::RobotBody;
use crate::robot::expectation::Expectation;
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
    let near = soft.links_near(&world.physics, &world.options.soft, dt);
    let is_near = |link: RigidBodyHandle| near.get(raw(link)).is_some_and(|near| *near);
    let has_near = |robot: &RobotBody| !near.is_empty() && robot.links().into_iter().any(is_near);
    for robot in &mut world.robots {
        let is_beside = has_near(robot);
        robot.set_beside_soft(is_beside);
        if is_beside {
            robot.foresee(&world.physics, (time, dt));
        }
    }
    let mut ahead = RobotsAhead::new(&world.robots, &is_near, (&world.physics, dt));
    let done = soft.step(&mut world.physics, &world.options.soft, (time, dt), &mut ahead);
    let expectations = ahead.expectations(&world.physics);
    let (report, times) = done.map_err(|Failure { source, parts }| {
        let name = soft.names_at_fault(&source);
        StepError::Soft { name, parts, source: Box::new(source), step, time: time + dt }
    })?;
    world.robots.iter_mut().for_each(|robot| robot.expect(Expectation::default()));
    expectations.into_iter().for_each(|(robot, expectation)| world.robots[robot].expect(expectation));
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
    let start = world.time() + progress.elapsed;
    for robot in &mut world.robots {
        robot.prepare(&mut world.physics, (start, progress.part));
    }
    if world.has_trees() {
        world.multibody.begin(&world.physics);
    }
}

/// Solves robots, and the bodies connected with them by contacts, in generalized coordinates.
pub(super) fn step_robots(world: &mut World, progress: &mut Progress) {
    for robot in &mut world.robots {
        robot.read_efforts(&world.physics, progress.part);
    }
    if world.has_trees() {
        let started = Instant::now();
        let Passes { restitution, depenetration, .. } = &world.passes;
        let coefficient = |bodies: [RigidBodyHandle; 2]| {
            let is_resolving = depenetration.is_resolving(bodies.map(raw));
            if is_resolving { 0.0 } else { restitution.coefficient(bodies) }
        };
        let bounces = Bounces { coefficient: &coefficient, slow: restitution.slow() };
        world.multibody.step(&mut world.physics, &mut world.robots, (progress.part, &bounces));
        progress.report.timings.solver += started.elapsed();
        progress.report.robots = Some(world.multibody.report);
    }
}

/// Reads which bodies are awake at the start of a part, and for how long they have rested.
pub(super) fn find_awake(world: &mut World, progress: &mut Progress) {
    let Passes { awake, rests, .. } = &mut world.passes;
    awake.update(&world.physics);
    rests.update(&mut world.physics.bodies, awake, progress.part);
}

pub(super) fn start_continuous_collision(world: &mut World, _: &mut Progress) {
    let Passes { awake, continuous, .. } = &mut world.passes;
    continuous.begin(&world.physics, &world.handles, awake.changed_at_start());
}

pub(super) fn start_restitution(world: &mut World, _: &mut Progress) {
    let Passes { awake, restitution, .. } = &mut world.passes;
    restitution.before_step(&world.physics, awake.changed_at_start());
    awake.started();
}

pub(super) fn start_free_rotation(world: &mut World, progress: &mut Progress) {
    let substeps = world.options.solver_settings().substeps * world.passes.refinement.factor();
    let Passes { awake, rotation, .. } = &mut world.passes;
    rotation.before_step(&mut world.physics.bodies, awake, (progress.part, substeps));
}

/// Makes rapier's own step, with the contacts of our dispatcher; overlaps that are being resolved are hidden from its solver.
pub(super) fn step_rigid_bodies(world: &mut World, progress: &mut Progress) {
    let started = Instant::now();
    world.enter(Phase::Rigid);
    let base = world.physics.integration_parameters;
    world.passes.refinement.apply(&mut world.physics.integration_parameters);
    world.physics.step_with_events(&world.passes.depenetration, &());
    world.physics.integration_parameters = base;
    progress.stepped += started.elapsed();
    let Passes { awake, contacts, .. } = &mut world.passes;
    awake.update(&world.physics);
    pair_contacts::collect(&world.physics, awake, contacts);
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
        let Passes { awake, contacts, continuous, depenetration, .. } = &mut world.passes;
        let present = (&*awake, &contacts[..], &*depenetration);
        let stopped = continuous.finish(&mut world.physics, &world.handles, present, progress.part);
        for robot in &mut world.robots {
            robot.rewind(&mut world.physics, &stopped);
        }
        progress.report.timings.continuous += started.elapsed();
    }
}

pub(super) fn finish_free_rotation(world: &mut World, progress: &mut Progress) {
    let World { passes, physics, multibody, .. } = world;
    let memory = multibody.memory();
    passes.rotation.after_step(&mut physics.bodies, progress.part, |body| memory.solved(body));
}

pub(super) fn apply_restitution(world: &mut World, _: &mut Progress) {
    let Passes { restitution, depenetration, .. } = &world.passes;
    let memory = world.multibody.memory();
    let overlapping = |bodies: [usize; 2]| depenetration.is_resolving(bodies);
    let collided = |body: usize| memory.solved(body);
    restitution.after_step(&mut world.physics, (&overlapping, &collided));
}

/// Separates overlaps by position, and accounts for the work against gravity [J].
pub(super) fn resolve_overlaps(world: &mut World, progress: &mut Progress) {
    world.enter(Phase::Overlaps);
    let Passes { awake, contacts, depenetration, .. } = &mut world.passes;
    let lifted = depenetration.after_step(&mut world.physics, awake, contacts);
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

/// Renews speeds, energies and momenta of the bodies that may have changed.
pub(super) fn renew_account(world: &mut World, _: &mut Progress) {
    let Passes { awake, account, .. } = &mut world.passes;
    account.update(&world.physics, &world.handles, awake.changed_since_report());
}

/// Deepest overlap that more substeps would reduce, as a fraction of the size of the smaller body. Links are solved without substeps, what is
/// separated by position bears no load, and bodies that roll fast sink in because their contacts are those of the start of the part.
fn loaded_overlap(world: &World) -> f64 {
    /// Factor on the estimate of the sink of rolling bodies.
    const ROLLING: f64 = 2.0;
    let memory = world.multibody.memory();
    let Passes { awake, account, contacts, depenetration, part, .. } = &world.passes;
    let fall = world.options.gravity.norm() * part * part;
    let rolls = |body: usize| {
        let radius = depenetration.size([body; 2]);
        let spin = awake.index_of_raw(body).map_or(0.0, |index| account.entries()[index].spin);
        if spin > 0.0 { ROLLING * radius * rolling::sinking(fall, (spin * part, radius)) } else { 0.0 }
    };
    let overlap = |pair: &PairContacts| {
        let size = depenetration.size(pair.bodies);
        let is_shallow = pair.depth <= Refinement::SHALLOW * size;
        let is_left_out =
            || depenetration.is_resolving(pair.bodies) || pair.bodies.iter().any(|&body| memory.solved(body));
        if is_shallow || is_left_out() {
            return 0.0;
        }
        let by_rolling = pair.bodies.map(rolls).into_iter().fold(0.0, f64::max);
        (pair.depth - by_rolling) / size
    };
    contacts.iter().map(overlap).fold(0.0, f64::max)
}

/// Determines the number of parts and of substeps of the next step.
pub(super) fn plan_step(world: &mut World, progress: &mut Progress) {
    let overlap = loaded_overlap(world);
    let refinement = &mut world.passes.refinement;
    progress.report.substeps = world.options.solver_settings().substeps * refinement.factor();
    refinement.update(overlap, &world.options);
    let Passes { awake, account, depenetration: overlaps, .. } = &world.passes;
    let radius = |body| overlaps.radius(body);
    let step = world.options.time_step;
    world.passes.parts = rolling::parts(&world.physics, (awake, account), &world.handles, step, &radius);
}

/// Reports contacts, speeds, energy and momentum at the end of the step.
pub(super) fn report_state(world: &mut World, progress: &mut Progress) {
    let Passes { awake, account, contacts: pairs, .. } = &world.passes;
    let (mut manifolds, mut contacts) = (0, 0);
    let mut deepest: (f64, Option<[usize; 2]>) = (0.0, None);
    for pair in pairs {
        manifolds += pair.manifolds;
        contacts += pair.contacts;
        if pair.depth > deepest.0 {
            deepest = (pair.depth, Some(pair.bodies));
        }
    }
    let indices = deepest.1.and_then(|[a, b]| Some([awake.index_of_raw(a)?, awake.index_of_raw(b)?]));
    let speeds = awake.bodies().iter().map(|&body| (body, account.entries()[body].speed));
    // Of equal speeds the first body, so that the report does not depend on the search.
    let fastest = speeds.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
    // A body that sleeps has the same speed as one that is awake and does not move.
    let first = (!world.bodies.is_empty()).then_some((0, 0.0));
    let fastest = fastest.filter(|&(_, speed)| !(speed <= 0.0)).or(first);
    let (energy, momentum) = world.accounted();
    progress.report = StepReport {
        step: world.steps,
        time: world.time(),
        manifolds,
        contacts,
        max_penetration: deepest.0,
        deepest: indices.map(|[a, b]| [a.min(b), a.max(b)]),
        resolving: world.passes.depenetration.pairs(),
        asleep: awake.asleep(),
        max_speed: fastest.map_or(0.0, |(_, speed)| speed),
        fastest: fastest.map(|(index, _)| index),
        energy,
        momentum,
        ..progress.report
    };
}

/// Checks that the state is finite, slow enough, and accounted for by the energy at the start. While a body is pulled, the
/// budget is the present energy.
pub(super) fn check_monitor(world: &mut World, progress: &mut Progress) -> Result<(), StepError> {
    let StepReport { energy, step, time, .. } = progress.report;
    let Passes { awake, account, monitor, .. } = &mut world.passes;
    if let (Some(_), Some(monitor)) = (&world.pull, &mut *monitor) {
        monitor.reset_budget(energy);
    }
    if let Some(monitor) = &monitor {
        let named = (&world.bodies[..], &world.handles[..]);
        let changed = awake.changed_since_report();
        monitor.check_bodies(&world.physics, named, (account, changed), (step, time))?;
    }
    awake.reported();
    let Some(monitor) = &world.passes.monitor else { return Ok(()) };
    monitor.check_energy(world.named_bodies(), energy, (step, time))
}
