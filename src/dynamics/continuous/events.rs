//! The contacts of a step in the order of time: each stops its bodies, which changes what comes after.

use std::cmp::Ordering;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::joined::Joined;
use super::meeting::meeting;
use super::path::Path;
use super::swept::Swept;

/// A body on its way through a step.
pub(super) struct Mover<'a> {
    pub(super) body: &'a Swept,
    pub(super) path: Path,
    /// Whether it was stopped, or carried along, before the end of the step.
    pub(super) stopped: bool,
}

/// All bodies of a step.
pub(super) struct Events<'a> {
    pub(super) movers: Vec<Mover<'a>>,
    pub(super) joined: &'a Joined,
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
                mover.stopped = true;
                changed.push(member);
            }
        }
        changed
    }
}
