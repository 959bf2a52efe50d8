//! The policy: which sources of starts an effort uses, in which order, and which walks are made from them.
//!
//! | step | source [Je12 §5] | what is done |
//! |------|------------------|--------------|
//! | 0 | motion coherence | a walk from where the models were last apart, where that is known; it is the answer |
//! | 1 | centroid difference, axes of both bodies | thirteen casts from outside, a walk from the nearest: `fast` ends here |
//! | 2 | spread | casts from outside along 212 directions, walks from the ten nearest |
//! | 3 | maximally clear | walks from up to four configurations in holes and hollows |
//! | 4 | sampled | marches from inside along the 24 lines on which balls in place of the bodies have their nearest gaps |
//! | 5 | spread | casts on rings around the best direction so far, marches from inside along the 212 directions |
//!
//! Every walk has to beat the best one before it and is given up when it promises not to. Translations that inner
//! balls prove to collide are neither cast through nor marched through. The search ends early where the lower bound
//! meets the depth, or the time is up. The order is that of what a source found for its time in measurements
//! (`examples/free_configurations.rs`); random starts and face normals found nothing beyond these, and have to be asked
//! for.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::blocked::Blocked;
use super::free_configuration::spread::{axes, fibonacci};
use super::free_configuration::{DIRECTIONS, centroid_difference, maximally_clear, sampled};
use super::walk::{ContactSpace, Optimum};
use crate::penetration::free_configuration::FreeConfiguration;

/// Steps that a march from inside may take at the most, of as long a way as it may go.
const STRIDES: f64 = 24.0;
/// How far a march may go, in best depths so far: the walk from a gap a little farther may end nearer. Against
/// 1 this costs a third more time and brought the last of the exact reference cases to its depth.
const MARCH_REACH: f64 = 1.15;
/// Depth from outside beyond which a direction is not worth a walk, in best depths so far.
const PROMISING: f64 = 1.2;
/// The same for the depths that walks before it have left.
const NEAR: f64 = 1.15;
/// Walks from holes and hollows.
const CLEAR: usize = 4;
/// Directions that one thread looks along in a row: fewer share less of what is known of the obstacles.
const SHARE: usize = 53;
/// Relative difference below which depths are equal: symmetric bodies have many equal ones, and rounding, which differs
/// from unit to unit, must not choose between them.
const TIE: f64 = 1e-9;
/// Relative gap between the bounds at which they have met.
const MET: f64 = 1e-9;
/// Lines along which gaps of the balls inside both bodies are looked for.
const LINES: u32 = 24;
/// Angles of the rings of directions that are tried around the best one [rad].
const RINGS: [f64; 3] = [0.16, 0.08, 0.04];
/// Directions of a ring.
const RING: u32 = 8;
/// Share of the depth from outside within which a march meets the outside.
const SEEN: f64 = 1e-3;
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
        let Some(start) = space.first_free(&(optimum.q / depth), within, 0.0, |length| length) else { break };
        optimum = space.walk(&start, hops);
    }
    optimum
}

/// One walk, from outside along the centroid difference or an axis of either body: along that one of them on which the
/// contact is nearest.
pub(crate) fn fast(space: &mut ContactSpace) -> Optimum {
    space.source = FreeConfiguration::CentroidDifference;
    let direction = centroid_difference(space);
    let (mut nearest, mut start) = (f64::INFINITY, direction * space.outside(&direction));
    for direction in std::iter::once(direction).chain(axes(space)) {
        if let Some(depth) = space.depth_from_outside(&direction, nearest * (1.0 - TIE)) {
            (nearest, start) = (depth, direction * (depth + space.clearance()));
        }
    }
    space.walk(&start, true)
}

/// Casts along many directions from outside and walks from the best of them; walks from pockets and holes; casts on
/// rings around the best direction; then marches along the same directions from inside, and walks from what is nearer
/// than the outside.
///
/// `proved` answers a lower bound of the depth [m] when an optimum is at hand: where the two meet the search ends.
pub(super) fn best(space: &mut ContactSpace, proved: impl Fn(&ContactSpace, &Optimum) -> f64) -> Optimum {
    let mut best = fast(space);
    let proved = proved(space, &best);
    let is_done = |space: &ContactSpace, best: &Optimum| {
        best.touching.norm() <= proved * (1.0 + MET) || space.is_late()
    };
    if is_done(space, &best) {
        return best;
    }
    let reach = PROMISING * best.touching.norm();
    let mut blocked = Blocked::new(space.a, space.b, &space.a_to_b, reach);
    space.source = FreeConfiguration::Spread;
    let spread = (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS));
    let directions = axes(space).chain(spread).collect::<Vec<_>>();
    let depths = side_by_side(space, &mut blocked, &directions, |space, blocked, _, direction| {
        if blocked.look_along(direction) >= reach || space.is_late() {
            return f64::INFINITY;
        }
        space.depth_from_outside(direction, reach).unwrap_or(f64::INFINITY)
    });
    for (depth, direction) in promising(&depths, &directions) {
        if depth < NEAR * best.touching.norm() && !is_done(space, &best) {
            let start = direction * (depth + space.clearance());
            improve(space, &mut best, &start);
        }
    }
    if is_done(space, &best) {
        return best;
    }
    space.source = FreeConfiguration::MaximallyClear;
    for start in maximally_clear(space, best.touching.norm(), CLEAR) {
        improve(space, &mut best, &start);
    }
    space.source = FreeConfiguration::Sampled;
    for start in sampled(space, best.touching.norm(), LINES) {
        improve(space, &mut best, &start);
    }
    space.source = FreeConfiguration::Spread;
    refine(space, &mut best);
    space.source = FreeConfiguration::Sampled;
    let reach = MARCH_REACH * best.touching.norm();
    let starts = side_by_side(space, &mut blocked, &directions, |space, blocked, place, direction| {
        // What is free from there on was seen from outside.
        let within = reach.min(depths[place] * (1.0 - SEEN));
        blocked.look_along(direction);
        if proved >= within || blocked.skip(proved) >= within || space.is_late() {
            return None;
        }
        space.first_free(direction, within, reach / STRIDES, |length| blocked.skip(length.max(proved)))
    });
    for start in starts.into_iter().flatten() {
        if start.norm() < MARCH_REACH * best.touching.norm() && !is_done(space, &best) {
            improve(space, &mut best, &start);
        }
    }
    best
}

