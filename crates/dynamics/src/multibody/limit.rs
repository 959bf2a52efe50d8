//! A limit of a joint as a row: 0 ≤ λ ⊥ s u − target ≥ 0, s = 1 at a minimum and −1 at a maximum.

use super::motion::{MIDDLE, MovingTree};
use crate::robot::limited::PASSED;
use crate::robot::tree::RobotTree;

/// Motion of a limit's row beyond which it is left out of a step, in steps at the present speed and acceleration: a joint that
/// is farther away does not get there, unless contacts lead it.
const REACH: f64 = 2.0;
/// Motion in a step [rad or m], of the displacement, that a limit takes from a joint at rest there, above which the free motion has its force. Rows are linear about the
/// free motion: one in which a strong motor whirls a light link far beyond its limit is of another robot, and what the rows then hold at the limit gains energy.
const WHIRLED: f64 = 0.02;
/// Motion in a step [rad or m] with which a joint leaves its limit.
const LEFT: f64 = 1e-9;

/// A joint that may reach a limit within a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Tree, by its place in the problem.
    pub(super) tree: usize,
    /// Velocity of the joint in its tree.
    pub(super) freedom: usize,
    /// Port of the joint.
    pub(super) port: usize,
    /// 1 at a minimum, −1 at a maximum.
    pub(super) sign: f64,
    /// Distance to the limit at the start of the step, negative beyond it [rad or m].
    pub(super) gap: f64,
    /// Response of the joint's velocity to an impulse.
    pub(super) response: f64,
    /// Impulse, along the sign.
    pub(super) impulse: f64,
    /// Part of it that the free motion has.
    pub(super) borne: f64,
}

/// Minima and maxima of the joints of all robots, over the solves of a step.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// As rows whose ports are still velocities of joints, each with whether a solve without it led the joint beyond.
    sides: Vec<(Limit, bool)>,
    /// Tree and velocity of joints that left a limit that bore them.
    left: Vec<(usize, usize)>,
}

impl Limits {
    pub(super) fn new<'a>(trees: impl Iterator<Item = &'a RobotTree>) -> Self {
        let mut sides = Vec::new();
        for (index, tree) in trees.enumerate() {
            for limited in &tree.limited {
                let (q, [lower, upper], v) = (tree.q[limited.q], limited.limits, limited.v);
                for (gap, sign) in [(q - lower, 1.0), (upper - q, -1.0)] {
                    // What is beyond is brought back by the spring of the limit, which bears the loads of joints in series.
                    let gap = gap.max(0.0);
                    let (response, impulse, borne) = (0.0, 0.0, 0.0);
                    let side =
                        Limit { tree: index, freedom: v, port: v, sign, gap, response, impulse, borne };
                    sides.push((side, false));
                }
            }
        }
        Self { sides, left: Vec::new() }
    }

    /// Rows of those within reach of the free motion, and of those that a solve passed.
    pub(super) fn within_reach(&self, trees: &[MovingTree<'_>], h: f64) -> Vec<Limit> {
        let reaches = |(side, passed): &&(Limit, bool)| {
            let tree = &trees[side.tree];
            let speed = tree.mean[side.freedom].abs().max(tree.end[side.freedom].abs());
            *passed || side.gap <= REACH * h * speed
        };
        self.sides.iter().filter(reaches).map(|(side, _)| *side).collect()
    }

    /// Lets limits bear joints at rest there in the free motion, where that led them far beyond, with what they bore in a solve, and no more than leads them back to the
    /// limit; returns whether any does.
    pub(super) fn bear(&mut self, rows: &[Limit], trees: &mut [MovingTree<'_>], h: f64) -> bool {
        let mut any = false;
        for row in rows.iter().filter(|row| row.gap <= LEFT) {
            let (tree, place) = (&mut trees[row.tree], (row.tree, row.freedom));
            let leaves = row.sign * tree.mean[row.freedom] * h > LEFT;
            if leaves && row.borne > 0.0 {
                tree.bear(row.freedom, 0.0);
                self.left.push(place);
                any = true;
            } else if !leaves && !self.left.contains(&place) {
                let beyond = -row.sign * h * tree.free_speed(row.freedom);
                let moved = MIDDLE * h * row.response;
                let more = (row.impulse - row.borne).min(beyond / moved);
                if moved * more > WHIRLED {
                    tree.bear(row.freedom, row.sign * (row.borne + more) / h);
                    any = true;
                }
            }
        }
        any
    }

    /// Sets the impulses of rows to those that the free motion has over a part of a step of `h` \[s\].
    pub(super) fn start(rows: &mut [Limit], trees: &[MovingTree<'_>], h: f64) {
        for row in rows {
            row.borne = h * (row.sign * trees[row.tree].borne(row.freedom)).max(0.0);
            row.impulse = row.borne;
        }
    }

    /// Finds those without a row that joints are beyond at the end of the displacement; returns whether there are any.
    pub(super) fn pass(&mut self, rows: &[Limit], trees: &[MovingTree<'_>], h: f64) -> bool {
        let mut any = false;
        for (side, passed) in self.sides.iter_mut().filter(|(_, passed)| !passed) {
            let left = side.gap + h * side.sign * trees[side.tree].mean[side.freedom];
            let is_row = |row: &Limit| {
                (row.tree, row.freedom) == (side.tree, side.freedom) && row.sign * side.sign > 0.0
            };
            // A joint that was beyond has its row, or one that moves nothing.
            if left < -PASSED && side.gap > 0.0 && !rows.iter().any(is_row) {
                (*passed, any) = (true, true);
            }
        }
        any
    }
}
