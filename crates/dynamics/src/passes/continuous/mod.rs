//! Continuous collision detection: fast bodies stop at their first contact within a step.
//!
//! rapier's solver moves every body to the end of a step; a fast one may by then be beyond a wall that it never
//! overlapped. After each step all pairs of bodies that moved far relative to each other are swept from their poses
//! before to those after it, with translation and rotation of both, whatever their shapes: the earliest contact stops both
//! bodies there for the rest of the step, then the next one is determined ([`events`]). Velocities are unchanged. The next
//! step finds the contact on the near side, and the solver responds to it.
//!
//! Bodies that touch at the start of a step must be able to move: a ball rolls, a box slides, a bolt rotates in its nut. So
//! a contact only counts when the rest of the step would carry it deeper than a *skin*, a small fraction of the body
//! ([`time_of_contact`]): the body less its skin must not touch anything. Where it would, the whole body stops at its first
//! touch.
//!
//! Two bodies that overlap and are being separated (`depenetration`) are in contact in each step until they are; they
//! retain the motion of their common centre of mass and stop relative to each other, or they would hang in the air while
//! gravity accelerates them.
//!
//! Departs from [Lin17 §40.3]: no time is regained. The rest of the step is lost to a stopped body, once for each thing
//! that it hits; a body that only fell until then has the velocity that it had at that time, so that no energy is gained.
//!
//! | here       | meaning                                                                                       |
//! |------------|-----------------------------------------------------------------------------------------------|
//! | time       | 0 at the start of a step, 1 at its end                                                        |
//! | thickness  | mean thickness of a body: twice the volume over the area [m]                                  |
//! | skin       | depth to which contacts are left to the solver [m]                                            |
//! | fast       | moving farther in a step, relative to the other body, than contacts can be relied on to detect|

mod advancement;
mod erosion;
mod events;
mod gap_functions;
mod joined;
mod path;
mod stop;
mod surfaces;
mod swept;
mod time_of_contact;
mod vertex_blocks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use extricate_core::parallel;
use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::{RigidBodyHandle, RigidBodyType};
use rapier3d::pipeline::PhysicsWorld;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use self::events::{Events, MovingBody, Outcome};
use self::joined::Joined;
use self::path::Path;
use self::stop::Stop;
use self::swept::{Kind, Outline, SweptBody};
use crate::contact::clearance::Clearance;
use crate::description::BodyDescription;
use crate::passes::awake::Awake;
use crate::passes::depenetration::Depenetration;
use crate::passes::pair_contacts::PairContacts;
use crate::profile::Profiler;
use crate::rigid::raw;

/// Number of bodies below which threads would cost more than they save.
const MIN_PER_THREAD: usize = 256;

/// State of a body at the start of a step.
#[derive(Debug, Clone, Copy)]
struct StartState {
    pose: Isometry3<f64>,
    /// Velocity of the centre of mass [m/s].
    velocity: Vector3<f64>,
}

/// Continuous collision detection for the bodies of a world, in the order of their names.
pub(crate) struct ContinuousCollision {
    bodies: Vec<SweptBody>,
    joined: Joined,
    before: Vec<StartState>,
    /// Minimum thickness and size of all bodies [m].
    min: Outline,
    /// Clearances of the pairs that were swept last, in order: what a sweep need not find again.
    clearances: Vec<([usize; 2], Clearance)>,
    profiler: Profiler,
}

impl ContinuousCollision {
    /// Continuous collision detection for bodies in the order of their handles; `robots` are the links of those that rapier does not
    /// joint.
    pub(crate) fn new(
        physics: &PhysicsWorld,
        bodies: &[BodyDescription],
        handles: &[RigidBodyHandle],
        (profiler, robots): (&Profiler, &[Vec<RigidBodyHandle>]),
    ) -> Self {
        let mut shapes = BTreeMap::new();
        let mut bodies = bodies.iter().map(|body| SweptBody::new(body, &mut shapes)).collect::<Vec<_>>();
        let links: BTreeSet<usize> = robots.iter().flatten().map(|&link| raw(link)).collect();
        bodies
            .iter_mut()
            .zip(handles)
            .for_each(|(body, &handle)| body.is_link = links.contains(&raw(handle)));
        let min = bodies.iter().fold(Outline::ENDLESS, |min, body| min.min(&body.shape.outline));
        let joined = Joined::of(physics, handles, robots, |index| bodies[index].moves_under_forces);
        Self { bodies, joined, before: Vec::new(), min, clearances: Vec::new(), profiler: profiler.clone() }
    }

    /// Builds everything that sweeps of these bodies may need, in parallel; otherwise it is built on first use, within a step.
    /// Returns the number of shapes. Convex shapes need nothing where there is no mesh.
    pub(crate) fn prepare(&self) -> usize {
        let mut shapes = BTreeMap::new();
        for body in &self.bodies {
            let (_, (moves, is_link)) =
                shapes.entry(Arc::as_ptr(&body.shape)).or_insert((&*body.shape, (false, false)));
            *moves |= body.moves_under_forces;
            *is_link |= body.is_link;
        }
        let shapes: Vec<_> = shapes.into_values().collect();
        if !shapes.iter().any(|(shape, _)| matches!(shape.kind, Kind::Mesh(_))) {
            return shapes.len();
        }
        parallel::map_slice(&shapes, 1, |(shape, how)| shape.prepare(*how));
        shapes.len()
    }

