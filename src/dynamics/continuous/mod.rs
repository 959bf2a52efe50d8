//! Continuous collision: what moves fast is stopped where it first meets something within a step.
//!
//! rapier's solver carries every body to the end of a step; a fast one may by then be beyond a wall that it never
//! overlapped. After each step all pairs of bodies that moved far relative to each other are swept from their poses
//! before to those after it, both of them moving and turning, whatever their shapes: the earliest contact stops both
//! bodies there for the rest of the step, then the next one is looked for ([`events`]). Velocities stay. The next step
//! finds the contact on the near side and lets the solver answer it.
//!
//! What touches at the start of a step must go on: a ball rolls, a box slides, a bolt turns in its nut. So a contact
//! only counts when the rest of the step would carry it deeper than a *skin*, a small share of the body ([`meeting`]):
//! it is the body less its skin that must not meet anything. Where it would, the whole body stops where it touches.
//!
//! Departs from [Lin17 §40.3]: no time is won back. What a stopped body has left of the step is lost to it, once for each
//! thing that it hits; what only fell until then has the velocity it had at that time, so that no energy is won.
//!
//! | here       | meaning                                                                                       |
//! |------------|-----------------------------------------------------------------------------------------------|
//! | time       | 0 at the start of a step, 1 at its end                                                        |
//! | thickness  | mean thickness of a body: twice the volume over the area [m]                                  |
//! | skin       | depth to which contacts are left to the solver [m]                                            |
//! | fast       | moving farther in a step, relative to the other body, than contacts can be relied on to see   |

mod advancement;
mod erosion;
mod events;
mod gaps;
mod joined;
mod meeting;
mod path;
mod surfaces;
mod swept;

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::{RigidBodyHandle, RigidBodyType};
use rapier3d::pipeline::PhysicsWorld;

use self::events::{Events, Mover};
use self::joined::Joined;
use self::path::Path;
use self::swept::{Outline, Swept};
use super::BodyDescription;

/// Continuous collision for the bodies of a world, in the order of their names.
pub(super) struct ContinuousCollision {
    bodies: Vec<Swept>,
    joined: Joined,
    /// Poses and velocities of the centres of mass [m/s] at the start of the step.
    before: Vec<(Isometry3<f64>, Vector3<f64>)>,
    /// The least thickness and size of all bodies [m].
    least: Outline,
}

impl ContinuousCollision {
    /// For bodies in the order of their handles.
    pub(super) fn new(bodies: &[BodyDescription], joints: &[[usize; 2]]) -> Self {
        let mut shapes = BTreeMap::new();
        let bodies = bodies.iter().map(|body| Swept::new(body, &mut shapes)).collect::<Vec<_>>();
        let least = bodies.iter().fold(Outline::ENDLESS, |least, body| least.least(&body.shape.outline));
        let movable = |index: usize| bodies[index].moves_under_forces;
        let joined = Joined::new(bodies.len(), joints.iter().filter(|pair| pair.iter().all(|&i| movable(i))));
        Self { bodies, joined, before: Vec::new(), least }
    }

    /// Takes note of where the bodies are before a step.
    pub(super) fn begin(&mut self, physics: &PhysicsWorld, handles: &[RigidBodyHandle]) {
        self.before.clear();
        let state = |&handle: &RigidBodyHandle| {
            let body = &physics.bodies[handle];
            ((*body.position()).into(), body.linvel().into())
        };
        self.before.extend(handles.iter().map(state));
    }

    /// Stops what met something on its way through the step of `time_step` [s].
    pub(super) fn finish(&self, physics: &mut PhysicsWorld, handles: &[RigidBodyHandle], time_step: f64) {
        let paths = self.paths(physics, handles, time_step);
        let candidates = self.candidates(&paths, physics, handles);
        if candidates.is_empty() {
            return;
        }
        let movers = self.bodies.iter().zip(paths);
        let movers = movers.map(|(body, path)| Mover { body, path, stopped: false }).collect();
        let mut events = Events { movers, joined: &self.joined };
        events.run(&candidates);
        let stopped = events.movers.iter().enumerate().filter(|(_, mover)| mover.stopped);
        let stopped = stopped.map(|(index, mover)| (index, mover.path)).collect::<Vec<_>>();
        for (index, path) in &stopped {
            let flew = flew_freely(physics, handles[*index]);
            let body = &mut physics.bodies[handles[*index]];
            body.set_position(path.pose_at(1.0).into(), false);
            if flew {
                let [start, end] = [self.before[*index].1, Vector3::from(body.linvel())];
                body.set_linvel((start + (end - start) * path.begin).into(), false);
            }
        }
        if !stopped.is_empty() {
            physics.bodies.propagate_modified_body_positions_to_colliders(&mut physics.colliders);
        }
    }

    fn paths(&self, physics: &PhysicsWorld, handles: &[RigidBodyHandle], time_step: f64) -> Vec<Path> {
        let path = |((body, (before, _)), &handle): (
            (&Swept, &(Isometry3<f64>, Vector3<f64>)),
            &RigidBodyHandle,
        )| {
            let rigid = &physics.bodies[handle];
            if rigid.body_type() == RigidBodyType::Fixed {
                return Path::resting(before);
            }
            let center = Point3::from(Vector3::from(rigid.mass_properties().local_mprops.local_com));
            let to = (*rigid.position()).into();
            let turning = Vector3::from(rigid.angvel()) * time_step;
            body.path(before, &to, &center, &turning)
        };
        self.bodies.iter().zip(&self.before).zip(handles).map(path).collect()
    }

    /// The pairs to be swept, in order.
    fn candidates(
        &self,
        paths: &[Path],
        physics: &PhysicsWorld,
        handles: &[RigidBodyHandle],
    ) -> Vec<[usize; 2]> {
        let fast = |index: usize| self.bodies[index].may_be_fast(&paths[index], &self.least);
        let fast = (0..paths.len()).map(fast).collect::<Vec<_>>();
        if !fast.contains(&true) {
            return Vec::new();
        }
        let near = swept::near_pairs(&self.bodies, paths, &fast);
        let may_meet = |[a, b]: &[usize; 2]| {
            let (a, b) = (*a, *b);
            let moves = self.bodies[a].moves_under_forces || self.bodies[b].moves_under_forces;
            moves
                && Swept::is_fast_pair([&self.bodies[a], &self.bodies[b]], [&paths[a], &paths[b]])
                && joined::may_collide(physics, [handles[a], handles[b]])
        };
        near.into_iter().filter(may_meet).collect()
    }
}

/// Whether no contact or joint has changed the velocity of a body in the last step.
fn flew_freely(physics: &PhysicsWorld, handle: RigidBodyHandle) -> bool {
    let colliders = physics.bodies[handle].colliders().iter();
    let pairs = colliders.flat_map(|&collider| physics.narrow_phase.contact_pairs_with(collider));
    let manifolds = pairs.filter_map(|pair| pair.rigid()).flat_map(|rigid| rigid.solver_manifolds());
    let pushed = manifolds.flat_map(|manifold| &manifold.points).any(|point| point.data.impulse > 0.0);
    !pushed && physics.impulse_joints.attached_joints(handle).next().is_none()
}
