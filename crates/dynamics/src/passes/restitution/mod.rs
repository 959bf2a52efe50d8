//! Bounces, outside rapier's solver: it lets bodies collide without restitution, and after the step what collided
//! gets the velocities of an impact.
//!
//! A pair has collided in a step if it approached by more than its gap and touches at the end; what the solver pushed
//! may be pushed by what collided. The relax passes of rapier look a substep ahead and brake what does not touch yet;
//! such a pair gets its speeds back and collides in the next step. The speeds of approach are those at
//! the start of the step, brought to its end by the work of gravity along the way: v² = v₀² + 2 g·Δx, exact whenever
//! the impact was within the step. From these the impacts of [`impact`] follow, and of them the velocities of every
//! body that was pushed; the impulses that the solver gave it in this step are forgotten, of it and of what it gave
//! them to, so that momentum is conserved. Impacts do not run through
//! joints: the next step brings what a joint holds back to it, as without restitution. Parts of a robot do not yield.
//!
//! Overlaps that are being resolved have no part in it: neither do they bounce, nor has their resolution a velocity.
//!
//! Departs from rapier, whose bounce is one sweep over the contacts seeded with the speeds at the start of the step.

mod impact;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::{ContactPair, SolverContact};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use self::impact::{Mover, Pair, Touch};
use crate::description::{BodyDescription, BodyKind};
use crate::rigid::{index_in_manifold, parents, raw, spin};
use crate::stateful::{Mismatch, Stateful, fits};

/// Share of the way of a pair within a step by which a contact that closed may be open at its end.
const TOUCHING_OF_WAY: f64 = 1e-2;
/// The same beside a contact of the same normal that is closed: the solver closes those of one face one by one, and the
/// body turns a little.
const BESIDE_OF_WAY: f64 = 0.25;
/// Share of the way of a pair by which a contact that was pushed before it touched came nearer at least.
const UNHINDERED_OF_WAY: f64 = 0.5;
/// Share of the size of the smaller body within which a pair touches.
const TOUCHING_OF_SIZE: f64 = 1e-7;
/// Share of the speeds of two bodies below which they do not approach each other: rounding.
const ROUNDING: f64 = 1e-12;

/// A body at the start of a step.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Start {
    velocity: Vector3<f64>,
    turning: Vector3<f64>,
    center: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    /// Angular momentum about the centre of mass.
    spin: Vector3<f64>,
}

impl Start {
    fn of(body: &RigidBody) -> Self {
        Self {
            velocity: body.linvel().into(),
            turning: body.angvel().into(),
            center: body.center_of_mass().into(),
            rotation: (*body.rotation()).into(),
            spin: spin(body),
        }
    }
}

/// How a body moved within a step.
#[derive(Debug, Clone, Copy)]
struct Motion {
    shift: Vector3<f64>,
    turn: Vector3<f64>,
}

impl Motion {
    fn of(body: &RigidBody, start: &Start) -> Self {
        let turn = UnitQuaternion::from(*body.rotation()) * start.rotation.inverse();
        let shift = Vector3::from(body.center_of_mass()) - start.center;
        Self { shift, turn: turn.scaled_axis() }
    }

    /// How far a point moved that is `arm` [m] from the centre of mass, to first order in the turn.
    fn way(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.shift + self.turn.cross(arm)
    }
}

/// What is known of a body for its bounces.
#[derive(Debug, Clone, Copy)]
struct Bouncer {
    handle: RigidBodyHandle,
    restitution: f64,
    friction: f64,
    /// Bounding radius [m].
    size: f64,
    yields: bool,
    start: Start,
}

/// The bounces of a world.
#[derive(Debug, Default)]
pub(crate) struct Restitution {
    bodies: Vec<Bouncer>,
    /// Index in `bodies` by the raw index of the handle.
    index: Vec<Option<usize>>,
    /// Whether any body has restitution.
    any: bool,
    gravity: Vector3<f64>,
    /// Approach [m/s] below which nothing bounces.
    slow: f64,
    step: f64,
}

/// How the bodies moved before the last step in which they did.
impl Stateful for Restitution {
    type State = Vec<Start>;

    fn snapshot(&self) -> Vec<Start> {
        self.bodies.iter().map(|bouncer| bouncer.start).collect()
    }

    fn restore(&mut self, state: Vec<Start>) -> Result<(), Mismatch> {
        fits(state.len() == self.bodies.len())?;
        self.bodies.iter_mut().zip(state).for_each(|(bouncer, start)| bouncer.start = start);
        Ok(())
    }
}

