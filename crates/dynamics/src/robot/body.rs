//! A robot in rapier's sets.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::{
    GenericJointBuilder, JointAxesMask, RigidBody, RigidBodyActivation, RigidBodyHandle, RigidBodySet,
};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use super::action::Coordinate;
use super::description::{RobotBase, RobotJoint};
use super::drive::{self, Memory};
use super::expectation::Expectation;
use super::feedforward::Interval;
use super::motor::Motor;
use super::outside::OutsideForces;
use super::parts::Parts;
use super::rapier_joints::{RapierJoint, carried_inertia, connect, insert_hidden, update_link_velocities};
use super::reading::{JointEfforts, Reading};
use super::sensing::Sensing;
use super::state::{AllowedPair, RobotState};
use super::subtree::{ContactsOf, Exerted};
use super::tree::{Drive, Place, RobotTree, TreeEnd};
use crate::error::BuildError;
use crate::rigid::{mark_as_link, show_colliders};
use crate::stateful::{Mismatch, Stateful, fits};
use extricate_core::kinematics::{Articulation, Joint};
use extricate_core::multibody::SpatialVector;

/// Relative change of a constant force as its joint moves by one unit: rapier's multibodies have no forces on coordinates,
/// so a constant one is a weak spring with a large stretch. Much more makes the force depend on the position.
const WEAK: f64 = 1e-9;

/// Integrator of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// [`crate::multibody`], in generalized coordinates.
    Multibody,
    /// rapier's multibodies, in worlds with joints between bodies.
    Rapier,
}

/// A robot in a world.
pub(crate) struct RobotBody {
    name: String,
    articulation: Articulation,
    /// Bodies of the links of the articulation.
    handles: Vec<RigidBodyHandle>,
    /// Bodies that have no shape, and so no name in the world.
    hidden: Vec<RigidBodyHandle>,
    /// Joints in the order of the articulation's.
    joints: Vec<Driven>,
    allowed: Vec<AllowedPair>,
    at_start: Vec<[String; 2]>,
    /// The robot in generalized coordinates; `None` of one that rapier steps.
    tree: Option<Box<RobotTree>>,
    /// The same of one that rapier steps: it follows the state where motors need the robot's dynamics.
    model: Option<Box<RobotTree>>,
    /// Fraction of gravity that motors compensate.
    compensation: f64,
    /// Bodies with masses whose weight is borne by forces [kg], and the points of these [m, body].
    lifted: Vec<(RigidBodyHandle, f64, Point3<f64>)>,
    sensing: Sensing,
    /// Forces on the links of its tree in the last step.
    outside: OutsideForces,
    expectation: Expectation,
}

/// A joint with its motor, friction and limits.
struct Driven {
    own: RobotJoint,
    memory: Memory,
    /// Forces of the last step.
    efforts: JointEfforts,
    /// Forces of the present step, where rapier steps the robot.
    drive: Option<Drive>,
    /// Its joint of rapier's, where rapier steps the robot.
    rapier: Option<RapierJoint>,
}

impl Driven {
    /// A joint before the first step.
    fn new(own: RobotJoint, rapier: Option<RapierJoint>) -> Self {
        Self { own, memory: Memory::default(), efforts: JointEfforts::default(), drive: None, rapier }
    }

    /// Index of its degree of freedom among the six of a body of rapier's.
    fn axis(&self) -> usize {
        self.rapier.map_or(0, |own| own.axis)
    }
}

/// State of a robot: of its joints, and coordinates and velocities where rapier has none.
#[derive(Serialize, Deserialize)]
pub(crate) struct RobotBodyState {
    joints: Vec<JointState>,
    tree: Option<[Vec<f64>; 3]>,
    sensing: <Sensing as Stateful>::State,
    outside: OutsideForces,
    expectation: Expectation,
}

/// State of a joint: its motor, which may have been changed, and its memory of the last step.
#[derive(Serialize, Deserialize)]
pub(crate) struct JointState {
    motor: Option<Motor>,
    /// Whether the motor follows the targets of its description.
    follows: bool,
    memory: Memory,
    efforts: JointEfforts,
}

impl Stateful for RobotBody {
    type State = RobotBodyState;

