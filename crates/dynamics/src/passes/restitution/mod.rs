//! Restitution, outside rapier's solver: the solver lets bodies collide without restitution, and after the step bodies
//! that collided are given the velocities of an impact.
//!
//! A pair has collided in a step if it approached by more than its gap and touches at the end; bodies that the solver
//! pushed may have been pushed by those that collided. The relax passes of rapier look a substep ahead and brake bodies
//! that do not touch yet; such a pair gets its speeds back and collides in the next step. The speeds of approach are those
//! at the start of the step, brought to its end by the work of gravity along the displacement: v² = v₀² + 2 g·Δx, exact
//! whenever the impact was within the step. From these the impacts of [`impact`] follow, and from the impacts the
//! velocities of every body that was pushed; the impulses that the solver gave it in this step are revoked, of it and of
//! the bodies that it passed them on to, so that momentum is conserved. Impacts do not propagate through joints: the next
//! step brings bodies that a joint holds back to it, as without restitution. Robots in generalized coordinates and the bodies that touch them
//! have their impacts in [`crate::multibody`]; links that rapier joints do not yield.
//!
//! Overlaps that are being resolved are excluded: they do not bounce, and their resolution has no velocity.
//!
//! Departs from rapier, whose bounce is one sweep over the contacts seeded with the speeds at the start of the step.

mod impact;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::{ContactPair, SolverContact};
use rapier3d::pipeline::PhysicsWorld;
use serde::{Deserialize, Serialize};

use self::impact::{ImpactBody, ImpactPair, Touch};
use crate::description::{BodyDescription, BodyKind};
use crate::rigid::{index_in_manifold, is_link, parents, raw, spin, wake};
use crate::stateful::{Mismatch, Stateful, fits};

/// Whether two bodies, by their raw indices, overlap.
type Overlapping<'a> = dyn Fn([usize; 2]) -> bool + 'a;

/// Maximum gap at the end of a step of a contact that closed, as a fraction of the approach of the pair within the step.
/// Less misses impacts that the solver left slightly open; more makes bodies bounce off contacts that they missed.
const CLOSED_GAP: f64 = 1e-2;
/// The same beside a contact of the same normal that is closed: the solver closes the contacts of one face one by one, and
/// the body rotates a little. Too small, and a box that lands flat bounces off one corner.
const ADJACENT_GAP: f64 = 0.25;
/// Minimum approach of a contact that was pushed before it touched, as a fraction of the approach at the speeds of the
/// start: one that came nearer by less was held rather than braked.
const UNHINDERED_APPROACH: f64 = 0.5;
/// Gap, as a fraction of the size of the smaller body, up to which a pair touches.
const TOUCHING_OF_SIZE: f64 = 1e-7;
/// Approach, as a fraction of the speeds of two bodies, below which they do not approach each other: rounding.
const ROUNDING: f64 = 1e-12;

/// State of a body at the start of a step.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct StartState {
    velocity: Vector3<f64>,
    angular_velocity: Vector3<f64>,
    center: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    /// Angular momentum about the centre of mass.
    spin: Vector3<f64>,
}

impl StartState {
    fn of(body: &RigidBody) -> Self {
        Self {
            velocity: body.linvel().into(),
            angular_velocity: body.angvel().into(),
            center: body.center_of_mass().into(),
            rotation: (*body.rotation()).into(),
            spin: spin(body),
        }
    }
}

/// Motion of a body within a step: displacement of the centre of mass [m] and rotation vector [rad].
#[derive(Debug, Clone, Copy)]
struct Motion {
    shift: Vector3<f64>,
    rotation: Vector3<f64>,
}

impl Motion {
    fn of(body: &RigidBody, start: &StartState) -> Self {
        let rotation = UnitQuaternion::from(*body.rotation()) * start.rotation.inverse();
        let shift = Vector3::from(body.center_of_mass()) - start.center;
        Self { shift, rotation: rotation.scaled_axis() }
    }

