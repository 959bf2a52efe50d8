//! The efforts of a search: which walks are made, in which order.

use nalgebra::Vector3;

use super::FreeConfiguration;
use super::free_configuration::{DIRECTIONS, axes, centroid_difference, fibonacci};
use super::walk::{ContactSpace, Optimum};

/// Directions in which a thorough search marches out from inside, beside the axes of both bodies.
const MARCHES: u32 = 200;
/// Steps that such a march may take at the most, of a way as long as the best depth so far.
const STRIDES: f64 = 48.0;
/// How far such a march may go, in best depths so far: the walk from a gap a little farther may end nearer. Against
/// 1 this costs a third more time and brought the last of the exact reference cases to its depth.
const MARCH_REACH: f64 = 1.15;
/// Walks of a thorough search, from the most promising directions.
const WALKS: usize = 10;
/// Directions whose cosine exceeds this lead to the same place: the better one is enough.
const SAME: f64 = 0.995;

/// Leaves nothing free between the overlap and the optimum: what is free on the way out is where to walk from.
pub(crate) fn settle(space: &mut ContactSpace, mut optimum: Optimum, hops: bool) -> Optimum {
    /// Walks that may follow each other; each starts nearer than the last one ended.
    const WALKS: u32 = 16;
    for _ in 0..WALKS {
        let depth = optimum.q.norm();
        let within = depth - 4.0 * space.clearance();
        let Some(start) = space.first_free(&(optimum.q / depth), within, 0.0) else { break };
        optimum = space.walk(&start, hops);
    }
    optimum
}

/// One walk from the centroid difference.
pub(crate) fn fast(space: &mut ContactSpace) -> Optimum {
    space.source = FreeConfiguration::CentroidDifference;
    let direction = centroid_difference(space);
    let start = direction * space.outside(&direction);
    space.walk(&start, true)
}

/// Casts along many directions, then walks from the best of them.
pub(crate) fn best(space: &mut ContactSpace) -> Optimum {
    let mut best = fast(space);
    let mut promising: Vec<(f64, Vector3<f64>)> = Vec::new();
    space.source = FreeConfiguration::Spread;
    let spread = (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS));
    for direction in axes(space).chain(spread) {
        let within = if promising.len() < WALKS { f64::INFINITY } else { promising[WALKS - 1].0 };
        let Some(depth) = space.depth_from_outside(&direction, within) else { continue };
        insert(&mut promising, depth, direction);
    }
    for (depth, direction) in promising {
        let start = direction * (depth + space.clearance());
        let optimum = space.walk(&start, true);
        if optimum.touching.norm() < best.touching.norm() {
            best = optimum;
        }
    }
    space.source = FreeConfiguration::Sampled;
    for direction in axes(space).chain((0..MARCHES).map(|i| fibonacci(i, MARCHES))) {
        let within = MARCH_REACH * best.touching.norm();
        let Some(start) = space.first_free(&direction, within, within / STRIDES) else { continue };
        let optimum = space.walk(&start, true);
        if optimum.touching.norm() < best.touching.norm() {
            best = optimum;
        }
    }
    best
}

/// Keeps the least depths in order, one per neighbourhood.
fn insert(promising: &mut Vec<(f64, Vector3<f64>)>, depth: f64, direction: Vector3<f64>) {
    let near = |other: &(f64, Vector3<f64>)| other.1.dot(&direction) > SAME;
    if promising.iter().any(|other| near(other) && other.0 <= depth) {
        return;
    }
    promising.retain(|other| !near(other));
    let place = promising.partition_point(|other| other.0 <= depth);
    promising.insert(place, (depth, direction));
    promising.truncate(WALKS);
}