    /// Stores the states of the bodies that may have `changed` since this was called last: all of them at first.
    pub(crate) fn begin(&mut self, physics: &PhysicsWorld, handles: &[RigidBodyHandle], changed: &[usize]) {
        let state = |&body: &usize| {
            let body = &physics.bodies[handles[body]];
            StartState { pose: (*body.position()).into(), velocity: body.linvel().into() }
        };
        let states = parallel::map_slice(changed, MIN_PER_THREAD, state);
        if changed.len() == handles.len() {
            self.before = states;
            return;
        }
        for (&body, state) in changed.iter().zip(states) {
            self.before[body] = state;
        }
    }

    /// Stops bodies at their contacts within the step of `time_step` [s]. Bodies that overlap from the start and are being
    /// separated stop relative to each other, and continue together. Returns the links of robots that rapier does not joint which
    /// stopped, each with the duration [s] by which its robot is to be moved back.
    pub(crate) fn finish(
        &mut self,
        physics: &mut PhysicsWorld,
        handles: &[RigidBodyHandle],
        (awake, contacts, overlaps): (&Awake, &[PairContacts], &Depenetration),
        time_step: f64,
    ) -> Vec<(RigidBodyHandle, f64)> {
        let may_be_fast = |&body: &usize| {
            self.bodies[body].may_be_fast(&self.path(physics, handles, body, time_step), &self.min)
        };
        // Most steps have no fast body, and need neither paths nor boxes.
        if !awake.bodies().par_iter().with_min_len(MIN_PER_THREAD).any(may_be_fast) {
            return Vec::new();
        }
        let paths = (0..handles.len()).map(|body| self.path(physics, handles, body, time_step));
        let paths = paths.collect::<Vec<_>>();
        let candidates = self.candidates(&paths, physics, handles);
        if candidates.is_empty() {
            return Vec::new();
        }
        let clearances = self.known_clearances(&candidates);
        let bodies = self.bodies.iter().zip(paths).zip(handles);
        let bodies = bodies.map(|((body, path), &handle)| MovingBody {
            body,
            path,
            mass: physics.bodies[handle].mass(),
            outcome: Outcome::Free,
        });
        let overlapping = overlaps.being_separated(contacts, handles, &candidates);
        let (bodies, joined, profiler) = (bodies.collect(), &self.joined, &self.profiler);
        let mut events = Events { bodies, joined, overlapping, clearances, profiler };
        events.run();
        let met = events.bodies.iter().enumerate().filter(|(_, moving)| moving.outcome != Outcome::Free);
        let met = met.map(|(index, moving)| (index, moving.path, moving.outcome)).collect::<Vec<_>>();
        self.clearances = events.clearances;
        let mut stop = Stop { physics, rewound: Vec::new(), links: Vec::new(), time_step };
        for (index, path, outcome) in met {
            let fell = (outcome == Outcome::Stopped).then_some(self.before[index].velocity);
            stop.at(handles[index], &path, fell);
        }
        stop.links
    }

    /// Pairs with what is known of their clearances.
    fn known_clearances(&self, pairs: &[[usize; 2]]) -> Vec<([usize; 2], Clearance)> {
        let mut known = self.clearances.iter().peekable();
        let of = |&pair: &[usize; 2]| {
            while known.next_if(|(other, _)| *other < pair).is_some() {}
            let clearance = known.next_if(|(other, _)| *other == pair).map(|(_, clearance)| *clearance);
            (pair, clearance.unwrap_or_default())
        };
        pairs.iter().map(of).collect()
    }

    /// Path of a body through the step of `time_step` [s].
    fn path(&self, physics: &PhysicsWorld, handles: &[RigidBodyHandle], body: usize, time_step: f64) -> Path {
        let (rigid, from) = (&physics.bodies[handles[body]], &self.before[body].pose);
        if rigid.body_type() == RigidBodyType::Fixed {
            return Path::resting(from);
        }
        let center = Point3::from(Vector3::from(rigid.mass_properties().local_mprops.local_com));
        let rotation = Vector3::from(rigid.angvel()) * time_step;
        self.bodies[body].path(from, &(*rigid.position()).into(), &center, &rotation)
    }

    /// Pairs to be swept, in order.
    fn candidates(
        &self,
        paths: &[Path],
        physics: &PhysicsWorld,
        handles: &[RigidBodyHandle],
    ) -> Vec<[usize; 2]> {
        let fast = |index: usize| self.bodies[index].may_be_fast(&paths[index], &self.min);
        let fast = (0..paths.len()).map(fast).collect::<Vec<_>>();
        let near = swept::near_pairs(&self.bodies, paths, &fast);
        let may_meet = |[a, b]: &[usize; 2]| {
            let (a, b) = (*a, *b);
            let moves = self.bodies[a].moves_under_forces || self.bodies[b].moves_under_forces;
            // The joints last: they are looked up in a graph.
            moves
                && SweptBody::is_fast_pair([&self.bodies[a], &self.bodies[b]], [&paths[a], &paths[b]])
                && joined::may_collide(physics, [handles[a], handles[b]])
        };
        near.into_iter().filter(may_meet).collect()
    }
}
