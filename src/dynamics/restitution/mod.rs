//! Bounces, outside rapier's solver: it lets bodies collide without restitution, and after the step what collided
//! gets the velocities of an impact.
//!
//! A pair has collided in a step if it approached by more than its gap and touches at the end. The speeds of approach are those at
//! the start of the step, brought to its end by the work of gravity along the way: v² = v₀² + 2 g·Δx, exact whenever
//! the impact was within the step. From these the impacts of [`impact`] follow, and of them the velocities of every
//! body that was pushed; the impulses that the solver gave it in this step are forgotten. Impacts do not run through
//! joints: the next step brings what a joint holds back to it, as without restitution. Parts of a robot do not yield.
//!
//! Overlaps that are being resolved have no part in it: neither do they bounce, nor has their resolution a velocity.
//!
//! Departs from rapier, whose bounce is one sweep over the contacts seeded with the speeds at the start of the step.

mod impact;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::ContactManifold;
use rapier3d::pipeline::PhysicsWorld;

use self::impact::{Mover, Pair, Touch};
use super::{BodyDescription, BodyKind};

/// Share of the way of a pair within a step by which contacts that closed may be open at its end: the solver closes
/// those of one face one by one, and the body turns a little.
const TOUCHING_OF_WAY: f64 = 5e-2;
/// Share of the size of the smaller body within which a pair touches.
const TOUCHING_OF_SIZE: f64 = 1e-7;
/// Share of the speeds of two bodies below which they do not approach each other: rounding.
const ROUNDING: f64 = 1e-12;

/// A body at the start of a step.
#[derive(Debug, Clone, Copy)]
struct Start {
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
            spin: super::world::spin(body),
        }
    }

    /// How far the body has moved since, at `arm` [m] from its centre of mass, to first order in its turn.
    fn way(&self, body: &RigidBody, arm: &Vector3<f64>) -> Vector3<f64> {
        let turn = UnitQuaternion::from(*body.rotation()) * self.rotation.inverse();
        Vector3::from(body.center_of_mass()) - self.center + turn.scaled_axis().cross(arm)
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
pub(super) struct Bounces {
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

impl Bounces {
    /// Of bodies with their handles, in the same order; `step` [s].
    pub(super) fn of(
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
    pub(super) fn before_step(&mut self, physics: &PhysicsWorld) {
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
    pub(super) fn after_step(&self, physics: &mut PhysicsWorld, overlapping: &dyn Fn([usize; 2]) -> bool) {
        if !self.any {
            return;
        }
        let mut movers: Vec<Mover> =
            self.bodies.iter().map(|bouncer| self.mover(bouncer, &physics.bodies[bouncer.handle])).collect();
        let mut pairs = self.touching(physics, &movers, overlapping);
        pairs.sort_by_key(|pair| pair.bodies);
        let bounces = |pair: &Pair| {
            let [a, b] = pair.bodies.map(|body| movers[body].velocity.norm());
            pair.restitution > 0.0 && pair.approach(&movers) > self.slow.max(ROUNDING * (a + b))
        };
        let first: Vec<usize> = (0..pairs.len()).filter(|&index| bounces(&pairs[index])).collect();
        if first.is_empty() {
            return;
        }
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
            return Mover { velocity, turning, inverse_mass: 0.0, inverse_inertia: Matrix3::zeros() };
        }
        let (start, inverse_inertia) = (&bouncer.start, inverse_inertia(body));
        let velocity = self.fallen(&start.velocity, &(Vector3::from(body.center_of_mass()) - start.center));
        let turns = start.turning != Vector3::zeros();
        let turning = if turns { inverse_inertia * start.spin } else { start.turning };
        Mover { velocity, turning, inverse_mass: 1.0 / body.mass(), inverse_inertia }
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

    /// The pairs that touch at the end of the step, with the points where they do.
    fn touching(
        &self,
        physics: &PhysicsWorld,
        movers: &[Mover],
        overlapping: &dyn Fn([usize; 2]) -> bool,
    ) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for contact_pair in physics.narrow_phase.contact_pairs() {
            let colliders =
                [contact_pair.collider1, contact_pair.collider2].map(|collider| &physics.colliders[collider]);
            let [Some(a), Some(b)] = colliders.map(|collider| *self.index.get(raw(collider.parent()?))?)
            else {
                continue;
            };
            let [one, two] = [&self.bodies[a], &self.bodies[b]];
            let mut pair = Pair {
                bodies: [a, b],
                points: Vec::new(),
                restitution: 0.5 * (one.restitution + two.restitution),
                friction: 0.5 * (one.friction + two.friction),
            };
            if overlapping([one, two].map(|bouncer| raw(bouncer.handle))) {
                pair.restitution = 0.0;
            }
            let near = TOUCHING_OF_SIZE * one.size.min(two.size);
            for manifold in contact_pair.solver_manifolds() {
                let closed = closing(manifold, [one, two], physics).filter(|(touch, gaps)| {
                    let way = f64::max(0.0, -self.step * pair.separation(touch, movers));
                    gaps[0] <= near + way && gaps[1] <= near + TOUCHING_OF_WAY * way
                });
                let closed: Vec<Touch> = closed.map(|(touch, _)| touch).collect();
                pair.points.extend(closed);
            }
            if !pair.points.is_empty() {
                pairs.push(pair);
            }
        }
        pairs
    }
}

/// The raw index of a body.
fn raw(body: RigidBodyHandle) -> usize {
    body.into_raw_parts().0 as usize
}

/// The contacts the solver was given of a manifold, with their gaps [m] at the start and at the end of the step.
fn closing<'a>(
    manifold: &'a ContactManifold,
    bodies: [&'a Bouncer; 2],
    physics: &'a PhysicsWorld,
) -> impl Iterator<Item = (Touch, [f64; 2])> + 'a {
    let normal = Vector3::from(manifold.data.normal);
    // The solver has the points of what moves under forces in its frame, and others in the world's.
    let arm = |bouncer: &Bouncer, anchor: Vector3<f64>| {
        let free = physics.bodies[bouncer.handle].is_dynamic();
        if free { bouncer.start.rotation * anchor } else { anchor - bouncer.start.center }
    };
    manifold.data.solver_contacts.iter().map(move |contact| {
        let anchors = [contact.anchor1.into(), contact.anchor2.into()];
        let arms = [arm(bodies[0], anchors[0]), arm(bodies[1], anchors[1])];
        let way = |i: usize| bodies[i].start.way(&physics.bodies[bodies[i].handle], &arms[i]);
        let opened = (way(1) - way(0)).dot(&normal);
        (Touch { normal, arms }, [contact.dist, contact.dist + opened])
    })
}

/// Inverse of the inertia about the centre of mass [1/(kg·m²), world].
fn inverse_inertia(body: &RigidBody) -> Matrix3<f64> {
    let local = &body.mass_properties().local_mprops;
    let frame: UnitQuaternion<f64> = (body.rotation() * local.principal_inertia_local_frame).into();
    let axes = frame.to_rotation_matrix();
    let moments: Vector3<f64> = local.principal_inertia().into();
    axes.matrix() * Matrix3::from_diagonal(&moments.map(|moment| 1.0 / moment)) * axes.matrix().transpose()
}
