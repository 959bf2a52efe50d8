//! Monitoring a run: a state that is not finite, a body too fast to be intended, energy from nowhere.

use nalgebra::Vector3;
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::account::{Account, Entry};
use crate::description::{BodyDescription, BodyKind};
use crate::error::StepError;
use crate::rigid::is_link;
use crate::state::Energy;

/// Bounding radii that a body may move in a step: a bullet of 1 cm at a thousand times the speed of sound is slower. A
/// safeguard against runs that have diverged, without effect on the sets of docs/sensitivity.md.
const RADII_PER_STEP: f64 = 1e5;
/// Ratio of the kinetic energy to the energy that can be accounted for above which a run is stopped. It must exceed the
/// errors of the solver at a coarse step; at less, runs that are merely inaccurate end with an error. A safeguard,
/// without effect on the sets of docs/sensitivity.md.
const FAR_BEYOND: f64 = 10.0;

/// Bounds on the speeds and the energy of the bodies.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Monitor {
    /// Maximum speeds [m/s], in the order of the bodies.
    bounds: Vec<f64>,
    /// Energy [J] of the start and of the work that lifted bodies since; `None` where kinematic bodies, robots, handles of
    /// soft bodies or contacts of soft bodies that overlap may do work.
    budget: Option<f64>,
    /// Kinetic energy [J] that is always accounted for.
    floor: f64,
}

impl Monitor {
    /// Monitor of a world at its start, with its energy; `None` where that does not bound the energy of later steps.
    pub(crate) fn of(
        physics: &PhysicsWorld,
        described: &[BodyDescription],
        handles: &[RigidBodyHandle],
        start: Option<Energy>,
    ) -> Self {
        let step = physics.integration_parameters.dt;
        let driven = described.iter().any(|body| body.kind == BodyKind::Kinematic)
            || physics.bodies.iter().any(|(handle, _)| is_link(physics, handle));
        let gravity: Vector3<f64> = physics.gravity.into();
        let scale = |body: &BodyDescription| {
            // Lifting it by its size, or moving it by its size in a second.
            let size = body.shape.bounding_radius();
            gravity.norm() * size + size * size
        };
        let masses = handles.iter().map(|&handle| physics.bodies[handle].mass());
        let floor = described.iter().zip(masses).filter(|(body, _)| body.kind == BodyKind::Dynamic);
        Self {
            bounds: described
                .iter()
                .map(|body| RADII_PER_STEP * body.shape.bounding_radius() / step)
                .collect(),
            budget: start.filter(|_| !driven).map(|start| start.total()),
            floor: floor.map(|(body, mass)| mass * scale(body)).sum(),
        }
    }

    /// Accounts for work [J] that lifted bodies out of overlaps.
    pub(crate) fn lift(&mut self, work: f64) {
        if let Some(budget) = &mut self.budget {
            *budget += work;
        }
    }

    /// Sets the budget to the present energy, where energies are monitored: while a body is pulled.
    pub(crate) fn reset_budget(&mut self, energy: Energy) {
        self.budget = self.budget.map(|_| energy.total());
    }

    /// Checks the bodies `changed`, indices in the order of the names, by their account; others sleep as they were.
    pub(crate) fn check_bodies(
        &self,
        physics: &PhysicsWorld,
        (bodies, handles): (&[BodyDescription], &[RigidBodyHandle]),
        (account, changed): (&Account, &[usize]),
        (step, time): (u64, f64),
    ) -> Result<(), StepError> {
        let lost = physics.quarantine().bodies().first();
        for &body in changed {
            let (Entry { speed, is_finite, .. }, bound) = (account.entries()[body], self.bounds[body]);
            let name = || bodies[body].name.clone();
            if !is_finite || Some(&handles[body]) == lost {
                return Err(StepError::Diverged { name: name(), step, time });
            }
            if !(speed <= bound) {
                return Err(StepError::TooFast { name: name(), speed, bound, step, time });
            }
        }
        Ok(())
    }

    /// Checks the energy of the bodies, given in the order of the names with their handles.
    pub(crate) fn check_energy<'a>(
        &self,
        bodies: impl Iterator<Item = (&'a str, RigidBodyHandle, &'a RigidBody)>,
        energy: Energy,
        (step, time): (u64, f64),
    ) -> Result<(), StepError> {
        let Some(budget) = self.budget else { return Ok(()) };
        let explained = f64::max(budget - energy.potential, 0.0);
        // The floor keeps a world that starts at rest from being stopped by its first small motions.
        if energy.kinetic <= FAR_BEYOND * (explained + self.floor) {
            return Ok(());
        }
        let kinetic = |body: &RigidBody| body.kinetic_energy();
        let max = bodies.max_by(|(.., a), (.., b)| kinetic(a).total_cmp(&kinetic(b)));
        let name = max.map_or(String::new(), |(name, ..)| name.to_owned());
        Err(StepError::EnergyGrown { name, kinetic: energy.kinetic, explained, step, time })
    }
}
