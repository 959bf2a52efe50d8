//! Search policy: the sources of starts of each effort, their order, and the walks made from them.
//!
//! | step | source [Je12 §5] | work |
//! |------|------------------|--------------|
//! | 0 | motion coherence | a walk from where the contacts of the last result lead, or from the last separated placement, if known; its end is the result |
//! | 1 | centroid difference | a cast from outside |
//! | 1 | spread | marches from inside along up to 128 directions, as far as samples of the bodies leave room for a gap, and a walk from the nearest one: `fast` ends here |
//! | 2 | spread | casts from outside along 212 directions, walks from the ten nearest |
//! | 3 | maximally clear | walks from up to four configurations in holes and hollows |
//! | 4 | sampled | marches from inside along the 24 lines on which balls in place of the bodies have their nearest gaps |
//! | 5 | spread | casts on rings around the best direction so far, marches from inside along the 212 directions |
//! | 6 | spread | marches as in step 1 along up to 512 directions, and a walk from the nearest gap, until there is none |
//!
//! Every walk has to beat the best one before it and is abandoned when it cannot. Translations that inner balls prove
//! to collide are neither cast through nor marched through. The search ends early when the lower bound meets the depth, or
//! at the deadline. The sources are ordered by their measured improvement per time
//! (`examples/free_configurations.rs`); random starts and face normals found nothing beyond these, and are used on request
//! only.

use nalgebra::Vector3;

use super::free_configuration::spread::{axes, fibonacci};
use super::free_configuration::{
    DIRECTIONS, Marches, centroid_difference, is_deep, maximally_clear, nearest_gap, sampled,
};
use super::translational_obstacle::TranslationalObstacle;
use super::walk::{ContactSpace, Optimum};
use crate::parallel;
use crate::penetration::free_configuration::FreeConfiguration;

/// Steps of a march from inside over its maximum length: gaps narrower than a step may be missed. A stride and fewer
/// pairs evaluated at each sample together reduced the time of two hundred marches to 0.7. Half and twice change no
/// depth and the work by less than 0.5 % (docs/sensitivity.md).
const STRIDES: f64 = 24.0;
/// Length of a march, in best depths so far: the walk from a gap a little farther may end nearer. Compared with 1 this
/// costs a third more time and solves the last one of 37 exact reference cases. Half and twice change every depth by
/// less than 0.01 % and the casts by −1.5 % and +6.6 % (docs/sensitivity.md).
const MARCH_REACH: f64 = 1.15;
/// Depth from outside above which a direction is not considered, in best depths of the fast search: a walk may slide
/// from there to a smaller one. Larger, more casts run to their end. Half and twice change no depth and the casts by
/// −0.7 % and +3.5 % (docs/sensitivity.md).
const PROMISING: f64 = 1.2;
/// Depth from outside above which no walk is started, in best depths of the walks before it. Half and twice change
/// every depth by less than 0.01 % and the casts by −2.7 % and +0.86 % (docs/sensitivity.md).
const NEAR: f64 = 1.15;
/// Walks from holes and hollows: more than a few lead to the same holes. No effect on the sets of docs/sensitivity.md.
const CLEAR: usize = 4;
/// Directions of one parallel task: a quarter of the 212. Smaller tasks balance better, but each starts with an empty tree of
/// obstacles; the result does not depend on it.
const CHUNK: usize = 53;
/// Relative difference below which depths count as equal: symmetric bodies have many equal ones, and rounding, which
/// depends on the unit of length, must not choose between them. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const TIE: f64 = 1e-9;
/// Relative difference of the bounds at which they count as equal and the search ends. A safeguard against a search
/// continued for rounding alone, without effect on the sets of docs/sensitivity.md.
const BOUNDS_MET: f64 = 1e-9;
/// Lines of the sampled source in a thorough search. Half and twice change the mean depth by +0.02 % (worst +15 %) with
/// −2.4 % and +4.8 % casts (docs/sensitivity.md).
const LINES: u32 = 24;
/// Angles of the rings of directions that are tried around the best one [rad]: the 212 directions are about 0.25 rad
/// apart, and each ring halves the angle. Half changes the mean depth by < 0.01 % (best −0.37 %), twice by < 0.01 %
/// (docs/sensitivity.md).
const RINGS: [f64; 3] = [0.16, 0.08, 0.04];
/// Directions of a ring. With the 24 casts of the rings, which find the directions of the walks they replaced, the mean
/// number of walks of a query fell from 28 to 11. Half changes the mean depth by < 0.01 % with −2.6 % casts, twice by
/// < 0.01 % (best −0.38 %) with +5.1 % casts (docs/sensitivity.md).
const RING: u32 = 8;
/// Relative distance before the contact from outside at which a march ends: beyond it the free space was already
/// reached by the cast. No effect on the sets of docs/sensitivity.md.
const SEEN: f64 = 1e-3;
/// Walks of a thorough search, from the most promising directions. Time of this step is proportional to it. Half
/// changes the mean depth by < 0.01 % (worst +3.9 %) with −3.2 % casts, twice by < 0.01 % (best −0.38 %) with +3.2 %
/// casts (docs/sensitivity.md).
const WALKS: usize = 10;
/// Cosine above which two directions (6°) lead to the same contact: only the nearer one is used. Half changes the mean
/// depth by < 0.01 % (best −0.38 %), twice no depth (docs/sensitivity.md).
const SAME: f64 = 0.995;

