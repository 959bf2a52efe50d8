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
//! Two bodies that overlap and are being taken apart (`depenetration`) meet in each step until they are; they keep the
//! motion of their common centre of mass and stop relative to each other, or they would hang in the air while gravity
//! accelerates them.
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
mod stop;
mod surfaces;
mod swept;

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::{RigidBodyHandle, RigidBodyType};
use rapier3d::pipeline::PhysicsWorld;

use self::events::{Events, Mover, Outcome};
use self::joined::Joined;
use self::path::Path;
use self::stop::Stop;
use self::swept::{Outline, Swept};
use crate::description::BodyDescription;
use crate::passes::depenetration::Depenetration;

/// A body at the start of a step.
#[derive(Debug, Clone, Copy)]
struct Start {
    pose: Isometry3<f64>,
    /// Velocity of the centre of mass [m/s].
    velocity: Vector3<f64>,
}

/// Continuous collision for the bodies of a world, in the order of their names.
pub(crate) struct ContinuousCollision {
    bodies: Vec<Swept>,
    joined: Joined,
    before: Vec<Start>,
    /// The least thickness and size of all bodies [m].
    least: Outline,
}

impl ContinuousCollision {
    /// For bodies in the order of their handles.
    pub(crate) fn new(
        physics: &PhysicsWorld,
        bodies: &[BodyDescription],
        handles: &[RigidBodyHandle],
    ) -> Self {
        let mut shapes = BTreeMap::new();
        let bodies = bodies.iter().map(|body| Swept::new(body, &mut shapes)).collect::<Vec<_>>();
        let least = bodies.iter().fold(Outline::ENDLESS, |least, body| least.least(&body.shape.outline));
        let joined = Joined::of(physics, handles, |index| bodies[index].moves_under_forces);
        Self { bodies, joined, before: Vec::new(), least }
    }

    /// Takes note of where the bodies are before a step.
    pub(crate) fn begin(&mut self, physics: &PhysicsWorld, handles: &[RigidBodyHandle]) {
        self.before.clear();
        let state = |&handle: &RigidBodyHandle| {
            let body = &physics.bodies[handle];
            Start { pose: (*body.position()).into(), velocity: body.linvel().into() }
        };
        self.before.extend(handles.iter().map(state));
    }

    /// Stops what met something on its way through the step of `time_step` [s]. What overlaps from the start and is being
    /// taken apart stops relative to each other, and goes on together.
    pub(crate) fn finish(
        &self,
        physics: &mut PhysicsWorld,
        handles: &[RigidBodyHandle],
        time_step: f64,
        overlaps: &Depenetration,
    ) {
        let paths = self.paths(physics, handles, time_step);
        let candidates = self.candidates(&paths, physics, handles);
        if candidates.is_empty() {
            return;
        }
        let movers = self.bodies.iter().zip(paths).zip(handles);
        let movers = movers.map(|((body, path), &handle)| Mover {
            body,
            path,
            mass: physics.bodies[handle].mass(),
            outcome: Outcome::Free,
        });
        let overlapping = overlaps.taken_apart(physics, handles, &candidates);
        let mut events = Events { movers: movers.collect(), joined: &self.joined, overlapping };
        events.run(&candidates);
        let met = events.movers.iter().enumerate().filter(|(_, mover)| mover.outcome != Outcome::Free);
        let met = met.map(|(index, mover)| (index, mover.path, mover.outcome)).collect::<Vec<_>>();
        let mut stop = Stop { physics, rewound: Vec::new(), time_step };
        for (index, path, outcome) in met {
            let fell = (outcome == Outcome::Stopped).then_some(self.before[index].velocity);
            stop.at(handles[index], &path, fell);
        }
    }

    fn paths(&self, physics: &PhysicsWorld, handles: &[RigidBodyHandle], time_step: f64) -> Vec<Path> {
        let path = |(index, &handle): (usize, &RigidBodyHandle)| {
            let (rigid, from) = (&physics.bodies[handle], &self.before[index].pose);
            if rigid.body_type() == RigidBodyType::Fixed {
                return Path::resting(from);
            }
            let center = Point3::from(Vector3::from(rigid.mass_properties().local_mprops.local_com));
            let turning = Vector3::from(rigid.angvel()) * time_step;
            self.bodies[index].path(from, &(*rigid.position()).into(), &center, &turning)
        };
        handles.iter().enumerate().map(path).collect()
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
