//! Algorithms of the passes of a world, and their states.

use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::awake::Awake;
use super::continuous::ContinuousCollision;
use super::depenetration::Depenetration;
use super::free_rotation::FreeRotation;
use super::monitor::Monitor;
use super::pair_contacts::PairContacts;
use super::refinement::Refinement;
use super::rest::Rests;
use super::restitution::Restitution;
use super::rolling;
use crate::description::BodyDescription;
use crate::options::WorldOptions;
use crate::profile::Profiler;
use crate::stateful::{Mismatch, Stateful};

/// The algorithms around rapier's step.
pub(crate) struct Passes {
    pub(crate) awake: Awake,
    pub(crate) rests: Rests,
    pub(crate) account: Account,
    /// Contacts of the last part.
    pub(crate) contacts: Vec<PairContacts>,
    pub(crate) continuous: ContinuousCollision,
    pub(crate) rotation: FreeRotation,
    pub(crate) restitution: Restitution,
    pub(crate) depenetration: Depenetration,
    /// Monitor with the energy of the start; `None` before the first step.
    pub(crate) monitor: Option<Monitor>,
    pub(crate) refinement: Refinement,
    /// Number of parts of the next step.
    pub(crate) parts: u32,
    /// Length of the last part [s]: impulses of contacts are those of that duration.
    pub(crate) part: f64,
}

impl Passes {
    /// Passes of a world with bodies in the order of their handles; `robots` are the links of those that rapier does not joint.
    pub(crate) fn of(
        physics: &PhysicsWorld,
        bodies: &[BodyDescription],
        handles: &[RigidBodyHandle],
        (options, profiler, robots): (&WorldOptions, &Profiler, &[Vec<RigidBodyHandle>]),
    ) -> Self {
        let slow = options.solver_settings().least_bounce_speed;
        Self {
            awake: Awake::of(physics, handles, options.sleep.is_some()),
            rests: Rests::of(bodies, handles, options.sleep.as_ref()),
            account: Account::default(),
            contacts: Vec::new(),
            continuous: ContinuousCollision::new(physics, bodies, handles, (profiler, robots)),
            rotation: FreeRotation::of(physics, handles),
            restitution: Restitution::of(physics, bodies, handles, slow),
            depenetration: Depenetration::of(
                physics,
                bodies,
                handles,
                (options.recoverable_depth(), profiler),
            ),
            monitor: None,
            refinement: Refinement::default(),
            parts: 1,
            part: options.time_step,
        }
    }
}

/// States of the algorithms; continuous collision detection has none, and which bodies sleep is rapier's.
#[derive(Serialize, Deserialize)]
pub(crate) struct PassesState {
    rests: <Rests as Stateful>::State,
    rotation: <FreeRotation as Stateful>::State,
    restitution: <Restitution as Stateful>::State,
    depenetration: <Depenetration as Stateful>::State,
    refinement: Refinement,
    parts: u32,
    part: f64,
    monitor: Option<Monitor>,
}

impl Stateful for Passes {
    type State = PassesState;

    fn snapshot(&self) -> PassesState {
        PassesState {
            rests: self.rests.snapshot(),
            rotation: self.rotation.snapshot(),
            restitution: self.restitution.snapshot(),
            depenetration: self.depenetration.snapshot(),
            refinement: self.refinement.clone(),
            parts: self.parts,
            part: self.part,
            monitor: self.monitor.clone(),
        }
    }

    fn restore(&mut self, state: PassesState) -> Result<(), Mismatch> {
        self.rests.restore(state.rests)?;
        self.rotation.restore(state.rotation)?;
        self.restitution.restore(state.restitution)?;
        self.depenetration.restore(state.depenetration)?;
        // A forged checkpoint could ask for any number.
        self.refinement = state.refinement.bounded();
        self.parts = state.parts.clamp(1, rolling::MAX_PARTS);
        (self.part, self.monitor) = (state.part, state.monitor);
        Ok(())
    }
}