/// Maximum number of walks that exclude nearer gaps; each starts nearer than the last one ended. A safeguard against an endless loop,
/// without effect on the sets of docs/sensitivity.md.
pub(super) const NEARER_GAPS: u32 = 16;

/// A free configuration between the overlap and a result.
pub(super) fn nearer_gap(space: &mut ContactSpace, result: &Vector3<f64>) -> Option<Vector3<f64>> {
    /// Distance from the result, in clearances, within which no gap is looked for: the result itself is free, one
    /// clearance from contact. Less finds it again, more overlooks gaps just before it.
    const NEARER: f64 = 4.0;
    let depth = result.norm();
    space.first_free_followed(&(result / depth), depth - NEARER * space.clearance())
}

/// Walks again from free configurations between the overlap and the optimum until none is left on that segment, so that at every
/// shorter translation along the result's direction the models overlap.
pub(crate) fn exclude_nearer_gaps(space: &mut ContactSpace, mut optimum: Optimum, hops: bool) -> Optimum {
    for _ in 0..NEARER_GAPS {
        let Some(start) = nearer_gap(space, &optimum.q) else { break };
        optimum = space.walk(&start, hops);
    }
    optimum
}

/// Fast search: a walk from the nearest gap, or without one from where a cast from outside along the centroid difference
/// stops. Where no gap is looked for, that of [`from_outside`].
pub(super) fn fast(space: &mut ContactSpace) -> Optimum {
    if !space.gaps {
        return from_outside(space);
    }
    space.source = FreeConfiguration::CentroidDifference;
    let direction = centroid_difference(space);
    let stopped = space.depth_from_outside(&direction, f64::INFINITY);
    let start = stopped.map_or_else(|| space.outside(&direction), |depth| depth + space.clearance());
    if !is_deep(space, start) {
        return from_outside(space);
    }
    match nearest_gap(space, start, &Marches::FAST) {
        Some(gap) => {
            space.source = FreeConfiguration::Spread;
            space.walk(&gap, true)
        }
        None => space.walk(&(direction * start), true),
    }
}

/// One walk from outside, along that direction of the centroid difference and the axes of both bodies on which the contact is
/// nearest.
pub(super) fn from_outside(space: &mut ContactSpace) -> Optimum {
    space.source = FreeConfiguration::CentroidDifference;
    let direction = centroid_difference(space);
    let (mut nearest, mut start) = (f64::INFINITY, direction * space.outside(&direction));
    for direction in std::iter::once(direction).chain(axes(space)) {
        if nearest.is_finite() && space.is_late() {
            break;
        }
        if let Some(depth) = space.depth_from_outside(&direction, nearest * (1.0 - TIE)) {
            (nearest, start) = (depth, direction * (depth + space.clearance()));
        }
    }
    space.walk(&start, true)
}