    fn snapshot(&self) -> RobotBodyState {
        let of_joint = |joint: &Driven| JointState {
            motor: joint.own.motor,
            follows: joint.own.targets.is_some(),
            memory: joint.memory,
            efforts: joint.efforts,
        };
        RobotBodyState {
            joints: self.joints.iter().map(of_joint).collect(),
            tree: self.tree.as_ref().map(|tree| [tree.q.clone(), tree.v.clone(), tree.rates.clone()]),
            sensing: self.sensing.snapshot(),
            outside: self.outside.clone(),
            expectation: self.expectation.clone(),
        }
    }

    fn restore(&mut self, state: RobotBodyState) -> Result<(), Mismatch> {
        fits(state.joints.len() == self.joints.len() && state.tree.is_some() == self.tree.is_some())?;
        for (joint, state) in self.joints.iter_mut().zip(state.joints) {
            let JointState { motor, follows, memory, efforts } = state;
            (joint.own.motor, joint.memory, joint.efforts) = (motor, memory, efforts);
            joint.own.targets = joint.own.targets.take().filter(|_| follows);
        }
        if let (Some(tree), Some([q, v, rates])) = (&mut self.tree, state.tree) {
            fits(q.len() == tree.q.len() && v.len() == tree.v.len())?;
            fits(rates.is_empty() || rates.len() == v.len())?;
            (tree.q, tree.v, tree.rates) = (q, v, rates);
            tree.settle();
        }
        self.outside = state.outside;
        self.expectation = state.expectation;
        self.sensing.restore(state.sensing)
    }
}

impl RobotBody {
    /// Inserts the parts into rapier's sets; `known` are the bodies of those that have a shape, by name. A robot without joints is an
    /// ordinary body.
    pub(crate) fn insert(
        physics: &mut PhysicsWorld,
        parts: &Parts,
        known: &BTreeMap<&str, RigidBodyHandle>,
        engine: Engine,
    ) -> Self {
        let mut hidden = Vec::new();
        let mut handles = Vec::new();
        for part in &parts.parts {
            let handle = known.get(part.name.as_str()).copied().unwrap_or_else(|| {
                let handle = insert_hidden(physics, &part.pose, part.kind, part.inertial.as_ref());
                hidden.push(handle);
                handle
            });
            handles.push(handle);
        }
        // A motor may be set at any time, which does not wake a sleeping body of rapier's.
        for &handle in &handles {
            *physics.bodies[handle].activation_mut() = RigidBodyActivation::cannot_sleep();
        }
        let engine = if parts.articulation.joints().is_empty() { Engine::Rapier } else { engine };
        let made = Some(Box::new(RobotTree::new(parts, &handles)));
        let (connected, tree, model) = match engine {
            Engine::Rapier => (connect(physics, parts, &handles, &mut hidden), None, made),
            Engine::Multibody => (Vec::new(), made, None),
        };
        let joints = parts.joints.iter().map(|&joint| parts.description.joints[joint].clone()).enumerate();
        let joints = joints.map(|(index, own)| Driven::new(own, connected.get(index).copied())).collect();
        let sensing = Sensing::new(parts, &handles, tree.as_deref());
        let lifted: Vec<_> = parts.lifted().map(|(part, mass, point)| (handles[part], mass, point)).collect();
        let names = |pair: [usize; 2]| pair.map(|part| parts.parts[part].name.clone());
        let allowed = parts.collisions.allowed.iter();
        let robot = Self {
            name: parts.name().to_owned(),
            articulation: parts.articulation.clone(),
            joints,
            allowed: allowed.map(|&(pair, because)| AllowedPair { bodies: names(pair), because }).collect(),
            at_start: parts.collisions.at_start.iter().map(|&pair| names(pair)).collect(),
            handles,
            hidden,
            tree,
            model,
            compensation: parts.description.gravity_compensation,
            lifted,
            sensing,
            outside: OutsideForces::default(),
            expectation: Expectation::default(),
        };
        for &([a, b], _) in &parts.collisions.allowed {
            exempt_from_contacts(physics, [robot.handles[a], robot.handles[b]]);
        }
        if let Some(tree) = &robot.tree {
            tree.links.iter().for_each(|link| mark_as_link(&mut physics.bodies[link.body]));
            show(tree, physics);
        } else {
            robot.lift(physics);
            // After all joints: the configuration moves the whole multibody.
            robot.start(physics, parts);
        }
        robot
    }

    /// The robot in generalized coordinates, unless rapier steps it.
    pub(crate) fn tree(&self) -> Option<&RobotTree> {
        self.tree.as_deref()
    }

