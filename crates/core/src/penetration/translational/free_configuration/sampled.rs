//! Search along lines from the overlap outwards [Je12 §5.5].
//!
//! One march from inside for each line, ten to a hundred microseconds each. Good for intricate and interlocking
//! bodies, whose gaps no cast from outside sees.
//!
//! Departs from [Je12]: the lines are chosen. Of many directions those are taken in which balls in place of the
//! bodies have their nearest gaps; sixteen such lines find nearer gaps of rings and knots than two hundred that are
//! spread evenly, and four find most of them. Without flesh, which surfaces and thin bodies have not, the lines lead to
//! where a part of one body would fill a hole of the other one. Where a sample collides, the search goes on where the
//! colliding triangles are left behind, so that it needs fewer samples in solid parts and misses fewer gaps.

use std::cmp::Ordering;

use nalgebra::Vector3;

use super::centroid_difference::centroid_difference;
use super::gaps::Balls;
use super::maximally_clear::towards_clear;
use super::spread::{axes, fibonacci};
use crate::penetration::translational::walk::ContactSpace;

/// Directions that are looked at for each line that is taken, beside the axes of both bodies.
const DIRECTIONS_PER_LINE: u32 = 16;
/// Cosine above which two lines pass the same gaps, where the gaps are guessed.
const SAME_GAP: f64 = 0.97;
/// The same for lines towards holes. A smaller value costs rings their nearest gaps, a larger one spends the lines of
/// a grate on one slot.
const SAME_HOLE: f64 = 0.9;
/// Gaps whose lengths differ by less, relative to the size, are equal: the unit of length must not decide.
const SAME_LENGTH: f64 = 1e-9;
/// Steps along a line at the most.
const SAMPLES: f64 = 48.0;
/// How far to look along a line, in lengths of the nearest gap so far: the walk from a gap a little farther may end
/// nearer.
const REACH: f64 = 1.15;

/// The first free configuration at less than `within` [m] on each of so many promising lines; nearest first, and the
/// contact that a cast along the centroid difference meets behind them.
pub(in super::super) fn sampled(space: &mut ContactSpace, within: f64, count: u32) -> Vec<Vector3<f64>> {
    let outwards = centroid_difference(space);
    let mut starts: Vec<Vector3<f64>> = Vec::new();
    let from_outside = space.depth_from_outside(&outwards, within);
    let mut reach = from_outside.map_or(within, |depth| within.min(REACH * depth));
    for direction in lines(space, reach, count).into_iter().chain([outwards]) {
        // Beyond that the bounding balls are apart.
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
    let Some(mut balls) = Balls::new(space, within) else {
        return towards_clear(space, within, (count as usize, SAME_HOLE));
    };
    let looks = DIRECTIONS_PER_LINE * count;
    let directions = axes(space).chain((0..looks).map(|i| fibonacci(i, looks)));
    let mut guesses = directions.map(|direction| (balls.gap(&direction), direction)).collect::<Vec<_>>();
    // Equal gaps stay in the order of the directions; the sort is stable.
    let rank = |gap: f64| (gap / SAME_LENGTH).round();
    guesses.sort_by(|x, y| rank(x.0).total_cmp(&rank(y.0)));
    let mut lines: Vec<Vector3<f64>> = Vec::new();
    for (_, direction) in guesses {
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