    /// Displacement of a point that is `arm` [m] from the centre of mass, to first order in the rotation.
    fn displacement(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.shift + self.rotation.cross(arm)
    }
}

/// Properties of a body that decide its bounces, and its state at the start of the step.
#[derive(Debug, Clone, Copy)]
struct Bouncer {
    handle: RigidBodyHandle,
    restitution: f64,
    friction: f64,
    /// Bounding radius [m].
    size: f64,
    yields: bool,
    start: StartState,
}

/// Restitution of a world.
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

/// The state is that of each body before the last step in which it moved.
impl Stateful for Restitution {
    type State = Vec<StartState>;

    fn snapshot(&self) -> Vec<StartState> {
        self.bodies.iter().map(|bouncer| bouncer.start).collect()
    }

    fn restore(&mut self, state: Vec<StartState>) -> Result<(), Mismatch> {
        fits(state.len() == self.bodies.len())?;
        self.bodies.iter_mut().zip(state).for_each(|(bouncer, start)| bouncer.start = start);
        Ok(())
    }
}

impl Restitution {
    /// Restitution of bodies with their handles, in the same order; approaches below `slow` [m/s] do not bounce.
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
                yields: body.kind == BodyKind::Dynamic && !is_link(physics, handle),
                start: StartState::of(&physics.bodies[handle]),
            }
        });
        let bodies: Vec<Bouncer> = bodies.collect();
        let any = described.iter().any(|body| body.restitution > 0.0);
        let (gravity, step) = (physics.gravity.into(), physics.integration_parameters.dt);
        Self { bodies, index, any, gravity, slow, step }
    }

    /// Stores the states of the bodies that may have `changed` since this was called last.
    pub(crate) fn before_step(&mut self, physics: &PhysicsWorld, changed: &[usize]) {
        if !self.any {
            return;
        }
        for &body in changed {
            let bouncer = &mut self.bodies[body];
            let body = &physics.bodies[bouncer.handle];
            if !body.is_fixed() {
                bouncer.start = StartState::of(body);
            }
        }
    }

    /// Coefficient of restitution of two bodies.
    pub(crate) fn coefficient(&self, bodies: [RigidBodyHandle; 2]) -> f64 {
        let of = |body| {
            let index = self.index.get(raw(body)).copied().flatten();
            index.map_or(0.0, |index| self.bodies[index].restitution)
        };
        0.5 * (of(bodies[0]) + of(bodies[1]))
    }

    /// Approach [m/s] below which nothing bounces.
    pub(crate) fn slow(&self) -> f64 {
        self.slow
    }

    /// Applies the impacts of the step, without restitution to pairs of bodies (raw indices) for which `overlapping` returns
    /// true, but for those of bodies that have `collided` already.
    pub(crate) fn after_step(
        &self,
        physics: &mut PhysicsWorld,
        (overlapping, collided): (&Overlapping<'_>, &dyn Fn(usize) -> bool),
    ) {
        if !self.any {
            return;
        }
        let mut impact_bodies = Vec::with_capacity(self.bodies.len());
        let mut motions = Vec::with_capacity(self.bodies.len());
        for bouncer in &self.bodies {
            let body = &physics.bodies[bouncer.handle];
            motions.push(Motion::of(body, &bouncer.start));
            impact_bodies.push(self.impact_body(bouncer, body));
        }
        let view = StepView {
            restitution: self,
            physics,
            impact_bodies: &impact_bodies,
            motions: &motions,
            overlapping,
            collided,
        };
        // Most steps have no impact: the points of all pairs are collected only where one has.
        if !physics.narrow_phase.contact_pairs().any(|contacts| view.bounces(contacts)) {
            return;
        }
        let mut pairs: Vec<ImpactPair> =
            physics.narrow_phase.contact_pairs().filter_map(|contacts| view.touching(contacts)).collect();
        // The order decides between equal approaches, and must not be that of rapier's pairs.
        pairs.sort_by_key(|pair| pair.bodies);
        let first: Vec<usize> = (0..pairs.len()).filter(|&index| view.is_impact(&pairs[index])).collect();
        let renewed = impact::collide(&pairs, &first, self.slow, &mut impact_bodies);
        for ((bouncer, impact_body), _) in
            self.bodies.iter().zip(&impact_bodies).zip(&renewed).filter(|(_, renewed)| **renewed)
        {
            wake(physics, bouncer.handle);
            let body = &mut physics.bodies[bouncer.handle];
            // The body is awake; waking it once more would end its rest.
            body.set_linvel(impact_body.velocity.into(), false);
            body.set_angvel(impact_body.angular_velocity.into(), false);
        }
    }

    /// Body with the velocities that it has before the impacts of the step.
    fn impact_body(&self, bouncer: &Bouncer, body: &RigidBody) -> ImpactBody {
        let (velocity, angular_velocity) = (body.linvel().into(), body.angvel().into());
        if !bouncer.yields {
            let inverse_inertia = Matrix3::zeros();
            return ImpactBody {
                velocity,
                angular_velocity,
                inverse_mass: 0.0,
                inverse_inertia,
                struck: false,
            };
        }
        let (start, inverse_inertia) = (&bouncer.start, inverse_inertia(body));
        let velocity = self.fallen(&start.velocity, &(Vector3::from(body.center_of_mass()) - start.center));
        let change: Vector3<f64> = Vector3::from(body.linvel()) - velocity;
        // Without gravity every push counts: pushes from two sides may leave the velocity as it is.
        let struck = change.norm() >= self.gravity.norm() * self.step;
        // A body that did not rotate must not start to by the rounding of its inertia.
        let rotates = start.angular_velocity != Vector3::zeros();
        let angular_velocity = if rotates { inverse_inertia * start.spin } else { start.angular_velocity };
        ImpactBody { velocity, angular_velocity, inverse_mass: 1.0 / body.mass(), inverse_inertia, struck }
    }

    /// Velocity after a displacement [m] under gravity: v² = v₀² + 2 g·Δx.
    fn fallen(&self, velocity: &Vector3<f64>, displacement: &Vector3<f64>) -> Vector3<f64> {
        let Some(down) = self.gravity.try_normalize(0.0) else { return *velocity };
        let pull = self.gravity.norm();
        let before = velocity.dot(&down);
        let after = f64::max(0.0, before * before + 2.0 * pull * displacement.dot(&down)).sqrt();
        // The square loses the sign; a body that rises may fall by the end of the step.
        let falls = before + pull * self.step > 0.0;
        velocity + down * (if falls { after } else { -after } - before)
    }
}