    /// Bodies of its links; none where rapier joints them.
    pub(crate) fn links(&self) -> Vec<RigidBodyHandle> {
        self.tree.iter().flat_map(|tree| tree.links.iter().map(|link| link.body)).collect()
    }

    /// Sets coordinates, velocities and what acted within the joints at the end of a step.
    pub(crate) fn finish(&mut self, physics: &mut PhysicsWorld, end: TreeEnd) {
        if let Some(tree) = &mut self.tree {
            // In the order of the joints.
            let mut places = tree.places.iter().enumerate();
            for ([_, v], drive) in &end.drives {
                let is_own = |place: &Place| matches!(*place, Place::Single { v: own, .. } if own == *v);
                if let Some((joint, _)) = places.find(|(_, place)| is_own(place)) {
                    self.joints[joint].memory.remember(drive);
                    let instant = end.instants[*v];
                    let speed = tree.v[*v] + instant * (end.v[*v] - tree.v[*v]);
                    let mut efforts = drive.efforts(speed, instant * end.h);
                    let impulses = end.limits.iter().filter(|(own, _)| own == v);
                    efforts.limit += impulses.map(|(_, impulse)| impulse).sum::<f64>() / end.h;
                    self.joints[joint].efforts = efforts;
                }
            }
            tree.arrive([end.q, end.v, end.mean], (end.h, end.placement));
            tree.rates = end.rates;
            self.outside = end.outside;
            show(tree, physics);
        }
    }

    /// Moves the robot back by the duration [s] of the first of its links that `stopped`. Its momenta stay, as far as its joints let them.
    pub(crate) fn rewind(&mut self, physics: &mut PhysicsWorld, stopped: &[(RigidBodyHandle, f64)]) {
        let Some(tree) = &mut self.tree else { return };
        let own = stopped.iter().find(|(body, _)| tree.links.iter().any(|link| link.body == *body));
        if let Some(&(_, duration)) = own {
            tree.go_back(duration);
            show(tree, physics);
        }
    }

    /// Takes weight from the bodies of a robot that rapier steps, at their centres of mass.
    fn lift(&self, physics: &mut PhysicsWorld) {
        for (handle, mass, _) in &self.lifted {
            let body = &mut physics.bodies[*handle];
            let scale = body.gravity_scale() - mass / body.mass();
            body.set_gravity_scale(scale, true);
        }
    }

    /// Potential energy of the forces that bear the weight of links \[J\]; none where there are none.
    pub(crate) fn lift_energy(&self, bodies: &RigidBodySet, gravity: &Vector3<f64>) -> Option<f64> {
        let energies = self.lifted.iter().map(|(handle, mass, point)| {
            let pose = Isometry3::from(*bodies[*handle].position());
            mass * gravity.dot(&(pose * point).coords)
        });
        energies.reduce(|sum, own| sum + own)
    }

    /// Sets the multibody to the configuration and the velocities at the start.
    fn start(&self, physics: &mut PhysicsWorld, parts: &Parts) {
        let description = &parts.description;
        let values = self.articulation.joint_values(&description.configuration);
        let values = values.expect("the configuration was checked");
        let root = &mut physics.bodies[self.handles[0]];
        if root.is_dynamic() {
            root.set_linvel(description.linear_velocity.into(), true);
            root.set_angvel(description.angular_velocity.into(), true);
        }
        let PhysicsWorld { bodies, multibody_joints, .. } = physics;
        for (driven, value) in self.joints.iter().zip(values) {
            let found = driven.rapier.and_then(|own| multibody_joints.get_mut(own.handle));
            let Some((multibody, link)) = found else { continue };
            if let Some(link) = multibody.link_mut(link) {
                link.joint.apply_displacement(&[value]);
            }
        }
        let Some((multibody, _)) =
            self.joints.first().and_then(|first| multibody_joints.get_mut(first.rapier?.handle))
        else {
            return;
        };
        multibody.forward_kinematics(bodies, true);
        multibody.update_rigid_bodies(bodies, true);
        // rapier damps rotational coordinates by default; damping within joints is set in each step.
        multibody.damping_mut().fill(0.0);
        if description.base == RobotBase::Floating {
            // The free root has the first six coordinates.
            let velocities = description.linear_velocity.iter().chain(description.angular_velocity.iter());
            for (at, &velocity) in velocities.enumerate() {
                multibody.generalized_velocity_mut()[at] = velocity;
            }
        }
        for (joint, driven) in self.joints.iter().enumerate() {
            let speed = self
                .articulation
                .dependence(joint)
                .map(|(index, factor, _)| factor * description.velocities[index]);
            let found = driven.rapier.and_then(|own| multibody_joints.get_mut(own.handle));
            let Some((multibody, link)) = found else { continue };
            let Some(at) = multibody.link(link).map(|link| link.assembly_id()) else { continue };
            multibody.generalized_velocity_mut()[at] = speed.unwrap_or(0.0);
        }
        let first = self.joints[0].rapier.and_then(|own| multibody_joints.get(own.handle));
        if let Some((multibody, _)) = first {
            update_link_velocities(multibody, bodies);
        }
    }

