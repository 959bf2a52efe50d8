//! Search along lines between the overlap and configurations that may be free [Je12 §5.5].
//!
//! One march from inside for each of at most nine lines, ten to a hundred microseconds each. Good for intricate and
//! interlocking bodies, whose gaps no cast from outside sees.
//!
//! Departs from [Je12]: the lines lead to where a part of one body would fill a hole of the other one, whether or not
//! all of the body is free there, because a gap on the way is enough; for the same number of lines that finds nearer
//! gaps than directions that are spread evenly. Where a sample collides, the search goes on where the colliding
//! triangles are left behind, so that it needs fewer samples in solid parts and misses fewer gaps.

use nalgebra::Vector3;

use super::ContactSpace;
use super::centroid_difference::centroid_difference;
use super::maximally_clear::towards_clear;

/// Lines towards clear configurations, beside the one along the centroid difference.
const LINES: usize = 8;
/// Cosine above which two lines pass the same gaps. A smaller value costs rings their nearest gaps, a larger one spends
/// the lines of a grate on one slot.
const DISTINCT: f64 = 0.9;
/// Steps along a line at the most.
const SAMPLES: f64 = 64.0;
/// How far to look along a line, in lengths of the nearest gap so far: the walk from a gap a little farther may end
/// nearer.
const REACH: f64 = 1.15;

/// The first free configuration on each line at less than `within` [m], nearest first.
pub(in super::super) fn sampled(space: &mut ContactSpace, within: f64) -> Vec<Vector3<f64>> {
    let mut lines = vec![centroid_difference(space)];
    lines.extend(towards_clear(space, within, (LINES, DISTINCT)));
    let mut starts: Vec<Vector3<f64>> = Vec::new();
    let mut reach = within;
    for direction in lines {
        // Free at last where the bounding balls are apart.
        let length = reach.min(space.outside(&direction));
        if let Some(start) = space.first_free(&direction, length, length / SAMPLES) {
            reach = reach.min(REACH * start.norm());
            starts.push(start);
        } else if length < reach {
            starts.push(direction * length);
        }
    }
    starts.sort_by(|x, y| x.norm().total_cmp(&y.norm()));
    starts
}