/// A step at its end, as impacts are read from it.
struct StepView<'a> {
    restitution: &'a Restitution,
    physics: &'a PhysicsWorld,
    impact_bodies: &'a [ImpactBody],
    motions: &'a [Motion],
    overlapping: &'a dyn Fn([usize; 2]) -> bool,
    collided: &'a dyn Fn(usize) -> bool,
}

impl StepView<'_> {
    /// Whether an impact of a pair has restitution.
    fn bounces(&self, contacts: &ContactPair) -> bool {
        let Some(pair) = self.pair(contacts) else { return false };
        let fastest = pair.bodies.map(|body| {
            let (impact_body, size) = (&self.impact_bodies[body], self.restitution.bodies[body].size);
            // The size of a half-space is infinite: zero times it would be NaN.
            let swing = if impact_body.angular_velocity == Vector3::zeros() {
                0.0
            } else {
                impact_body.angular_velocity.norm() * size
            };
            impact_body.velocity.norm() + swing
        });
        // An upper bound of the approach at any point, which spares slow pairs their points.
        pair.restitution > 0.0
            && fastest[0] + fastest[1] > self.restitution.slow
            && self.touching(contacts).is_some_and(|pair| self.is_impact(&pair))
    }

    /// Whether a pair that touches approaches fast enough to bounce, or one that does not touch was braked.
    fn is_impact(&self, pair: &ImpactPair) -> bool {
        if pair.early {
            return pair.restitution > 0.0;
        }
        let [a, b] = pair.bodies.map(|body| self.impact_bodies[body].velocity.norm());
        pair.restitution > 0.0
            && pair.approach(self.impact_bodies) > self.restitution.slow.max(ROUNDING * (a + b))
    }

    /// Pair without its points.
    fn pair(&self, contacts: &ContactPair) -> Option<ImpactPair> {
        let handles = parents(&self.physics.colliders, [contacts.collider1, contacts.collider2])?;
        if handles.iter().any(|&body| (self.collided)(raw(body))) {
            return None;
        }
        let index = |body| *self.restitution.index.get(raw(body))?;
        let bodies = [index(handles[0])?, index(handles[1])?];
        let [one, two] = bodies.map(|body| &self.restitution.bodies[body]);
        let mean = 0.5 * (one.restitution + two.restitution);
        Some(ImpactPair {
            bodies,
            points: Vec::new(),
            restitution: if mean > 0.0 && (self.overlapping)(handles.map(raw)) { 0.0 } else { mean },
            friction: 0.5 * (one.friction + two.friction),
            pushed: false,
            early: false,
        })
    }

    /// Pair with the points at which it touches at the end of the step, if there are any or the solver pushed it.
    fn touching(&self, contacts: &ContactPair) -> Option<ImpactPair> {
        let mut pair = self.pair(contacts)?;
        let [one, two] = pair.bodies.map(|body| &self.restitution.bodies[body]);
        let near = TOUCHING_OF_SIZE * one.size.min(two.size);
        for manifold in contacts.solver_manifolds() {
            let mut open = Vec::new();
            let before = pair.points.len();
            for contact in &manifold.data.solver_contacts {
                let (touch, gaps) = self.touch(&pair, &manifold.data.normal.into(), contact);
                let approach =
                    f64::max(0.0, -self.restitution.step * pair.separation(&touch, self.impact_bodies));
                let pushed = manifold
                    .points
                    .get(index_in_manifold(contact))
                    .is_some_and(|point| point.data.impulse > 0.0);
                pair.pushed |= pushed;
                // A resting contact hardly approaches, so that the push of the solver is the sign that it touches.
                let closes = gaps[0] <= near + approach;
                if closes && gaps[1] <= near + CLOSED_GAP * approach || pushed && approach <= near {
                    pair.points.push(touch);
                } else if closes && gaps[1] <= near + ADJACENT_GAP * approach {
                    open.push(touch);
                }
                let unhindered = gaps[0] - gaps[1] >= UNHINDERED_APPROACH * approach;
                pair.early |= pushed
                    && unhindered
                    && approach > near.max(self.restitution.slow * self.restitution.step);
            }
            if pair.points.len() > before {
                pair.points.append(&mut open);
            }
        }
        pair.early &= pair.points.is_empty();
        (pair.pushed || !pair.points.is_empty()).then_some(pair)
    }

    /// Contact that the solver was given, with its gaps [m] at the start and at the end of the step.
    fn touch(&self, pair: &ImpactPair, normal: &Vector3<f64>, contact: &SolverContact) -> (Touch, [f64; 2]) {
        // The solver stores the points on dynamic bodies in their frames, and others in the world's.
        let arm = |body: usize, anchor: Vector3<f64>| {
            let bouncer = &self.restitution.bodies[body];
            let free = self.physics.bodies[bouncer.handle].is_dynamic();
            if free { bouncer.start.rotation * anchor } else { anchor - bouncer.start.center }
        };
        let [a, b] = pair.bodies;
        let arms = [arm(a, contact.anchor1.into()), arm(b, contact.anchor2.into())];
        let opened =
            (self.motions[b].displacement(&arms[1]) - self.motions[a].displacement(&arms[0])).dot(normal);
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
