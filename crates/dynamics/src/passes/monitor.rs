//! Monitoring a run: a state that is not finite, a body too fast to be meant, energy from nowhere.

use nalgebra::Vector3;
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use crate::description::{BodyDescription, BodyKind};
use crate::error::StepError;
use crate::state::Energy;

/// Bounding radii that a body may move in a step: a bullet of 1 cm at a thousand times the speed of sound is slower.
const RADII_PER_STEP: f64 = 1e5;
/// How many times the energy that can be explained counts as far beyond it.
const FAR_BEYOND: f64 = 10.0;

/// What bodies may do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Monitor {
    /// Greatest speeds [m/s], in the order of the bodies.
    bounds: Vec<f64>,
    /// Energy [J] of the start and of what was lifted since; none where moving bodies, robots or
    /// handles of soft bodies may do work, or contacts of soft bodies that overlap.
    budget: Option<f64>,
    /// Least kinetic energy [J] that can be far beyond anything.
    floor: f64,
}

impl Monitor {
    /// Of a world at its start, with the energy that it has then; none where that says nothing of what comes.
    pub(crate) fn of(
        physics: &PhysicsWorld,
        described: &[BodyDescription],
        handles: &[RigidBodyHandle],
        start: Option<Energy>,
    ) -> Self {
        let step = physics.integration_parameters.dt;
        let driven = described.iter().any(|body| body.kind == BodyKind::Kinematic)
            || physics.multibody_joints.iter().next().is_some();
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

    /// Takes the energy as it is for explained, where energies are monitored: somebody pulls.
    pub(crate) fn begin_anew(&mut self, energy: Energy) {
        self.budget = self.budget.map(|_| energy.total());
    }

    /// Whether all is well with the bodies, given in the order of the names with their handles.
    pub(crate) fn check<'a>(
        &self,
        physics: &PhysicsWorld,
        bodies: impl Iterator<Item = (&'a str, RigidBodyHandle, &'a RigidBody)> + Clone,
        energy: Energy,
        (step, time): (u64, f64),
    ) -> Result<(), StepError> {
        let lost = physics.quarantine().bodies().first();
        for ((name, handle, body), &bound) in bodies.clone().zip(&self.bounds) {
            let finite =
                body.translation().is_finite() && body.linvel().is_finite() && body.angvel().is_finite();
            let name = || name.to_owned();
            if !finite || Some(&handle) == lost {
                return Err(StepError::Diverged { name: name(), step, time });
            }
            let speed = body.linvel().length();
            if !(speed <= bound) {
                return Err(StepError::TooFast { name: name(), speed, bound, step, time });
            }
        }
        let Some(budget) = self.budget else { return Ok(()) };
        let explained = f64::max(budget - energy.potential, 0.0);
        if energy.kinetic <= FAR_BEYOND * (explained + self.floor) {
            return Ok(());
        }
        let kinetic = |body: &RigidBody| body.kinetic_energy();
        let most = bodies.max_by(|(.., a), (.., b)| kinetic(a).total_cmp(&kinetic(b)));
        let name = most.map_or(String::new(), |(name, ..)| name.to_owned());
        Err(StepError::EnergyGrown { name, kinetic: energy.kinetic, explained, step, time })
    }
}