    /// Sets the forces within the joints for the next step of length `h` \[s\], which starts at a time \[s\].
    pub(crate) fn prepare(&mut self, physics: &mut PhysicsWorld, (start, h): (f64, f64)) {
        let step = Interval { start, h };
        self.sensing.begin(&physics.bodies);
        let forward = self.feedforward(physics, &step);
        if self.tree.is_some() {
            self.prepare_tree(&step, &forward);
            return;
        }
        let PhysicsWorld { bodies, multibody_joints, .. } = physics;
        let joints = self.articulation.joints().iter().zip(&mut self.joints);
        for (number, (joint, driven)) in joints.enumerate() {
            let found = driven.rapier.and_then(|own| multibody_joints.get_mut(own.handle));
            let Some((multibody, index)) = found else { continue };
            let Some(link) = multibody.link(index) else { continue };
            let at = link.assembly_id();
            let coordinate = Coordinate {
                position: link.joint().coords()[driven.axis()],
                speed: multibody.generalized_velocity()[at],
                inertia: carried_inertia(multibody, bodies, at),
            };
            let forward = (&step, forward.get(number).copied().unwrap_or(0.0));
            let drive = drive::drive(&driven.own, joint.limits, &mut driven.memory, &coordinate, forward);
            driven.memory.remember(&drive);
            driven.drive = Some(drive);
            let action = drive.action();
            multibody.damping_mut()[at] = action.damping;
            // A constant force has no spring of its own, see `WEAK`.
            let stiffness =
                if action.stiffness > 0.0 { action.stiffness } else { WEAK * action.moment.abs() };
            let rest = if stiffness > 0.0 { action.moment / stiffness } else { 0.0 };
            if let Some(link) = multibody.link_mut(index) {
                link.joint.set_spring(driven.axis(), stiffness, rest);
            }
        }
    }

    /// Says whether soft bodies may touch it in the next step.
    pub(crate) fn set_beside_soft(&mut self, is: bool) {
        self.tree.iter_mut().for_each(|tree| tree.is_beside_soft = is);
    }

    /// Sets the forces within the joints of its tree for a step of `h` \[s\] that starts at a time \[s\], as they are known before it; the
    /// memories of the joints stay those of the last step.
    pub(crate) fn foresee(&mut self, physics: &PhysicsWorld, (start, h): (f64, f64)) {
        let step = Interval { start, h };
        let memories: Vec<Memory> = self.joints.iter().map(|joint| joint.memory).collect();
        let forward = self.feedforward(physics, &step);
        self.prepare_tree(&step, &forward);
        self.joints.iter_mut().zip(memories).for_each(|(joint, memory)| joint.memory = memory);
    }

    /// Motion that was expected of the last step.
    pub(crate) fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Sets the motion that [`Self::expectation`] returns after the next step.
    pub(crate) fn expect(&mut self, expectation: Expectation) {
        self.expectation = expectation;
    }

    /// Reads the forces within the joints in a step of `h` \[s\] that rapier has made: those at its end.
    pub(crate) fn read_efforts(&mut self, physics: &PhysicsWorld, h: f64) {
        for driven in &mut self.joints {
            let found = driven.rapier.and_then(|own| physics.multibody_joints.get(own.handle));
            let Some(((multibody, index), drive)) = found.zip(driven.drive.take()) else { continue };
            if let Some(link) = multibody.link(index) {
                driven.efforts = drive.efforts(multibody.generalized_velocity()[link.assembly_id()], h);
            }
        }
    }