impl Restitution {
    /// Of bodies with their handles, in the same order; `step` [s].
    pub(crate) fn of(
        physics: &PhysicsWorld,
        described: &[BodyDescription],
        handles: &[RigidBodyHandle],
        slow: f64,
    ) -> Self {
        let count = handles.iter().map(|&handle| raw(handle) + 1).max().unwrap_or(0);
        let mut index = vec![None; count];
        let bodies = described.iter().zip(handles).enumerate().map(|(i, (body, &handle))| {
            index[raw(handle)] = Some(i);
            Bouncer {
                handle,
                restitution: body.restitution,
                friction: body.friction,
                size: body.shape.bounding_radius(),
                yields: body.kind == BodyKind::Dynamic
                    && physics.multibody_joints.rigid_body_link(handle).is_none(),
                start: Start::of(&physics.bodies[handle]),
            }
        });
        let bodies: Vec<Bouncer> = bodies.collect();
        let any = described.iter().any(|body| body.restitution > 0.0);
        let (gravity, step) = (physics.gravity.into(), physics.integration_parameters.dt);
        Self { bodies, index, any, gravity, slow, step }
    }

    /// Remembers how the bodies move.
    pub(crate) fn before_step(&mut self, physics: &PhysicsWorld) {
        if !self.any {
            return;
        }
        for bouncer in &mut self.bodies {
            let body = &physics.bodies[bouncer.handle];
            if !body.is_fixed() && !body.is_sleeping() {
                bouncer.start = Start::of(body);
            }
        }
    }

    /// Lets bounce what collided in the step, but for pairs of bodies (raw indices) that `overlapping` tells.
    pub(crate) fn after_step(&self, physics: &mut PhysicsWorld, overlapping: &dyn Fn([usize; 2]) -> bool) {
        if !self.any {
            return;
        }
        let mut movers = Vec::with_capacity(self.bodies.len());
        let mut motions = Vec::with_capacity(self.bodies.len());
        for bouncer in &self.bodies {
            let body = &physics.bodies[bouncer.handle];
            motions.push(Motion::of(body, &bouncer.start));
            movers.push(self.mover(bouncer, body));
        }
        let seen = Seen { bounces: self, physics, movers: &movers, motions: &motions, overlapping };
        if !physics.narrow_phase.contact_pairs().any(|contacts| seen.bounces(contacts)) {
            return;
        }
        let mut pairs: Vec<Pair> =
            physics.narrow_phase.contact_pairs().filter_map(|contacts| seen.touching(contacts)).collect();
        pairs.sort_by_key(|pair| pair.bodies);
        let first: Vec<usize> = (0..pairs.len()).filter(|&index| seen.is_impact(&pairs[index])).collect();
        let pushed = impact::collide(&pairs, &first, self.slow, &mut movers);
        for ((bouncer, mover), _) in
            self.bodies.iter().zip(&movers).zip(&pushed).filter(|(_, pushed)| **pushed)
        {
            let body = &mut physics.bodies[bouncer.handle];
            body.set_linvel(mover.velocity.into(), true);
            body.set_angvel(mover.turning.into(), true);
        }
    }

    /// A body as it moves before the impacts of the step.
    fn mover(&self, bouncer: &Bouncer, body: &RigidBody) -> Mover {
        let (velocity, turning) = (body.linvel().into(), body.angvel().into());
        if !bouncer.yields {
            let inverse_inertia = Matrix3::zeros();
            return Mover { velocity, turning, inverse_mass: 0.0, inverse_inertia, struck: false };
        }
        let (start, inverse_inertia) = (&bouncer.start, inverse_inertia(body));
        let velocity = self.fallen(&start.velocity, &(Vector3::from(body.center_of_mass()) - start.center));
        let change: Vector3<f64> = Vector3::from(body.linvel()) - velocity;
        // Without gravity whatever was pushed counts: pushes from two sides may leave the velocity as it is.
        let struck = change.norm() >= self.gravity.norm() * self.step;
        let turns = start.turning != Vector3::zeros();
        let turning = if turns { inverse_inertia * start.spin } else { start.turning };
        Mover { velocity, turning, inverse_mass: 1.0 / body.mass(), inverse_inertia, struck }
    }

    /// The velocity after `way` [m] under gravity.
    fn fallen(&self, velocity: &Vector3<f64>, way: &Vector3<f64>) -> Vector3<f64> {
        let Some(down) = self.gravity.try_normalize(0.0) else { return *velocity };
        let pull = self.gravity.norm();
        let before = velocity.dot(&down);
        let after = f64::max(0.0, before * before + 2.0 * pull * way.dot(&down)).sqrt();
        let falls = before + pull * self.step > 0.0;
        velocity + down * (if falls { after } else { -after } - before)
    }
}

/// What is seen of a step at its end.
struct Seen<'a> {
    bounces: &'a Restitution,
    physics: &'a PhysicsWorld,
    movers: &'a [Mover],
    motions: &'a [Motion],
    overlapping: &'a dyn Fn([usize; 2]) -> bool,
}

