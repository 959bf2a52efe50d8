//! Monitors of a run while it runs: the checker of the scene's expectations, extremes, and soft bodies.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::monitor::{Monitor, MonitorState};
use super::profile::Profile;
use super::soft::{SoftMonitor, SoftMonitorState};
use super::summary::OutsideTimes;
use super::{Hash, Manifest, RecordError, Summary, Timing, WorldState, WorstPenetration, host_name};
use crate::scene::{Judge, JudgeState, Scene, overlaps, soft_overlaps};
use extricate_core::penetration::Effort;
use extricate_dynamics::{BodyPenetration, StepError, StepReport, World};

/// Monitors of a run while it runs.
pub(super) struct Trajectory<'a> {
    manifest: &'a Manifest,
    checker: Judge<'a>,
    worst: WorstPenetration,
    monitor: Monitor,
    soft: SoftMonitor,
}

/// State of the monitors, for a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TrajectoryState {
    checker: JudgeState,
    /// Worst penetration: relative depth, time [s] and bodies.
    worst: (f64, f64, Option<[String; 2]>),
    monitor: MonitorState,
    soft: Option<SoftMonitorState>,
}

/// Depth relative to the size of the smaller body. Depths are finite.
fn relative_depth(pair: &BodyPenetration) -> f64 {
    pair.depth / pair.size
}

impl<'a> Trajectory<'a> {
    /// Monitors of the run of a world at its start.
    pub(super) fn new(scene: &'a Scene, manifest: &'a Manifest, world: &World) -> Self {
        let checker = Judge::new(
            &scene.expect,
            world.descriptions(),
            world.soft_descriptions(),
            &scene.options.gravity,
        );
        let worst = WorstPenetration { relative: 0.0, time: 0.0, bodies: None };
        Self { manifest, checker, worst, monitor: Monitor::new(world), soft: SoftMonitor::new(world) }
    }

    /// State so far, to be restored: with the world it determines the rest of the run.
    pub(super) fn snapshot(&self) -> TrajectoryState {
        let WorstPenetration { relative, time, bodies } = self.worst.clone();
        TrajectoryState {
            checker: self.checker.snapshot(),
            worst: (relative, time, bodies),
            monitor: self.monitor.snapshot(),
            soft: self.soft.snapshot(),
        }
    }

    /// Continues from a snapshot; false where that is of another scene.
    #[must_use]
    pub(super) fn restore(&mut self, state: TrajectoryState) -> bool {
        let (relative, time, bodies) = state.worst;
        self.worst = WorstPenetration { relative, time, bodies };
        self.monitor.restore(state.monitor);
        self.soft.restore(state.soft);
        self.checker.restore(state.checker)
    }

    /// Takes a step into account, recorded or not.
    pub(super) fn follow(&mut self, world: &World, report: &StepReport) {
        self.checker.follow_energy(report.energy);
        if let Some(soft) = &report.soft {
            self.checker.follow_contacts(soft);
        }
        self.monitor.follow(world, report);
        self.soft.follow(world, report);
    }

    /// Observes the current world, and returns its state; `contacts` are those of the step.
    pub(super) fn observe(&mut self, world: &World, contacts: usize) -> Result<WorldState, RecordError> {
        let mut penetrations = overlaps(world, Effort::Best)?;
        penetrations.extend(soft_overlaps(world));
        let deepest = penetrations.iter().max_by(|a, b| relative_depth(a).total_cmp(&relative_depth(b)));
        let relative = deepest.map_or(0.0, relative_depth);
        if let Some(pair) = deepest.filter(|_| relative > self.worst.relative) {
            let bodies = pair.bodies.clone();
            self.worst = WorstPenetration { relative, time: world.time(), bodies: Some(bodies) };
        }
        let state = WorldState {
            contacts,
            max_penetration: penetrations.iter().map(|pair| pair.depth).fold(0.0, f64::max),
            relative_penetration: relative,
            ..WorldState::of(world)
        };
        // JSON has no NaN: a diverged soft body would make the record unreadable.
        if let Some(lost) = state.soft.iter().find(|soft| !soft.state.volume.is_finite()) {
            let (name, step, time) = (lost.name.clone(), state.step, state.time);
            return Err(StepError::Diverged { name, step, time }.into());
        }
        self.checker.observe(&state);
        self.soft.observe(&state.soft);
        Ok(state)
    }

    /// Summary of the run; verdicts are left out unless `with_verdicts`.
    pub(super) fn summary(&self, world: &World, with_verdicts: bool) -> Summary {
        let expect = if with_verdicts { self.checker.verdicts() } else { Vec::new() };
        let manifest = self.manifest;
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            libraries: BTreeMap::from([("rapier3d-f64", rapier3d::VERSION)]),
            scene: manifest.scene.clone(),
            title: manifest.title.clone(),
            input_hash: manifest.input_hash,
            seed: manifest.seed,
            time_step: world.options().time_step,
            steps: world.steps(),
            time: world.time(),
            bodies: world.descriptions().len(),
            moved: manifest.moved.clone(),
            joints_moved: manifest.joints_moved.clone(),
            worst_penetration: self.worst.clone(),
            deepest_contact: self.monitor.deepest(),
            max_speed: self.monitor.fastest(),
            energy: self.checker.energy().expect("the start was observed"),
            momentum: self.monitor.momentum(world),
            soft: self.soft.summary(),
            hash: Hash(world.hash()),
            pass: expect.iter().all(|verdict| verdict.pass),
            expect,
        }
    }

    /// Timing of `simulated` seconds [s] that took the time `wall`, with the times outside the steps.
    pub(super) fn timing(
        &self,
        world: &World,
        (wall, simulated): (Duration, f64),
        outside: OutsideTimes,
    ) -> Timing {
        Timing {
            host: host_name(),
            threads: rayon::current_num_threads(),
            wall_time: wall.as_secs_f64(),
            real_time_factor: simulated / wall.as_secs_f64(),
            step_ms: self.monitor.percentiles().collect(),
            slowest_step: self.monitor.slowest_step(),
            outside,
            profile: Profile::of(world, &self.monitor),
        }
    }
}