/// Thorough search: casts along many directions from outside and walks from the best of them; walks from pockets and holes;
/// casts on rings around the best direction; then marches along the same directions from inside, and walks from free
/// configurations nearer than the outside.
///
/// `proved` returns a lower bound of the depth [m] for an optimum; the search ends when the two are equal.
pub(super) fn best(space: &mut ContactSpace, proved: impl Fn(&ContactSpace, &Optimum) -> f64) -> Optimum {
    // The result of the fast effort, which excludes nearer gaps.
    let mut best = in_fresh_tree(space, |fresh| {
        let found = fast(fresh);
        exclude_nearer_gaps(fresh, found, true)
    });
    let proved = proved(space, &best);
    let is_done = |space: &ContactSpace, best: &Optimum| {
        best.touching.norm() <= proved * (1.0 + BOUNDS_MET) || space.is_late()
    };
    if is_done(space, &best) {
        return best;
    }
    // Balls beyond the reach of any cast or march of this search are not needed.
    let reach = PROMISING * best.touching.norm();
    let mut obstacle = TranslationalObstacle::new(space.a, space.b, &space.a_to_b, reach);
    space.source = FreeConfiguration::Spread;
    let spread = (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS));
    let directions = axes(space).chain(spread).collect::<Vec<_>>();
    let depths = for_each_direction(space, &mut obstacle, &directions, |space, obstacle, _, direction| {
        if obstacle.intersect_ray(direction) >= reach || space.is_late() {
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
    let starts =
        for_each_direction(space, &mut obstacle, &directions, |space, obstacle, place, direction| {
            // Free configurations beyond that were found by the cast from outside.
            let within = reach.min(depths[place] * (1.0 - SEEN));
            obstacle.intersect_ray(direction);
            if proved >= within || obstacle.first_unblocked(proved) >= within || space.is_late() {
                return None;
            }
            space.first_free(direction, within, reach / STRIDES, |length| {
                obstacle.first_unblocked(length.max(proved))
            })
        });
    for start in starts.into_iter().flatten() {
        if start.norm() < MARCH_REACH * best.touching.norm() && !is_done(space, &best) {
            improve(space, &mut best, &start);
        }
    }
    in_fresh_tree(space, |fresh| exhaust_gaps(fresh, best))
}

/// The result of `run`. The steps of a march depend on the queries before it, and those on the number of threads: in a tree of
/// its own it neither depends on them nor changes those that follow.
pub(super) fn in_fresh_tree<T>(space: &mut ContactSpace, run: impl FnOnce(&mut ContactSpace) -> T) -> T {
    let mut fresh = space.fork();
    (fresh.gaps, fresh.trace) = (space.gaps, space.trace.take());
    let found = run(&mut fresh);
    space.trace = fresh.trace.take();
    space.was_work_spent |= fresh.is_work_spent();
    space.casts += fresh.casts;
    space.marches += fresh.marches;
    space.walks += fresh.walks;
    space.iterations += fresh.iterations;
    found
}

/// Walks from nearer gaps until none is found.
fn exhaust_gaps(space: &mut ContactSpace, mut best: Optimum) -> Optimum {
    /// Maximum number of such walks. A safeguard: each begins nearer than the last one ended.
    const WALKS: u32 = 4;
    if !space.gaps {
        return best;
    }
    space.source = FreeConfiguration::Spread;
    for _ in 0..WALKS {
        let Some(gap) = nearest_gap(space, best.touching.norm(), &Marches::THOROUGH) else { break };
        improve(space, &mut best, &gap);
    }
    best
}

/// The values of `evaluate` for all directions, in order; on all threads of the current pool if the query may use them.
fn for_each_direction<T: Send>(
    space: &mut ContactSpace,
    obstacle: &mut TranslationalObstacle,
    directions: &[Vector3<f64>],
    evaluate: impl Fn(&mut ContactSpace, &mut TranslationalObstacle, usize, &Vector3<f64>) -> T + Sync,
) -> Vec<T> {
    // Each chunk has its own tree of obstacles, counters and bound on work, also on one thread: forks carry no state that the order could change.
    let shared = &*space;
    let chunks = directions.chunks(CHUNK).collect::<Vec<_>>();
    let evaluate_chunk = |part: usize| {
        let (mut own, mut obstacle) = (shared.fork(), obstacle.clone());
        let each = chunks[part].iter().enumerate();
        let found =
            each.map(|(place, direction)| evaluate(&mut own, &mut obstacle, part * CHUNK + place, direction));
        let found = found.collect::<Vec<_>>();
        (found, own.casts, own.marches, own.is_work_spent())
    };
    let parts = match space.parallel {
        true => parallel::map(chunks.len(), 1, evaluate_chunk),
        false => (0..chunks.len()).map(evaluate_chunk).collect(),
    };
    let mut all = Vec::with_capacity(directions.len());
    for (found, casts, marches, is_work_spent) in parts {
        all.extend(found);
        space.was_work_spent |= is_work_spent;
        space.casts += casts;
        space.marches += marches;
    }
    all
}

/// Casts from outside on rings around the best direction, and walks from nearer contacts.
fn refine(space: &mut ContactSpace, best: &mut Optimum) {
    for angle in RINGS {
        for i in 0..RING {
            if space.is_late() {
                return;
            }
            let depth = best.touching.norm();
            let Some(axis) = best.touching.try_normalize(0.0) else { return };
            let azimuth = f64::from(i) * std::f64::consts::TAU / f64::from(RING);
            let direction = tilted(&axis, angle, azimuth);
            let Some(met) = space.depth_from_outside(&direction, depth) else { continue };
            improve(space, best, &(direction * (met + space.clearance())));
        }
    }
}

/// The unit vector at the polar `angle` [rad] from the unit vector `axis` and at an azimuth [rad] about it.
fn tilted(axis: &Vector3<f64>, angle: f64, azimuth: f64) -> Vector3<f64> {
    let min = axis.iamin();
    let across = axis.cross(&Vector3::ith(min, 1.0)).normalize();
    let other = axis.cross(&across);
    axis * angle.cos() + (across * azimuth.cos() + other * azimuth.sin()) * angle.sin()
}

/// The smallest depths in ascending order, one per neighbourhood of directions.
pub(super) fn promising(depths: &[f64], directions: &[Vector3<f64>]) -> Vec<(f64, Vector3<f64>)> {
    let met = depths.iter().zip(directions).filter(|(depth, _)| depth.is_finite());
    let mut sorted = met.map(|(&depth, &direction)| (depth, direction)).collect::<Vec<_>>();
    // Equal depths stay in the order of the directions; the sort is stable.
    let min = sorted.iter().map(|start| start.0).fold(f64::INFINITY, f64::min);
    let rank = |depth: f64| (depth / (TIE * min)).round();
    sorted.sort_by(|x, y| rank(x.0).total_cmp(&rank(y.0)));
    let mut chosen: Vec<(f64, Vector3<f64>)> = Vec::with_capacity(WALKS);
    for (depth, direction) in sorted {
        if chosen.len() < WALKS && chosen.iter().all(|other| other.1.dot(&direction) <= SAME) {
            chosen.push((depth, direction));
        }
    }
    chosen
}

/// Walks from `start` and replaces the best optimum if the walk ends nearer; not after the deadline.
pub(super) fn improve(space: &mut ContactSpace, best: &mut Optimum, start: &Vector3<f64>) {
    /// Relative gain that a walk must promise: equal optima must not replace each other. A safeguard, without effect on
    /// the sets of docs/sensitivity.md.
    const GAIN: f64 = 1e-9;
    if space.is_late() {
        return;
    }
    if let Some(optimum) = space.walk_within(start, best.touching.norm() * (1.0 - GAIN)) {
        *best = optimum;
    }
}