impl Seen<'_> {
    /// Whether an impact of a pair has restitution.
    fn bounces(&self, contacts: &ContactPair) -> bool {
        let Some(pair) = self.pair(contacts) else { return false };
        let fastest = pair.bodies.map(|body| {
            let (mover, size) = (&self.movers[body], self.bounces.bodies[body].size);
            let swing = if mover.turning == Vector3::zeros() { 0.0 } else { mover.turning.norm() * size };
            mover.velocity.norm() + swing
        });
        // Whatever its points are, a pair does not approach faster than that.
        pair.restitution > 0.0
            && fastest[0] + fastest[1] > self.bounces.slow
            && self.touching(contacts).is_some_and(|pair| self.is_impact(&pair))
    }

    /// Whether a pair that touches approaches fast enough to bounce, or one that does not was braked.
    fn is_impact(&self, pair: &Pair) -> bool {
        if pair.early {
            return pair.restitution > 0.0;
        }
        let [a, b] = pair.bodies.map(|body| self.movers[body].velocity.norm());
        pair.restitution > 0.0 && pair.approach(self.movers) > self.bounces.slow.max(ROUNDING * (a + b))
    }

    /// A pair without its points.
    fn pair(&self, contacts: &ContactPair) -> Option<Pair> {
        let handles = parents(&self.physics.colliders, [contacts.collider1, contacts.collider2])?;
        let index = |body| *self.bounces.index.get(raw(body))?;
        let bodies = [index(handles[0])?, index(handles[1])?];
        let [one, two] = bodies.map(|body| &self.bounces.bodies[body]);
        let mean = 0.5 * (one.restitution + two.restitution);
        Some(Pair {
            bodies,
            points: Vec::new(),
            restitution: if mean > 0.0 && (self.overlapping)(handles.map(raw)) { 0.0 } else { mean },
            friction: 0.5 * (one.friction + two.friction),
            pushed: false,
            early: false,
        })
    }

    /// A pair with the points where it touches at the end of the step, if there are any or the solver pushed it.
    fn touching(&self, contacts: &ContactPair) -> Option<Pair> {
        let mut pair = self.pair(contacts)?;
        let [one, two] = pair.bodies.map(|body| &self.bounces.bodies[body]);
        let near = TOUCHING_OF_SIZE * one.size.min(two.size);
        for manifold in contacts.solver_manifolds() {
            let mut open = Vec::new();
            let before = pair.points.len();
            for contact in &manifold.data.solver_contacts {
                let (touch, gaps) = self.touch(&pair, &manifold.data.normal.into(), contact);
                let way = f64::max(0.0, -self.bounces.step * pair.separation(&touch, self.movers));
                let pushed = manifold
                    .points
                    .get(index_in_manifold(contact))
                    .is_some_and(|point| point.data.impulse > 0.0);
                pair.pushed |= pushed;
                let closes = gaps[0] <= near + way;
                if closes && gaps[1] <= near + TOUCHING_OF_WAY * way || pushed && way <= near {
                    pair.points.push(touch);
                } else if closes && gaps[1] <= near + BESIDE_OF_WAY * way {
                    open.push(touch);
                }
                let unhindered = gaps[0] - gaps[1] >= UNHINDERED_OF_WAY * way;
                pair.early |= pushed && unhindered && way > near.max(self.bounces.slow * self.bounces.step);
            }
            if pair.points.len() > before {
                pair.points.append(&mut open);
            }
        }
        pair.early &= pair.points.is_empty();
        (pair.pushed || !pair.points.is_empty()).then_some(pair)
    }

    /// A contact the solver was given, with its gaps [m] at the start and at the end of the step.
    fn touch(&self, pair: &Pair, normal: &Vector3<f64>, contact: &SolverContact) -> (Touch, [f64; 2]) {
        // The solver has the points of what moves under forces in its frame, and others in the world's.
        let arm = |body: usize, anchor: Vector3<f64>| {
            let bouncer = &self.bounces.bodies[body];
            let free = self.physics.bodies[bouncer.handle].is_dynamic();
            if free { bouncer.start.rotation * anchor } else { anchor - bouncer.start.center }
        };
        let [a, b] = pair.bodies;
        let arms = [arm(a, contact.anchor1.into()), arm(b, contact.anchor2.into())];
        let opened = (self.motions[b].way(&arms[1]) - self.motions[a].way(&arms[0])).dot(normal);
        (Touch { normal: *normal, arms }, [contact.dist, contact.dist + opened])
    }
}

/// Inverse of the inertia about the centre of mass [1/(kg·m²), world].
fn inverse_inertia(body: &RigidBody) -> Matrix3<f64> {
    let local = &body.mass_properties().local_mprops;
    let frame: UnitQuaternion<f64> = (body.rotation() * local.principal_inertia_local_frame).into();
    let axes = frame.to_rotation_matrix();
    let moments: Vector3<f64> = local.principal_inertia().into();
    axes.matrix() * Matrix3::from_diagonal(&moments.map(|moment| 1.0 / moment)) * axes.matrix().transpose()
}
