//! Robots ahead of a step of soft bodies: their motion without these, and their response to them.
//!
//! A soft step needs to know how the links move in it. Motors, springs and weights are those of the free motion of [`super::motion`]; motors and
//! friction are at their bounds where they are under the loads of the last step. What contacts with
//! rigid bodies and limits of joints do is not solved yet, and is taken to be what they did in the last step: the velocities at
//! its end less those that were expected without. An impact, which is over, is not expected again: in kinetic energy that is no more than what the robot itself and the
//! soft bodies did, which is all that a support balances.

use nalgebra::{Matrix3, Point3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;

use super::closed_motion::begin;
use super::midpoint::Step;
use super::motion::MovingTree;
use super::ports::Ports;
use super::solver::{BINDING, MAX_SOLVES};
use crate::robot::body::RobotBody;
use crate::robot::expectation::Expectation;
use crate::robot::tree::{RobotTree, TreeLink};
use crate::soft::bodies::jointed::{JointedLink, JointedMotion, JointedRobots};
use crate::soft::bodies::state::SoftLoad;
use extricate_core::multibody::{Placement, SpatialVector};

/// The robots that soft bodies may touch in a step.
pub(crate) struct RobotsAhead<'a> {
    robots: Vec<Ahead<'a>>,
    motions: Vec<JointedMotion>,
    step: Step,
}

/// A robot that has moved freely.
struct Ahead<'a> {
    robot: usize,
    tree: &'a RobotTree,
    moving: MovingTree<'a>,
    /// Links near soft bodies.
    near: Vec<usize>,
    /// Loads of the last step on its links, at their centres of mass.
    loads: Vec<SpatialVector>,
    /// Change of the velocities over the step by what is not solved yet.
    support: Vec<f64>,
}

impl<'a> RobotsAhead<'a> {
    /// The robots with links that `is_near` says of, after [`RobotBody::foresee`].
    pub(crate) fn new(
        robots: &'a [RobotBody],
        is_near: &dyn Fn(RigidBodyHandle) -> bool,
        (physics, h): (&PhysicsWorld, f64),
    ) -> Self {
        let step = Step { gravity: physics.gravity.into(), h };
        let of = |(robot, body): (usize, &'a RobotBody)| {
            let tree = body.tree()?;
            let near: Vec<usize> = (0..tree.links.len()).filter(|&at| is_near(tree.links[at].body)).collect();
            if near.is_empty() {
                return None;
            }
            let loads = tree.links.iter().map(|link| load_on(link, physics)).collect();
            let mut moving = MovingTree::of_robot(tree, h);
            moving.loads.clone_from(&loads);
            begin(&mut moving, &step);
            settle(&mut moving, &step);
            let mut ahead = Ahead { robot, tree, moving, near, loads, support: Vec::new() };
            ahead.unload(&step);
            ahead.support = support(&ahead.moving, body.expectation());
            Some(ahead)
        };
        let mut this = Self { robots: Vec::new(), motions: Vec::new(), step };
        this.robots = robots.iter().enumerate().filter_map(of).collect();
        this.renew();
        this
    }

    fn renew(&mut self) {
        self.motions = self.robots.iter_mut().filter_map(|ahead| ahead.motion(self.step.h)).collect();
    }

    /// Expectations of the step with the loads of the soft bodies, by robot.
    pub(crate) fn expectations(mut self, physics: &PhysicsWorld) -> Vec<(usize, Expectation)> {
        let of = |ahead: &mut Ahead<'_>| {
            let free = ahead.moving.end.clone();
            let by_itself = root_energy(&ahead.moving, &difference(&free, &ahead.moving.v));
            ahead.moving.loads = ahead.tree.links.iter().map(|link| load_on(link, physics)).collect();
            settle(&mut ahead.moving, &self.step);
            let by_loads = root_energy(&ahead.moving, &difference(&ahead.moving.end, &free));
            let velocities = ahead.moving.end.clone();
            (ahead.robot, Expectation { velocities, change: by_itself + by_loads })
        };
        self.robots.iter_mut().map(of).collect()
    }
}

impl JointedRobots for RobotsAhead<'_> {
    fn motions(&self) -> &[JointedMotion] {
        &self.motions
    }

    fn adapt(&mut self, loads: &[(RigidBodyHandle, SoftLoad)]) -> bool {
        let mut changed = false;
        for ahead in &mut self.robots {
            for &link in &ahead.near {
                let own = loads.iter().find(|(body, _)| *body == ahead.tree.links[link].body);
                let SoftLoad { force, torque } = own.map_or_else(SoftLoad::default, |(_, load)| *load);
                ahead.loads[link] = SpatialVector::new(torque, force);
            }
            ahead.moving.loads.clone_from(&ahead.loads);
            changed |= settle(&mut ahead.moving, &self.step);
            ahead.unload(&self.step);
        }
        if changed {
            self.renew();
        }
        changed
    }
}