    /// Forces of the motors besides their own law, by joint; none where no motor has any.
    fn feedforward(&mut self, physics: &PhysicsWorld, step: &Interval) -> Vec<f64> {
        let is_computed = |driven: &Driven| matches!(driven.own.motor, Some(Motor::ComputedTorque { .. }));
        if self.compensation <= 0.0 && !self.joints.iter().any(is_computed) {
            return Vec::new();
        }
        if let Some(mut model) = self.model.take() {
            self.follow(physics, &mut model);
            self.model = Some(model);
        }
        let joints: Vec<&RobotJoint> = self.joints.iter().map(|driven| &driven.own).collect();
        let gravity = (&physics.gravity.into(), self.compensation);
        let tree = self.tree.as_ref().or(self.model.as_ref());
        tree.map_or_else(Vec::new, |tree| tree.feedforward(&joints, gravity, step))
    }

    /// Sets a tree to the state of a robot that rapier steps.
    fn follow(&self, physics: &PhysicsWorld, model: &mut RobotTree) {
        let read = |joint: usize| self.value(joint, physics).unwrap_or_default();
        let root = &physics.bodies[self.handles[0]];
        let motion = SpatialVector::new(root.angvel().into(), root.linvel().into());
        let root = root.is_dynamic().then(|| ((*root.position()).into(), motion));
        let joints: Vec<[f64; 2]> = (0..self.joints.len()).map(read).collect();
        model.assign(root, &joints);
    }

    fn prepare_tree(&mut self, step: &Interval, forward: &[f64]) {
        let Some(tree) = &mut self.tree else { return };
        let own = |place: &Place| match *place {
            Place::Single { q, v, .. } => Some([q, v]),
            Place::Angle { .. } => None,
        };
        let places: Vec<Option<[usize; 2]>> = tree.places.iter().map(own).collect();
        let is_free = |joint: &Joint, driven: &Driven, position: f64| {
            joint.limits.is_none_or(|[lower, upper]| position >= lower && position <= upper)
                && driven.own.is_passive()
        };
        let mut joints = self.articulation.joints().iter().zip(&self.joints).zip(&places);
        let acts = |((joint, driven), place): ((&Joint, &Driven), &Option<[usize; 2]>)| {
            place.is_some_and(|[q, _]| !is_free(joint, driven, tree.q[q]))
        };
        // Nothing acts in most joints of most robots: their inertia is not needed.
        if joints.any(acts) {
            let last = places.iter().zip(&self.joints);
            let acting = |(place, driven): (&Option<[usize; 2]>, &Driven)| {
                place.map(|[_, v]| (v, driven.memory.acting(&driven.own)))
            };
            tree.update_inertias(last.filter_map(acting), step.h);
        }
        tree.drives.clear();
        let joints = self.articulation.joints().iter().zip(&mut self.joints);
        for (number, ((joint, driven), place)) in joints.zip(places).enumerate() {
            let Some([q, v]) = place else { continue };
            let position = tree.q[q];
            let inertia = if is_free(joint, driven, position) { f64::INFINITY } else { tree.inertia(v) };
            let coordinate = Coordinate { position, speed: tree.v[v], inertia };
            let forward = (step, forward.get(number).copied().unwrap_or(0.0));
            let drive = drive::drive(&driven.own, joint.limits, &mut driven.memory, &coordinate, forward);
            tree.drives.push(([q, v], drive));
        }
    }

    /// Value and speed of a joint [rad or m; rad/s or m/s].
    fn value(&self, joint: usize, physics: &PhysicsWorld) -> Option<[f64; 2]> {
        if let Some(tree) = &self.tree {
            return Some(tree.value(joint));
        }
        let driven = &self.joints[joint];
        let (multibody, index) = physics.multibody_joints.get(driven.rapier?.handle)?;
        let link = multibody.link(index)?;
        let speed = multibody.generalized_velocity()[link.assembly_id()];
        Some([link.joint().coords()[driven.axis()], speed])
    }

    /// Energy of the springs of its joints \[J\].
    pub(crate) fn spring_energy(&self, physics: &PhysicsWorld) -> f64 {
        let energy = |(joint, driven): (usize, &Driven)| {
            let spring = driven.own.spring.as_ref()?;
            let [value, _] = self.value(joint, physics)?;
            Some(0.5 * spring.stiffness * (value - spring.rest).powi(2))
        };
        self.joints.iter().enumerate().filter_map(energy).sum()
    }

