//! Contacts of coupled rigid bodies with other rigid ones, which the soft solve has to know: a body that soft bodies press against the ground
//! does not yield, and nothing supports it beyond what presses it.
//!
//! The points are those at which rapier's last step held the bodies, followed to their present poses, and the samples of the surfaces that may reach another body within
//! the step. Bodies that may touch soft ones within the step, and all free ones that touch these, are supported together, but for groups that robots or
//! joints hold, too: of these the predicted support remains ([`Partner::moving`](super::partner::Partner::moving)).

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::{ColliderHandle, ContactPair};
use rapier3d::pipeline::PhysicsWorld;

use super::partner::{Moving, Role, obstacle_pose};
use super::world::SoftWorld;
use crate::rigid::{index_in_manifold, parents, raw};
use crate::soft::support::{Support, SupportSide, SupportedBody, Supports};

/// Stiffness of a support times the square of the step over the reduced mass of the bodies: a body yields by the inverse of it of the
/// displacement without it.
const FIRMNESS: f64 = 1e3;

/// Maximum number of bodies that are supported together; larger piles keep the predicted support.
const MAX_BODIES: usize = 64;

/// Distance of samples of a body to another one below which they may meet it in the step, over its bounding radius, beyond what its velocity explains: loads
/// may move it so far.
const REACH: f64 = 1.0;

/// Maximum number of samples of a body; the finer surfaces have the contacts of rapier's last step alone.
const MAX_SAMPLES: usize = 1024;

/// A point at which two rigid bodies may meet.
#[derive(Debug, Clone)]
struct Touch {
    /// Indices of the partners.
    partners: [usize; 2],
    /// Point on each \[m, obstacle's frame\].
    points: [Point3<f64>; 2],
    /// From the first to the second, world.
    normal: Vector3<f64>,
    friction: f64,
    /// Normal force in the last step \[N\].
    bearing: f64,
}

/// Points at which the bodies of a step may meet.
#[derive(Debug, Default)]
pub(super) struct Touches {
    touches: Vec<Touch>,
    /// Whether the points are those of the support of a partner in the last step, by index; empty without any.
    supported: Vec<bool>,
}

impl Touches {
    /// Whether the points are those of the support of a partner in the last step, so that no other one is predicted.
    pub(super) fn support(&self, partner: usize) -> bool {
        self.supported.get(partner).is_some_and(|has| *has)
    }
}

impl SoftWorld {
    /// The points at which free bodies that may touch soft ones may meet others in a step of `dt` \[s\].
    pub(super) fn touches(&self, physics: &PhysicsWorld, dt: f64) -> Touches {
        let mut found = Touches::default();
        let near = self.near(Role::Free, physics, dt);
        if near.is_empty() {
            return found;
        }
        let mut places = Vec::new();
        for (index, partner) in self.partners.iter().enumerate() {
            let at = raw(partner.handle);
            places.resize(places.len().max(at + 1), usize::MAX);
            places[at] = index;
        }
        let poses: Vec<_> = (0..self.partners.len()).map(|index| self.pose_of(physics, index)).collect();
        let mut seen = vec![false; self.partners.len()];
        for start in near {
            if seen[start] {
                continue;
            }
            let Some((group, pairs)) = self.group(physics, start, (&places, &mut seen)) else { continue };
            if !pairs.is_empty() {
                found.supported.resize(self.partners.len(), false);
                group.iter().for_each(|body| found.supported[*body] = true);
            }
            pairs.iter().for_each(|pair| self.add_contacts(physics, pair, (&places, dt), &mut found.touches));
            for &body in &group {
                self.add_approaches(physics, (body, &group), (&poses, dt), &mut found.touches);
            }
        }
        found
    }

    /// Pose of the obstacle's frame of a partner.
    fn pose_of(&self, physics: &PhysicsWorld, index: usize) -> Isometry3<f64> {
        let partner = &self.partners[index];
        obstacle_pose(&(*physics.bodies[partner.handle].position()).into(), &partner.centre)
    }

