//! Account of a world's bodies: speed, energy and momentum of each, and their sums in the order of the names.
//!
//! A body that sleeps retains its entry; the others are renewed after every step, in parallel. The sums do not depend on
//! the threads: they are taken in the order of the names.

use extricate_core::parallel;
use nalgebra::Vector3;
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;

use crate::rigid::{energy_of, momentum_of};
use crate::state::{Energy, Momentum};

/// Number of bodies below which threads would cost more than they save.
const MIN_PER_THREAD: usize = 256;

/// Entry of a body.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entry {
    /// Speed of the centre of mass [m/s].
    pub(crate) speed: f64,
    /// Angular speed [rad/s].
    pub(crate) spin: f64,
    /// Whether pose and velocity are finite.
    pub(crate) is_finite: bool,
    /// Energy and momentum of a dynamic body.
    dynamic: Option<(Energy, Momentum)>,
}

impl Entry {
    fn of(body: &RigidBody, gravity: &Vector3<f64>) -> Self {
        Self {
            speed: body.linvel().length(),
            spin: body.angvel().length(),
            is_finite: body.translation().is_finite()
                && body.linvel().is_finite()
                && body.angvel().is_finite(),
            dynamic: body.is_dynamic().then(|| (energy_of(body, gravity), momentum_of(body))),
        }
    }
}

/// Entries of the bodies of a world, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Account {
    entries: Vec<Entry>,
}

impl Account {
    /// Renews the entries of the bodies `changed`: indices in `handles`, in ascending order. The first call renews all.
    pub(crate) fn update(&mut self, physics: &PhysicsWorld, handles: &[RigidBodyHandle], changed: &[usize]) {
        let gravity: Vector3<f64> = physics.gravity.into();
        let entry = |&body: &usize| Entry::of(&physics.bodies[handles[body]], &gravity);
        if self.entries.len() != handles.len() {
            self.entries = vec![Entry::default(); handles.len()];
        }
        for (&body, renewed) in changed.iter().zip(parallel::map_slice(changed, MIN_PER_THREAD, entry)) {
            self.entries[body] = renewed;
        }
    }

    /// Entries in the order of the names.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Energy of the dynamic bodies, added to `start`.
    pub(crate) fn energy(&self, start: Energy) -> Energy {
        let energies = self.entries.iter().filter_map(|entry| entry.dynamic.as_ref());
        energies.fold(start, |sum, (energy, _)| sum.plus(energy))
    }

    /// Momentum of the dynamic bodies, added to `start`.
    pub(crate) fn momentum(&self, start: Momentum) -> Momentum {
        let momenta = self.entries.iter().filter_map(|entry| entry.dynamic.as_ref());
        momenta.fold(start, |sum, (_, momentum)| sum.plus(momentum))
    }
}
