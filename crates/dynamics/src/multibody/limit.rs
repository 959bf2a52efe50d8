//! A limit of a joint as a row: 0 ≤ λ ⊥ s u − target ≥ 0, s = 1 at a minimum and −1 at a maximum.

use super::motion::MovingTree;
use crate::robot::tree::{PASSED, RobotTree};

/// Motion of a limit's row beyond which it is left out of a step, in steps at the present speed and acceleration: a joint that
/// is farther away does not get there, unless contacts lead it.
const REACH: f64 = 2.0;

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
}

/// Minima and maxima of the joints of all robots, over the solves of a step.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// As rows whose ports are still velocities of joints, each with whether a solve without it led the joint beyond.
    sides: Vec<(Limit, bool)>,
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
                    let side =
                        Limit { tree: index, freedom: v, port: v, sign, gap, response: 0.0, impulse: 0.0 };
                    sides.push((side, false));
                }
            }
        }
        Self { sides }
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