/// What `look` answers for each direction, in their order; on all threads of the current pool where the query may use
/// them.
fn side_by_side<T: Send>(
    space: &mut ContactSpace,
    blocked: &mut Blocked,
    directions: &[Vector3<f64>],
    look: impl Fn(&mut ContactSpace, &mut Blocked, usize, &Vector3<f64>) -> T + Sync,
) -> Vec<T> {
    if !space.parallel || rayon::current_num_threads() == 1 {
        let each = directions.iter().enumerate();
        return each.map(|(place, direction)| look(space, blocked, place, direction)).collect();
    }
    let shared = &*space;
    let parts = directions.par_chunks(SHARE).enumerate().map(|(part, directions)| {
        let (mut own, mut blocked) = (shared.fork(), blocked.clone());
        let each = directions.iter().enumerate();
        let found =
            each.map(|(place, direction)| look(&mut own, &mut blocked, part * SHARE + place, direction));
        let found = found.collect::<Vec<_>>();
        (found, own.casts, own.marches)
    });
    let parts = parts.collect::<Vec<_>>();
    let mut all = Vec::with_capacity(directions.len());
    for (found, casts, marches) in parts {
        all.extend(found);
        space.casts += casts;
        space.marches += marches;
    }
    all
}

/// Casts from outside on rings around the best direction, and walks from what is nearer.
fn refine(space: &mut ContactSpace, best: &mut Optimum) {
    for angle in RINGS {
        for i in 0..RING {
            let depth = best.touching.norm();
            let Some(axis) = best.touching.try_normalize(0.0) else { return };
            let turn = f64::from(i) * std::f64::consts::TAU / f64::from(RING);
            let direction = tilted(&axis, angle, turn);
            let Some(met) = space.depth_from_outside(&direction, depth) else { continue };
            improve(space, best, &(direction * (met + space.clearance())));
        }
    }
}

/// The unit vector at `angle` [rad] from the unit vector `axis`, turned about it by `turn` [rad].
fn tilted(axis: &Vector3<f64>, angle: f64, turn: f64) -> Vector3<f64> {
    let least = axis.iamin();
    let across = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    let other = axis.cross(&across);
    axis * angle.cos() + (across * turn.cos() + other * turn.sin()) * angle.sin()
}

/// The least depths in order, one per neighbourhood.
fn promising(depths: &[f64], directions: &[Vector3<f64>]) -> Vec<(f64, Vector3<f64>)> {
    let met = depths.iter().zip(directions).filter(|(depth, _)| depth.is_finite());
    let mut sorted = met.map(|(&depth, &direction)| (depth, direction)).collect::<Vec<_>>();
    // Equal depths stay in the order of the directions; the sort is stable.
    let least = sorted.iter().map(|start| start.0).fold(f64::INFINITY, f64::min);
    let rank = |depth: f64| (depth / (TIE * least)).round();
    sorted.sort_by(|x, y| rank(x.0).total_cmp(&rank(y.0)));
    let mut kept: Vec<(f64, Vector3<f64>)> = Vec::with_capacity(WALKS);
    for (depth, direction) in sorted {
        if kept.len() < WALKS && kept.iter().all(|other| other.1.dot(&direction) <= SAME) {
            kept.push((depth, direction));
        }
    }
    kept
}

/// Walks from `start` and keeps where that ends, if it is nearer.
fn improve(space: &mut ContactSpace, best: &mut Optimum, start: &Vector3<f64>) {
    /// Share of the depth that a walk must promise to gain.
    const GAIN: f64 = 1e-9;
    if let Some(optimum) = space.walk_within(start, best.touching.norm() * (1.0 - GAIN)) {
        *best = optimum;
    }
}
