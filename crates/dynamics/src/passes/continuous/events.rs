//! Contacts of a step in the order of time: each stops its bodies, which changes later ones.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use extricate_core::parallel;

use super::joined::Joined;
use super::path::Path;
use super::swept::SweptBody;
use super::time_of_contact::time_of_contact;
use crate::contact::clearance::Clearance;
use crate::profile::{Profiler, Work};

/// A body with its motion through a step.
pub(super) struct MovingBody<'a> {
    pub(super) body: &'a SweptBody,
    pub(super) path: Path,
    /// Mass [kg]; meaningless for a body that does not move under forces.
    pub(super) mass: f64,
    pub(super) outcome: Outcome,
}

/// Outcome of the motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It had no contact.
    Free,
    /// It stopped, or was carried along, before the end of the step.
    Stopped,
    /// It continued together with a body that it overlaps.
    Together,
}

/// All bodies of a step.
pub(super) struct Events<'a> {
    pub(super) bodies: Vec<MovingBody<'a>>,
    pub(super) joined: &'a Joined,
    /// Pairs that overlap since the start of the step, and are being separated.
    pub(super) overlapping: BTreeSet<[usize; 2]>,
    /// Pairs to be swept, in order, with what is known of the clearance of their surfaces.
    pub(super) clearances: Vec<([usize; 2], Clearance)>,
    pub(super) profiler: &'a Profiler,
}

/// A pair with its time of contact.
#[derive(Debug, Clone, Copy)]
struct ContactEvent {
    time: f64,
    pair: [usize; 2],
}

impl ContactEvent {
    fn earlier(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.pair.cmp(&other.pair))
    }
}

impl Events<'_> {
    /// Processes contacts, the earliest first; of equal times the first pair. A pair has one contact in a step, so that the
    /// loop ends.
    pub(super) fn run(&mut self) {
        // Collected in the order of the pairs, so that the number of threads does not matter.
        let first = parallel::map_slice(&self.clearances, 1, |&(pair, mut clearance)| {
            let event = self.event(pair, 0.0, &mut clearance);
            (event, clearance)
        });
        let mut events = Vec::new();
        for ((event, clearance), (_, known)) in first.into_iter().zip(&mut self.clearances) {
            *known = clearance;
            events.extend(event);
        }
        let pairs = self.clearances.iter().map(|(pair, _)| *pair);
        let mut open = if events.is_empty() { Vec::new() } else { pairs.collect::<Vec<_>>() };
        while let Some(next) = events.iter().copied().min_by(ContactEvent::earlier) {
            let changed = self.stop(next);
            open.retain(|pair| *pair != next.pair);
            // A body whose path has changed may miss bodies that it would have met, and meet others.
            let concerned = |pair: &[usize; 2]| pair.iter().any(|body| changed.contains(body));
            events.retain(|event| event.pair != next.pair && !concerned(&event.pair));
            let again = open.iter().filter(|pair| concerned(pair));
            events.extend(again.filter_map(|&pair| self.event(pair, next.time, &mut Clearance::default())));
        }
    }

    /// First contact of a pair from the time `from` on.
    fn event(&self, pair: [usize; 2], from: f64, clearance: &mut Clearance) -> Option<ContactEvent> {
        let [a, b] = pair.map(|index| &self.bodies[index]);
        if a.path.rests() && b.path.rests() {
            return None;
        }
        let timer = self.profiler.begin_pair(pair);
        let time = time_of_contact([(&a.body.shape, &a.path), (&b.body.shape, &b.path)], from, clearance);
        self.profiler.end(&timer, Work::Sweep);
        let time = time?;
        Some(ContactEvent { time: time.max(from), pair })
    }

    /// Stops the bodies of a pair and all that are joined to them; a kinematic body carries the other one along, unless that
    /// one has joints. Returns the bodies whose paths change.
    fn stop(&mut self, event: ContactEvent) -> Vec<usize> {
        if self.moves_together(event.pair) {
            return self.join(event);
        }
        let mut changed = Vec::new();
        for (index, other) in [(0, 1), (1, 0)] {
            let [body, other] = [event.pair[index], event.pair[other]];
            if !self.bodies[body].body.moves_under_forces {
                continue;
            }
            let together = self.joined.with(body);
            let carrier = self.bodies[other].path;
            // A body with joints stops instead: carried alone, it would violate them.
            let carried =
                !self.bodies[other].body.moves_under_forces && !carrier.rests() && together.len() == 1;
            for &member in together {
                let moving = &mut self.bodies[member];
                if carried {
                    moving.path.follow(&carrier, event.time);
                } else if !moving.path.rests() {
                    moving.path.stop(event.time);
                } else {
                    continue;
                }
                moving.outcome = Outcome::Stopped;
                changed.push(member);
            }
        }
        changed
    }

    /// Whether two bodies in contact retain the motion that they have in common. Overlapping bodies are in contact in each
    /// step until they are separated, and would be held in the air while gravity accelerates them.
    fn moves_together(&self, pair: [usize; 2]) -> bool {
        let is_free = |&body: &usize| {
            self.bodies[body].body.moves_under_forces
                && self.bodies[body].outcome != Outcome::Stopped
                && self.joined.with(body).len() == 1
        };
        self.overlapping.contains(&pair) && pair.iter().all(is_free)
    }

    /// Makes both bodies continue with the motion of their common centre of mass, which conserves their momentum and the work
    /// of gravity on them.
    fn join(&mut self, ContactEvent { time, pair }: ContactEvent) -> Vec<usize> {
        let [a, b] = pair.map(|body| (self.bodies[body].mass, self.bodies[body].path.linear));
        let linear = (a.0 * a.1 + b.0 * b.1) / (a.0 + b.0);
        for body in pair {
            let moving = &mut self.bodies[body];
            let carrier = Path { begin: time, linear, ..Path::resting(&moving.path.pose_at(time)) };
            moving.path.follow(&carrier, time);
            moving.outcome = Outcome::Together;
        }
        pair.to_vec()
    }
}