    /// State of the robot.
    pub(crate) fn state(&self, physics: &PhysicsWorld) -> RobotState {
        let (mut joints, mut velocities) = (BTreeMap::new(), BTreeMap::new());
        let names = self.articulation.joints().iter().zip(&self.joints);
        let efforts = names.map(|(joint, driven)| (joint.name.clone(), driven.efforts)).collect();
        for (number, joint) in self.articulation.joints().iter().enumerate() {
            let Some([value, speed]) = self.value(number, physics) else { continue };
            joints.insert(joint.name.clone(), value);
            velocities.insert(joint.name.clone(), speed);
        }
        let base = (*physics.bodies[self.handles[0]].position()).into();
        let sensors = BTreeMap::new();
        RobotState { name: self.name.clone(), joints, velocities, efforts, base, sensors }
    }

    /// Values of its sensors after a step of `h` \[s\] to a state.
    pub(crate) fn readings(
        &self,
        physics: &PhysicsWorld,
        state: &RobotState,
        (contacts, h): (&ContactsOf<'_>, f64),
    ) -> BTreeMap<String, Reading> {
        if self.sensing.is_empty() {
            return BTreeMap::new();
        }
        let joint = |name: &str| {
            let (position, velocity) = (*state.joints.get(name)?, *state.velocities.get(name)?);
            Some(Reading::Joint { position, velocity, efforts: *state.efforts.get(name)? })
        };
        let exerted = Exerted { gravity: physics.gravity.into(), h, contacts, outside: &self.outside };
        self.sensing.readings(&physics.bodies, &joint, &exerted)
    }

    /// Name of the robot.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Pairs of bodies whose contacts are off.
    pub(crate) fn allowed(&self) -> &[AllowedPair] {
        &self.allowed
    }

    /// Pairs of its bodies that overlap at the start and are not allowed to.
    pub(crate) fn overlaps_at_start(&self) -> &[[String; 2]] {
        &self.at_start
    }

    /// Bodies of the robot that have no shape.
    pub(crate) fn hidden<'a>(&'a self, physics: &'a PhysicsWorld) -> impl Iterator<Item = &'a RigidBody> {
        self.hidden.iter().map(|&handle| &physics.bodies[handle])
    }

    /// Changes the motor of a joint.
    pub(crate) fn change_motor(
        &mut self,
        joint: &str,
        change: impl FnOnce(Option<Motor>) -> Result<Option<Motor>, BuildError>,
    ) -> Result<(), BuildError> {
        let is_named = |&index: &usize| {
            let own = &self.articulation.joints()[index];
            // The angles of a spherical joint are not joints.
            let is_joint =
                self.tree.as_ref().is_none_or(|tree| matches!(tree.places[index], Place::Single { .. }));
            own.name == joint && own.mimic.is_none() && is_joint
        };
        let index = (0..self.joints.len()).find(is_named);
        let index = index
            .ok_or_else(|| BuildError::UnknownJoint { robot: self.name.clone(), joint: joint.to_owned() })?;
        let own = &mut self.joints[index].own;
        own.motor = change(own.motor)?;
        own.targets = None;
        Ok(())
    }
}

/// Sets the bodies of the links to the state of the tree.
fn show(tree: &RobotTree, physics: &mut PhysicsWorld) {
    let motions = tree.motions();
    for ((link, pose), motion) in tree.links.iter().zip(tree.placement.poses()).zip(motions) {
        let body = &mut physics.bodies[link.body];
        let center: Vector3<f64> = body.mass_properties().local_mprops.local_com.into();
        let arm = pose.rotation * (link.part * Point3::from(center)).coords;
        body.set_position((pose * link.part).into(), true);
        body.set_linvel(motion.motion_at(&arm).linear.into(), true);
        body.set_angvel(motion.angular.into(), true);
        show_colliders(physics, link.body);
    }
}

/// Disables contacts between two bodies, by a joint that rapier does not solve.
fn exempt_from_contacts(physics: &mut PhysicsWorld, [a, b]: [RigidBodyHandle; 2]) {
    let mut free = GenericJointBuilder::new(JointAxesMask::empty()).contacts_enabled(false).build();
    free.set_enabled(false);
    physics.insert_impulse_joint(a, b, free);
}
