//! Marches along lines from the overlap outwards [Je12 §5.5].
//!
//! One march from inside for each line, ten to a hundred microseconds each. Good for intricate and interlocking
//! bodies, whose gaps no cast from outside sees.
//!
//! Departs from [Je12]: the lines are chosen. Of many directions those are taken in which balls in place of the
//! bodies have their nearest gaps; sixteen such lines find nearer gaps of rings and knots than two hundred that are
//! spread evenly, and four find most of them. For surfaces and thin bodies, which have no inner balls, the lines lead to
//! configurations at which a part of one body would fill a hole of the other one. If a sample collides, the march continues
//! at the exit of the colliding triangles, so that it needs fewer samples in solid parts and misses fewer gaps.

use std::cmp::Ordering;

use nalgebra::Vector3;

use super::centroid_difference::centroid_difference;
use super::free_interval::FreeIntervals;
use super::maximally_clear::towards_clear;
use super::spread::{axes, fibonacci};
use crate::penetration::translational::walk::ContactSpace;

/// Candidate directions for each line that is taken, beside the axes of both bodies; an estimate takes 2 µs, a march 10
/// to 100 µs. Half changes the mean depth by +0.053 % (worst +26 %), twice by +0.012 % (worst +15 %, best −5.6 %;
/// docs/sensitivity.md).
const DIRECTIONS_PER_LINE: u32 = 16;
/// Cosine above which two lines (14°) pass through the same gap, if the gaps are estimated by balls. Half changes the
/// mean depth by +0.026 % (worst +18 %), twice by +0.034 % (worst +26 %; docs/sensitivity.md).
const SAME_GAP: f64 = 0.97;
/// Cosine above which two lines (26°) lead to the same hole. Smaller, rings lose their nearest gaps; larger, the lines
/// of a grate are spent on one slot. Half and twice change no depth and the steps by less than 0.5 %
/// (docs/sensitivity.md).
const SAME_HOLE: f64 = 0.9;
/// Difference of lengths, relative to the size, below which gaps count as equally near: the unit of length must not
/// decide. A safeguard, without effect on the sets of docs/sensitivity.md.
const SAME_LENGTH: f64 = 1e-9;
/// Maximum number of steps along a line: gaps narrower than a step may be missed, the time is at most proportional to
/// it. Half changes the mean depth by < 0.01 % (worst +2.3 %), twice no depth (docs/sensitivity.md).
const SAMPLES: f64 = 48.0;
/// Length of a march, in lengths of the nearest gap so far: the walk from a gap a little farther may end nearer. Half
/// and twice change every depth by less than 0.1 % and the casts by −0.6 % and < 0.5 % (docs/sensitivity.md).
const REACH: f64 = 1.15;

/// The first free configuration at less than `within` [m] on each of `count` promising lines, nearest first, and the
/// contact that a cast along the centroid difference meets behind them; none at the deadline.
pub(in super::super) fn sampled(space: &mut ContactSpace, within: f64, count: u32) -> Vec<Vector3<f64>> {
    if space.is_late() {
        return Vec::new();
    }
    let outwards = centroid_difference(space);
    let mut starts: Vec<Vector3<f64>> = Vec::new();
    let from_outside = space.depth_from_outside(&outwards, within);
    // A walk from farther than `REACH` times the contact from outside is unlikely to end nearer.
    let mut reach = from_outside.map_or(within, |depth| within.min(REACH * depth));
    for direction in lines(space, reach, count).into_iter().chain([outwards]) {
        // Beyond that the bounding balls are separated.
        let length = reach.min(space.outside(&direction));
        if let Some(start) = space.first_free(&direction, length, length / SAMPLES, |at| at) {
            reach = reach.min(REACH * start.norm());
            starts.push(start);
        }
    }
    let clearance = space.clearance();
    starts.extend(from_outside.map(|depth| outwards * (depth + clearance)));
    starts.sort_by(shorter);
    starts
}

/// The most promising lines, the one with the nearest gap first.
fn lines(space: &ContactSpace, within: f64, count: u32) -> Vec<Vector3<f64>> {
    let Some(mut intervals) = FreeIntervals::new(space, within) else {
        return towards_clear(space, within, (count as usize, SAME_HOLE));
    };
    let candidates = DIRECTIONS_PER_LINE * count;
    let directions = axes(space).chain((0..candidates).map(|i| fibonacci(i, candidates)));
    let mut estimates =
        directions.map(|direction| (intervals.first_start(&direction), direction)).collect::<Vec<_>>();
    // Equal gaps stay in the order of the directions; the sort is stable.
    let rank = |gap: f64| (gap / SAME_LENGTH).round();
    estimates.sort_by(|x, y| rank(x.0).total_cmp(&rank(y.0)));
    let mut lines: Vec<Vector3<f64>> = Vec::new();
    for (_, direction) in estimates {
        if lines.len() == count as usize {
            break;
        }
        if lines.iter().all(|other| other.dot(&direction) < SAME_GAP) {
            lines.push(direction);
        }
    }
    lines
}

fn shorter(x: &Vector3<f64>, y: &Vector3<f64>) -> Ordering {
    x.norm_squared().total_cmp(&y.norm_squared())
}