impl Ahead<'_> {
    /// Moves it again without the loads, its motors and friction as they are under them.
    fn unload(&mut self, step: &Step) {
        self.moving.loads.fill(SpatialVector::ZERO);
        self.moving.move_freely(step);
    }

    /// The motion of its links near soft bodies; `None` where none of them yields.
    fn motion(&mut self, h: f64) -> Option<JointedMotion> {
        let ports = Ports::new(&mut self.moving, (self.near.clone(), Vec::new()), (0, h));
        let end = self.placed_at_end(h);
        let count = ports.basis.nrows();
        let mut most = 0.0_f64;
        let mut rates = vec![Vector3::zeros(); count.div_ceil(3)];
        let mut found = Vec::with_capacity(self.near.len());
        for &link in &self.near {
            let center = Point3::from(self.tree.multibody.links()[link].center);
            let pose = |placement: &Placement| placement.poses()[link];
            let [from, to] = [&self.tree.placement, &end].map(pose);
            let displacement =
                [to * center - from * center, (to.rotation * from.rotation.inverse()).scaled_axis()];
            let arm = pose(&self.moving.placement).rotation * center.coords;
            let port = ports.of_link(link)?;
            let row = |axis: usize| ports.of_port(port + axis);
            let column = |at: usize, first: usize| {
                Vector3::from_fn(|axis, _| if at < count { row(first + axis)[at] } else { 0.0 })
            };
            let (mut linear, mut angular) = (Vec::new(), Vec::new());
            for block in 0..count.div_ceil(3) {
                let rotates = [0, 1, 2].map(|i| column(3 * block + i, 0));
                let moves = [0, 1, 2].map(|i| column(3 * block + i, 3) + rotates[i].cross(&arm));
                angular.push(Matrix3::from_columns(&rotates));
                linear.push(Matrix3::from_columns(&moves));
            }
            let rows = (0..3).map(|axis| {
                linear.iter().map(|block: &Matrix3<f64>| block.row(axis).norm_squared()).sum::<f64>()
            });
            most = rows.fold(most, f64::max);
            let load = &self.loads[link];
            let responses = linear.iter().zip(&angular);
            for (rate, (moves, rotates)) in rates.iter_mut().zip(responses) {
                *rate += h * (moves.tr_mul(&load.linear) + rotates.tr_mul(&load.angular));
            }
            found.push(JointedLink {
                body: self.tree.links[link].body,
                displacement,
                response: [linear, angular],
            });
        }
        let inertia = most.recip();
        if !(inertia > 0.0 && inertia.is_finite()) {
            return None;
        }
        let blocks = found.iter_mut().flat_map(|link| link.response.iter_mut().flatten());
        blocks.for_each(|block| *block *= inertia.sqrt());
        rates.iter_mut().for_each(|rate| *rate /= inertia.sqrt());
        Some(JointedMotion { robot: self.robot, inertia, count, rates, links: found })
    }

    /// The links at the end of the step, by the velocities there: implicit Euler, as the soft bodies. With what the displacement is in the middle of the step,
    /// half of a force that a soft body balances would seem to move the link.
    fn placed_at_end(&self, h: f64) -> Placement {
        let moving = &self.moving;
        let mean: Vec<f64> =
            moving.end.iter().zip(&self.support).map(|(end, support)| end + support).collect();
        let (mut q, mut placement) = (moving.q.clone(), Placement::default());
        moving.multibody.advance(&mut q, &mean, h);
        moving.multibody.place(&moving.base, &q, &mut placement);
        placement
    }
}

/// Moves a robot over a step under its loads, its motors and friction at their bounds where that motion shows them to be; returns whether any of them was not
/// there before.
fn settle(moving: &mut MovingTree<'_>, step: &Step) -> bool {
    moving.move_freely(step);
    for solves in 1..MAX_SOLVES {
        if !moving.correct(step.h, (true, solves <= BINDING)) {
            return solves > 1;
        }
        moving.choose_instants(step.h);
        moving.move_freely(step);
    }
    true
}

/// Load on a link in the last step, at its centre of mass.
fn load_on(link: &TreeLink, physics: &PhysicsWorld) -> SpatialVector {
    let body = &physics.bodies[link.body];
    SpatialVector::new(body.user_torque().into(), body.user_force().into())
}

/// Change of the velocities over a step by what is not solved yet.
fn support(moving: &MovingTree<'_>, last: &Expectation) -> Vec<f64> {
    if last.velocities.len() != moving.v.len() {
        return vec![0.0; moving.v.len()];
    }
    let mut change = difference(&moving.v, &last.velocities);
    let size = root_energy(moving, &change);
    if size > last.change {
        change.iter_mut().for_each(|change| *change *= last.change / size);
    }
    change
}

/// Root of twice the kinetic energy of velocities.
fn root_energy(moving: &MovingTree<'_>, v: &[f64]) -> f64 {
    let mut motions = Vec::new();
    moving.multibody.velocities(&moving.placement, v, &mut motions);
    (2.0 * moving.multibody.kinetic_energy(&moving.placement, &motions, v)).sqrt()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
