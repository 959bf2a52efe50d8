//! The contacts of a step in the order of time: each stops its bodies, which changes what comes after.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::joined::Joined;
use super::meeting::meeting;
use super::path::Path;
use super::swept::Swept;

/// A body on its way through a step.
pub(super) struct Mover<'a> {
    pub(super) body: &'a Swept,
    pub(super) path: Path,
    /// [kg]; of no meaning where it does not move under forces.
    pub(super) mass: f64,
    pub(super) outcome: Outcome,
}

/// What came of the motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It met nothing.
    Free,
    /// It stopped, or was carried along, before the end of the step.
    Stopped,
    /// It went on together with a body that it overlaps.
    Together,
}

/// All bodies of a step.
pub(super) struct Events<'a> {
    pub(super) movers: Vec<Mover<'a>>,
    pub(super) joined: &'a Joined,
    /// Pairs that overlap since the start of the step, and are being taken apart.
    pub(super) overlapping: BTreeSet<[usize; 2]>,
}

/// A pair with the time at which it meets.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    time: f64,
    pair: [usize; 2],
}

impl Meeting {
    fn earlier(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.pair.cmp(&other.pair))
    }
}

impl Events<'_> {
    /// Stops what meets something, the earliest first; of equal times the first pair. A pair meets once, so that this
    /// comes to an end.
    pub(super) fn run(&mut self, pairs: &[[usize; 2]]) {
        let first = pairs.par_iter().with_min_len(1).map(|&pair| self.meeting(pair, 0.0));
        let mut meetings = first.collect::<Vec<_>>().into_iter().flatten().collect::<Vec<_>>();
        let mut open = if meetings.is_empty() { Vec::new() } else { pairs.to_vec() };
        while let Some(next) = meetings.iter().copied().min_by(Meeting::earlier) {
            let changed = self.stop(next);
            open.retain(|pair| *pair != next.pair);
            // What has changed its way may miss what it would have met, and meet what it would have missed.
            let concerned = |pair: &[usize; 2]| pair.iter().any(|body| changed.contains(body));
            meetings.retain(|meeting| meeting.pair != next.pair && !concerned(&meeting.pair));
            let again = open.iter().filter(|pair| concerned(pair));
            meetings.extend(again.filter_map(|&pair| self.meeting(pair, next.time)));
        }
    }

    fn meeting(&self, pair: [usize; 2], from: f64) -> Option<Meeting> {
        let [a, b] = pair.map(|index| &self.movers[index]);
        if a.path.rests() && b.path.rests() {
            return None;
        }
        let time = meeting([(&a.body.shape, &a.path), (&b.body.shape, &b.path)], from)?;
        Some(Meeting { time: time.max(from), pair })
    }

    /// The bodies whose ways change: all that are joined to either body stop. What moves whatever it meets carries the
    /// other one along, where no joint holds that back.
    fn stop(&mut self, meeting: Meeting) -> Vec<usize> {
        if self.goes_on_together(meeting.pair) {
            return self.join(meeting);
        }
        let mut changed = Vec::new();
        for (index, other) in [(0, 1), (1, 0)] {
            let [body, other] = [meeting.pair[index], meeting.pair[other]];
            if !self.movers[body].body.moves_under_forces {
                continue;
            }
            let together = self.joined.with(body);
            let carrier = self.movers[other].path;
            let carried =
                !self.movers[other].body.moves_under_forces && !carrier.rests() && together.len() == 1;
            for &member in together {
                let mover = &mut self.movers[member];
                if carried {
                    mover.path.follow(&carrier, meeting.time);
                } else if !mover.path.rests() {
                    mover.path.stop(meeting.time);
                } else {
                    continue;
                }
                mover.outcome = Outcome::Stopped;
                changed.push(member);
            }
        }
        changed
    }

    /// Whether two bodies that meet keep the motion that they have in common. What overlaps meets in each step until it is
    /// apart, and would be held in the air where gravity accelerates it.
    fn goes_on_together(&self, pair: [usize; 2]) -> bool {
        let is_free = |&body: &usize| {
            self.movers[body].body.moves_under_forces
                && self.movers[body].outcome != Outcome::Stopped
                && self.joined.with(body).len() == 1
        };
        self.overlapping.contains(&pair) && pair.iter().all(is_free)
    }

    /// Both bodies go on as their centre of mass did: their momentum stays, and so does the work of gravity on them.
    fn join(&mut self, Meeting { time, pair }: Meeting) -> Vec<usize> {
        let [a, b] = pair.map(|body| (self.movers[body].mass, self.movers[body].path.linear));
        let linear = (a.0 * a.1 + b.0 * b.1) / (a.0 + b.0);
        for body in pair {
            let mover = &mut self.movers[body];
            let carrier = Path { begin: time, linear, ..Path::resting(&mover.path.pose_at(time)) };
            mover.path.follow(&carrier, time);
            mover.outcome = Outcome::Together;
        }
        pair.to_vec()
    }
}
