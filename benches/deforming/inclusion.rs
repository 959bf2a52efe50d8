//! The peer of the elementary tests: bisection of time and both parameters with an inclusion function, after Wang et
//! al. 2021 ("tight inclusion"), earliest time first, with their tolerance of 1e-6.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::{Point3, Vector3};

/// Width of a box of space that counts as a point [m].
const TOLERANCE: f64 = 1e-6;
/// Boxes after which the answer is a contact.
const BOXES: u32 = 1_000_000;

/// Intervals of time and of both parameters, as numerators of a power of two each.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Domain {
    low: [u64; 3],
    level: [u32; 3],
}

impl Domain {
    fn bounds(&self, axis: usize) -> [f64; 2] {
        let size = 1.0 / (1_u64 << self.level[axis]) as f64;
        [self.low[axis] as f64 * size, (self.low[axis] + 1) as f64 * size]
    }

    fn halves(&self, axis: usize) -> [Self; 2] {
        let (mut first, mut second) = (*self, *self);
        first.level[axis] += 1;
        second.level[axis] += 1;
        first.low[axis] *= 2;
        second.low[axis] = first.low[axis] + 1;
        [first, second]
    }
}

impl Ord for Domain {
    fn cmp(&self, other: &Self) -> Ordering {
        let time = other.bounds(0)[0].total_cmp(&self.bounds(0)[0]);
        time.then(self.level.cmp(&other.level)).then(self.low.cmp(&other.low))
    }
}

impl PartialOrd for Domain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The earliest time of contact of a vertex and a triangle, or of two edges.
pub(crate) fn first_contact(is_face: bool, start: &[Point3<f64>; 4], end: &[Point3<f64>; 4]) -> Option<f64> {
    let reach = start.iter().chain(end).map(|p| p.coords.amax()).fold(1.0, f64::max);
    let rounding = if is_face { 6.66e-15 } else { 6.22e-15 } * reach.powi(3);
    let mut queue = BinaryHeap::from([Domain { low: [0; 3], level: [0; 3] }]);
    for _ in 0..BOXES {
        let domain = queue.pop()?;
        let corners = corners(is_face, start, end, &domain);
        let (mut low, mut high) = (corners[0], corners[0]);
        for corner in &corners {
            (low, high) = (low.inf(corner), high.sup(corner));
        }
        if low.max() > rounding || -high.min() > rounding {
            continue;
        }
        if (high - low).max() < TOLERANCE {
            return Some(domain.bounds(0)[0]);
        }
        let widths = [4, 2, 1].map(|bit: usize| {
            (0..8)
                .filter(|i| i & bit == 0)
                .map(|i| (corners[i] - corners[i | bit]).amax())
                .fold(0.0, f64::max)
        });
        let widest = (0..3).max_by(|&i, &j| widths[i].total_cmp(&widths[j])).expect("three axes");
        let is_possible = |half: &Domain| !is_face || half.bounds(1)[0] + half.bounds(2)[0] <= 1.0;
        queue.extend(domain.halves(widest).into_iter().filter(is_possible));
    }
    queue.pop().map(|domain| domain.bounds(0)[0])
}

/// The difference of the features at the corners of a domain.
fn corners(
    is_face: bool,
    start: &[Point3<f64>; 4],
    end: &[Point3<f64>; 4],
    domain: &Domain,
) -> [Vector3<f64>; 8] {
    let [times, us, vs] = [domain.bounds(0), domain.bounds(1), domain.bounds(2)];
    std::array::from_fn(|i| {
        let (t, u, v) = (times[i >> 2 & 1], us[i >> 1 & 1], vs[i & 1]);
        let at = |k: usize| start[k].coords + t * (end[k] - start[k]);
        if is_face {
            at(0) - (at(1) + u * (at(2) - at(1)) + v * (at(3) - at(1)))
        } else {
            at(0) + u * (at(1) - at(0)) - (at(2) + v * (at(3) - at(2)))
        }
    })
}
