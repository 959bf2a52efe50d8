//! Bodies that are awake, so that the passes of a step visit those that may move and not the ones that sleep.
//!
//! rapier decides which bodies sleep: an island, that is bodies connected by contacts and joints, falls asleep when all of
//! its bodies have been at rest for a time, and wakes as a whole when a body that is awake touches it. Fixed bodies do not
//! connect. A body that sleeps has no velocity and does not move, so that all that a pass has stored about it since it fell
//! asleep remains valid: a pass that stores states asks for the [`Changes`] since it did so last.
//!
//! Where bodies do not sleep, all of them are listed, and all pairs in rapier's order.

use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::{ColliderHandle, ContactPair};
use rapier3d::pipeline::PhysicsWorld;

use crate::rigid::raw;

/// Indices of bodies without duplicates, in ascending order once [sorted](Changes::sort).
#[derive(Debug, Default)]
pub(crate) struct Changes {
    list: Vec<usize>,
    is_listed: Vec<bool>,
}

impl Changes {
    fn all(count: usize) -> Self {
        Self { list: (0..count).collect(), is_listed: vec![true; count] }
    }

    fn add(&mut self, bodies: &[usize]) {
        for &body in bodies {
            if !std::mem::replace(&mut self.is_listed[body], true) {
                self.list.push(body);
            }
        }
    }

    fn sort(&mut self) {
        self.list.sort_unstable();
    }

    fn clear(&mut self) {
        self.list.drain(..).for_each(|body| self.is_listed[body] = false);
    }
}

/// The bodies that are awake, as indices in the order of the names.
#[derive(Debug, Default)]
pub(crate) struct Awake {
    /// Whether bodies may fall asleep.
    may_sleep: bool,
    /// Index of a body by the raw index of its handle; `usize::MAX` for those without a name.
    indices: Vec<usize>,
    /// Raw index of the body of a collider, by the raw index of the collider.
    owners: Vec<usize>,
    handles: Vec<RigidBodyHandle>,
    /// Number of bodies with a name that are not fixed.
    movable: usize,
    /// In ascending order.
    bodies: Vec<usize>,
    /// By the raw index of the handle.
    is_awake: Vec<bool>,
    /// Those that may have changed since the start of the last part of a step.
    started: Changes,
    /// Those that may have changed since the last report.
    reported: Changes,
    /// Whether rapier has not stepped yet, and lists no bodies.
    fresh: bool,
}

impl Awake {
    /// All bodies of a world at its start, in the order of their handles.
    pub(crate) fn of(physics: &PhysicsWorld, handles: &[RigidBodyHandle], may_sleep: bool) -> Self {
        let count = physics.bodies.iter().map(|(handle, _)| raw(handle) + 1).max().unwrap_or(0);
        let mut indices = vec![usize::MAX; count];
        for (index, &handle) in handles.iter().enumerate() {
            indices[raw(handle)] = index;
        }
        let mut owners = Vec::new();
        for (collider, shape) in physics.colliders.iter() {
            let place = collider.into_raw_parts().0 as usize;
            if owners.len() <= place {
                owners.resize(place + 1, usize::MAX);
            }
            owners[place] = shape.parent().map_or(usize::MAX, raw);
        }
        let movable = handles.iter().filter(|&&handle| !physics.bodies[handle].is_fixed()).count();
        Self {
            may_sleep,
            indices,
            owners,
            handles: handles.to_vec(),
            movable,
            bodies: (0..handles.len()).collect(),
            is_awake: vec![true; count],
            started: Changes::all(handles.len()),
            reported: Changes::all(handles.len()),
            fresh: true,
        }
    }

    /// Reads from rapier which bodies are awake.
    pub(crate) fn update(&mut self, physics: &PhysicsWorld) {
        if !self.may_sleep || std::mem::take(&mut self.fresh) {
            return;
        }
        for &body in &self.bodies {
            self.is_awake[raw(self.handles[body])] = false;
        }
        self.bodies.clear();
        for handle in physics.islands.active_bodies() {
            let index = self.indices.get(raw(handle)).copied().unwrap_or(usize::MAX);
            if index != usize::MAX {
                self.is_awake[raw(handle)] = true;
                self.bodies.push(index);
            }
        }
        self.bodies.sort_unstable();
        self.started.add(&self.bodies);
        self.reported.add(&self.bodies);
    }

    /// Indices of the bodies that are awake, in ascending order.
    pub(crate) fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// Number of bodies that sleep.
    pub(crate) fn asleep(&self) -> usize {
        if self.may_sleep { self.movable.saturating_sub(self.bodies.len()) } else { 0 }
    }

    /// Whether the body with a raw index is awake.
    pub(crate) fn contains(&self, body: usize) -> bool {
        self.is_awake.get(body).copied().unwrap_or(false)
    }

    /// Index of a body in the order of the names.
    pub(crate) fn index(&self, body: RigidBodyHandle) -> Option<usize> {
        self.indices.get(raw(body)).copied().filter(|&index| index != usize::MAX)
    }

    /// Index of a body, given by its raw index, in the order of the names.
    pub(crate) fn index_of_raw(&self, body: usize) -> Option<usize> {
        self.indices.get(body).copied().filter(|&index| index != usize::MAX)
    }

    /// Raw indices of the bodies of two colliders.
    pub(crate) fn owners(&self, colliders: [ColliderHandle; 2]) -> Option<[usize; 2]> {
        let owner = |collider: ColliderHandle| {
            let owner = self.owners.get(collider.into_raw_parts().0 as usize).copied();
            owner.filter(|&body| body != usize::MAX)
        };
        Some([owner(colliders[0])?, owner(colliders[1])?])
    }

    /// Bodies that may have changed since the start of the last part, in ascending order, as a new part starts.
    pub(crate) fn changed_at_start(&mut self) -> &[usize] {
        self.started.sort();
        &self.started.list
    }

    /// States that everything has been stored at the start of a part.
    pub(crate) fn started(&mut self) {
        if self.may_sleep {
            self.started.clear();
            // A body that falls asleep in this part loses its velocity.
            self.started.add(&self.bodies);
        }
    }

    /// Bodies that may have changed since the last report, in ascending order.
    pub(crate) fn changed_since_report(&mut self) -> &[usize] {
        self.reported.sort();
        &self.reported.list
    }

    /// States that the step has been reported.
    pub(crate) fn reported(&mut self) {
        if self.may_sleep {
            self.reported.clear();
            self.reported.add(&self.bodies);
        }
    }

    /// Pairs of colliders near each other of which one is awake, each once: in rapier's order where no body sleeps.
    pub(crate) fn pairs<'a>(&self, physics: &'a PhysicsWorld) -> Vec<&'a ContactPair> {
        if self.asleep() == 0 {
            return physics.narrow_phase.contact_pairs().collect();
        }
        let mut pairs = Vec::new();
        for &body in &self.bodies {
            let handle = self.handles[body];
            for &collider in physics.bodies[handle].colliders() {
                let near = physics.narrow_phase.contact_pairs_with(collider);
                // Of two bodies that are awake the first one lists the pair.
                pairs.extend(near.filter(|pair| {
                    let owners = self.owners([pair.collider1, pair.collider2]);
                    owners.is_some_and(|owners| {
                        let other = if owners[0] == raw(handle) { owners[1] } else { owners[0] };
                        !self.contains(other) || self.indices[other] > body
                    })
                }));
            }
        }
        pairs
    }
}
