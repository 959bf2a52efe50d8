//! A world: bodies and joints under gravity, stepped by rapier with contacts of ours.

use std::sync::OnceLock;
use std::time::Duration;

use nalgebra::Isometry3;
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::{Collider, ColliderHandle};
use rapier3d::pipeline::PhysicsWorld;

use crate::contact::dispatcher::ContactTally;
use crate::description::BodyDescription;
use crate::multibody::MultibodySolver;
use crate::options::WorldOptions;
use crate::passes::Passes;
use crate::pull::Pull;
use crate::rigid::{body_state, energy_of, momentum_of};
use crate::robot::body::RobotBody;
use crate::robot::tree::RobotTree;
use crate::soft::bodies::world::SoftWorld;
use crate::state::{BodyState, Energy, Momentum, StateHash};

/// Preparation of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preparation {
    /// Number of shapes; bodies may share them.
    pub shapes: usize,
    /// Wall-clock time.
    pub time: Duration,
}

/// Bodies and joints under gravity.
pub struct World {
    pub(crate) options: WorldOptions,
    pub(crate) physics: PhysicsWorld,
    pub(crate) tally: ContactTally,
    /// Sorted by name.
    pub(crate) bodies: Vec<BodyDescription>,
    /// In the order of `bodies`.
    pub(crate) handles: Vec<RigidBodyHandle>,
    /// Sorted by name.
    pub(crate) robots: Vec<RobotBody>,
    pub(crate) multibody: MultibodySolver,
    pub(crate) steps: u64,
    pub(crate) passes: Passes,
    pub(crate) soft: Option<Box<SoftWorld>>,
    pub(crate) pull: Option<Pull>,
    /// Preparation, once it was made.
    pub(crate) preparation: OnceLock<Preparation>,
}

impl World {
    /// Options with which the world was built.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Number of steps taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time since the start \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "2^53 steps are out of reach")]
        let steps = self.steps as f64;
        steps * self.options.time_step
    }

    /// The bodies as they were described, sorted by name.
    #[must_use]
    pub fn descriptions(&self) -> &[BodyDescription] {
        &self.bodies
    }

    /// States of all bodies, sorted by name.
    #[must_use]
    pub fn bodies(&self) -> Vec<BodyState> {
        self.named_bodies().map(|(name, _, body)| body_state(name, body)).collect()
    }

    /// State of one body.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyState> {
        let index = self.index_of(name)?;
        Some(body_state(name, &self.physics.bodies[self.handles[index]]))
    }

    /// Mechanical energy of the dynamic and the soft bodies.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let gravity = &self.options.gravity;
        let start = self.soft_energy().plus(&self.robot_energy());
        self.dynamic_bodies().fold(start, |sum, body| sum.plus(&energy_of(body, gravity)))
    }

    /// Momentum of the dynamic and the soft bodies.
    #[must_use]
    pub fn momentum(&self) -> Momentum {
        self.dynamic_bodies().fold(self.soft_momentum(), |sum, body| sum.plus(&momentum_of(body)))
    }

    /// Energy and momentum as the account of the passes has them: of bodies that sleep as they were when they fell asleep.
    pub(crate) fn accounted(&self) -> (Energy, Momentum) {
        let gravity = &self.options.gravity;
        let account = &self.passes.account;
        let other = self.soft_energy().plus(&self.robot_energy());
        let mut sums = (account.energy(other), account.momentum(self.soft_momentum()));
        for body in self.hidden_bodies().filter(|body| body.is_dynamic()) {
            sums = (sums.0.plus(&energy_of(body, gravity)), sums.1.plus(&momentum_of(body)));
        }
        sums
    }

    /// Energy of the rotors of robots, which are not bodies, of the forces that bear weights, and of the springs of joints.
    fn robot_energy(&self) -> Energy {
        let kinetic = self.robots.iter().filter_map(|robot| robot.tree()).map(RobotTree::rotor_energy).sum();
        let lift = |robot: &RobotBody| robot.lift_energy(&self.physics.bodies, &self.options.gravity);
        let potential = self.robots.iter().filter_map(lift).reduce(|sum, own| sum + own).unwrap_or(0.0);
        let elastic = self.robots.iter().map(|robot| robot.spring_energy(&self.physics)).sum();
        Energy { kinetic, potential, elastic }
    }

    fn soft_energy(&self) -> Energy {
        self.soft.as_ref().map_or_else(Energy::default, |soft| soft.energy())
    }

    fn soft_momentum(&self) -> Momentum {
        self.soft.as_ref().map_or_else(Momentum::default, |soft| soft.momentum())
    }

    /// Bodies of robots that have no shape.
    fn hidden_bodies(&self) -> impl Iterator<Item = &RigidBody> {
        self.robots.iter().flat_map(|robot| robot.hidden(&self.physics))
    }

    /// Hash over the states of all bodies in the order of their names, then over the nodes of the soft ones and their
    /// velocities. Equal for equal runs, whatever the number of threads and the order in which the bodies were added;
    /// guaranteed per target triple.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let soft = self.soft_descriptions().iter().map(|body| {
            let name = body.name.as_str();
            let [x, v] = [self.soft_positions(name), self.soft_velocities(name)];
            (name, x.unwrap_or_default(), v.unwrap_or_default())
        });
        StateHash::of(&self.bodies()).and_soft(soft).value()
    }

    /// Index of the body with a name.
    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.bodies.binary_search_by(|body| body.name.as_str().cmp(name)).ok()
    }

    /// Pose body → world of the body at an index.
    pub(crate) fn pose(&self, index: usize) -> Isometry3<f64> {
        (*self.physics.bodies[self.handles[index]].position()).into()
    }

    /// The collider of the body at an index.
    pub(crate) fn collider(&self, index: usize) -> &Collider {
        let body = &self.physics.bodies[self.handles[index]];
        &self.physics.colliders[body.colliders()[0]]
    }

    /// Indices of the bodies of two colliders.
    pub(crate) fn indices(&self, colliders: [ColliderHandle; 2]) -> Option<[usize; 2]> {
        let awake = &self.passes.awake;
        let [a, b] = awake.owners(colliders)?.map(|body| awake.index_of_raw(body));
        Some([a?, b?])
    }

    /// Indices of the two bodies of every joint.
    pub(crate) fn jointed(&self) -> Vec<[usize; 2]> {
        let index = |handle| self.passes.awake.index(handle);
        let joints = self.physics.impulse_joints.iter();
        joints.filter_map(|(_, joint)| Some([index(joint.body1())?, index(joint.body2())?])).collect()
    }

    /// Whether no joint between two bodies exempts them from contacts.
    pub(crate) fn may_collide(&self, [a, b]: [usize; 2]) -> bool {
        let (a, b) = (self.handles[a], self.handles[b]);
        self.physics.impulse_joints.joints_between(a, b).all(|(_, joint)| joint.data.contacts_enabled)
    }

    /// All bodies that move under forces, those of robots included that have no shape.
    fn dynamic_bodies(&self) -> impl Iterator<Item = &RigidBody> {
        let named = self.named_bodies().map(|(.., body)| body);
        named.chain(self.hidden_bodies()).filter(|body| body.is_dynamic())
    }

    pub(crate) fn named_bodies(&self) -> impl Iterator<Item = (&str, RigidBodyHandle, &RigidBody)> + Clone {
        self.bodies
            .iter()
            .zip(&self.handles)
            .map(|(body, &handle)| (body.name.as_str(), handle, &self.physics.bodies[handle]))
    }
}