    /// The free bodies that touch each other from `start` on, and their pairs with contacts, each once; `None` if robots or joints hold one of them
    /// or they are too many. Marks those that were `seen`.
    fn group<'a>(
        &self,
        physics: &'a PhysicsWorld,
        start: usize,
        (places, seen): (&[usize], &mut [bool]),
    ) -> Option<(Vec<usize>, Vec<&'a ContactPair>)> {
        let (mut group, mut pairs, mut closed) = (vec![start], Vec::new(), true);
        seen[start] = true;
        let mut next = 0;
        while let Some(&index) = group.get(next) {
            next += 1;
            let handle = self.partners[index].handle;
            closed &= physics.impulse_joints.attached_joints(handle).next().is_none();
            for &collider in physics.bodies[handle].colliders() {
                for pair in physics.narrow_phase.contact_pairs_with(collider) {
                    let Some(bodies) = bodies_of(physics, pair).filter(|_| bears(pair)) else { continue };
                    let other = raw(if bodies[0] == handle { bodies[1] } else { bodies[0] });
                    let Some(&other) = places.get(other).filter(|at| **at != usize::MAX) else {
                        closed = false;
                        continue;
                    };
                    let role = self.partners[other].role;
                    closed &= role != Role::Link;
                    if role == Role::Free && !seen[other] {
                        seen[other] = true;
                        group.push(other);
                    }
                    pairs.push(pair);
                }
            }
        }
        if !closed || group.len() > MAX_BODIES {
            return None;
        }
        let key = |collider: ColliderHandle| collider.into_raw_parts();
        pairs.sort_by_key(|pair| (key(pair.collider1), key(pair.collider2)));
        pairs.dedup_by_key(|pair| (key(pair.collider1), key(pair.collider2)));
        Some((group, pairs))
    }

    /// Adds the points at which rapier's last step held a pair, in the step of `dt` \[s\].
    fn add_contacts(
        &self,
        physics: &PhysicsWorld,
        pair: &ContactPair,
        (places, dt): (&[usize], f64),
        touches: &mut Vec<Touch>,
    ) {
        let Some(bodies) = bodies_of(physics, pair) else { return };
        let partners = bodies.map(|body| places[raw(body)]);
        let centres = partners.map(|partner| self.partners[partner].centre);
        let in_body = [pair.collider1, pair.collider2].map(|collider| {
            let place = physics.colliders[collider].position_wrt_parent();
            place.map_or(Isometry3::identity(), |place| (*place).into())
        });
        for manifold in pair.solver_manifolds() {
            for contact in &manifold.data.solver_contacts {
                let Some(point) = manifold.points.get(index_in_manifold(contact)) else { continue };
                let ends = [point.local_p1, point.local_p2].map(|end| Point3::from(Vector3::from(end)));
                touches.push(Touch {
                    partners,
                    points: [0, 1].map(|i| in_body[i] * ends[i] - centres[i]),
                    normal: manifold.data.normal.into(),
                    friction: manifold.data.friction,
                    bearing: point.data.impulse.max(0.0) / dt,
                });
            }
        }
    }

    /// Adds the samples of a body that may reach others in a step of `dt` \[s\]: all that do not move freely, and those of its group.
    fn add_approaches(
        &self,
        physics: &PhysicsWorld,
        (index, group): (usize, &[usize]),
        (poses, dt): (&[Isometry3<f64>], f64),
        touches: &mut Vec<Touch>,
    ) {
        let (partner, obstacles) = (&self.partners[index], self.contact.obstacles());
        let (samples, body) = (&obstacles[index].samples, &physics.bodies[partner.handle]);
        let [linear, angular] = [body.linvel(), body.angvel()].map(|v| Vector3::from(v).norm());
        let reach = partner.radius * (REACH + (2.0 * dt * angular).min(2.0)) + 2.0 * dt * linear;
        let meets = |other: usize| match self.partners[other].role {
            Role::Fixed | Role::Driven => true,
            Role::Free => other != index && group.contains(&other),
            Role::Link => false,
        };
        let friction_of = |at: usize| {
            let colliders = physics.bodies[self.partners[at].handle].colliders();
            colliders.first().map_or(0.0, |collider| physics.colliders[*collider].friction())
        };
        for other in (0..self.partners.len()).filter(|other| meets(*other) && samples.len() <= MAX_SAMPLES) {
            let (to, shape) = (&self.partners[other], &obstacles[other].shape);
            let between = poses[other].inverse() * poses[index];
            let center = Point3::from(between.translation.vector);
            let within = partner.radius + reach;
            let is_far =
                to.radius.is_finite() && center.coords.norm() > to.radius + to.centre.norm() + within;
            if is_far || shape.value_and_gradient(&center).0 > within {
                continue;
            }
            let friction = 0.5 * (friction_of(index) + friction_of(other));
            for (point, _) in samples {
                let at = between * point;
                let (gap, gradient) = shape.value_and_gradient(&at);
                if (-partner.radius..reach).contains(&gap) {
                    let points = [at - gap * gradient, *point];
                    let normal = poses[other].rotation * gradient;
                    touches.push(Touch { partners: [other, index], points, normal, friction, bearing: 0.0 });
                }
            }
        }
    }

    /// The supports in a substep of `dt` \[s\] at whose start the bodies are at `moving`.
    pub(super) fn supports(&self, touches: &Touches, moving: &[Moving], dt: f64) -> Supports {
        let mut supports = Supports::default();
        let mut places = vec![None; if touches.touches.is_empty() { 0 } else { self.partners.len() }];
        for touch in &touches.touches {
            for partner in touch.partners.into_iter().filter(|at| self.partners[*at].role == Role::Free) {
                let Some(extra) = self.partners[partner].extra.filter(|_| places[partner].is_none()) else {
                    continue;
                };
                let block = u32::try_from(self.system.extra_block(extra)).expect("blocks fit 32 bits");
                places[partner] = Some(supports.bodies.len());
                supports
                    .bodies
                    .push(SupportedBody { block, origin: moving[partner].pose.translation.vector });
            }
            let points = [0, 1].map(|i| moving[touch.partners[i]].pose * touch.points[i]);
            let sides = [0, 1].map(|i| {
                let origin = moving[touch.partners[i]].pose.translation.vector;
                places[touch.partners[i]].map(|body| SupportSide { body, arm: points[i].coords - origin })
            });
            // Those that the solve does not move.
            let given = [0, 1].map(|i| match sides[i] {
                Some(_) => Vector3::zeros(),
                None => moving[touch.partners[i]].pose_after(dt) * touch.points[i] - points[i],
            });
            let inverse_mass: f64 = [0, 1]
                .map(|i| sides[i].map_or(0.0, |_| moving[touch.partners[i]].inverse_mass()))
                .iter()
                .sum();
            supports.points.push(Support {
                sides,
                normal: touch.normal,
                gap: touch.normal.dot(&(points[1] - points[0])),
                given: given[1] - given[0],
                stiffness: FIRMNESS / (dt * dt * inverse_mass),
                friction: touch.friction,
                bearing: touch.bearing,
            });
        }
        supports
    }
}

/// The bodies of a pair.
fn bodies_of(physics: &PhysicsWorld, pair: &ContactPair) -> Option<[RigidBodyHandle; 2]> {
    parents(&physics.colliders, [pair.collider1, pair.collider2])
}

/// Whether a pair has contacts.
fn bears(pair: &ContactPair) -> bool {
    pair.solver_manifolds().iter().any(|manifold| !manifold.data.solver_contacts.is_empty())
}
