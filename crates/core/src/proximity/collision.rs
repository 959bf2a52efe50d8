//! Collision of two models: pairs of triangles that intersect or come closer than a distance [Lin17 §40.2].
//!
//! Collision is closed: touching counts.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::contained_parts::{may_contain_any, shared_point};
use super::error::ProximityError;
use super::model::Model;
use super::overlap::{
    AllPairs, AtMost, CommonLimit, Counted, FirstPair, Overlap, PairFilter, Sink as _, Within,
};
use super::relative_pose::RelativePose;
use super::work_limit::WorkLimit;
use crate::bvh::tandem;
use crate::bvh::tree::TriangleBvh;

/// Whether `a` and `b` collide: their surfaces intersect (touching counts), or one of them is a solid that contains
/// a part of the other one. Poses map body to world coordinates; a pose that is not finite is never free of collision.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, collide};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.0, 0.0));
/// assert!(collide(&cube, &here, &cube, &there));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn collide(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> bool {
    collide_at(a, b, &RelativePose::between(a, pose_a, b, pose_b))
}

/// Whether any triangle of `a` intersects one of `b` (touching counts). A solid inside another one is not detected here
/// but by [`collide`]. As there, a pose that is not finite is never free of collision. Poses map body to world
/// coordinates.
#[must_use]
pub fn surfaces_collide(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> bool {
    surfaces_collide_at(a, b, &RelativePose::between(a, pose_a, b, pose_b))
}

/// Appends all pairs of triangles of `a` and `b` that intersect (touching counts), sorted.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, intersecting_pairs};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.1, 0.2));
/// let mut pairs = Vec::new();
/// intersecting_pairs(&cube, &here, &cube, &there, &mut pairs);
/// assert!(!pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersecting_pairs(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    pairs: &mut Vec<[u32; 2]>,
) {
    pairs_within(a, pose_a, b, pose_b, 0.0, pairs);
}

/// Appends all pairs of triangles whose gap on every candidate separating axis is at most `distance` \[m\], sorted.
///
/// These are all pairs at most `distance` apart and a few that are farther: between vertices the gap on an axis is
/// smaller than the distance.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, pairs_within};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(1.1, 0.0, 0.0));
/// let mut pairs = Vec::new();
/// pairs_within(&cube, &here, &cube, &there, 0.05, &mut pairs);
/// assert!(pairs.is_empty());
/// pairs_within(&cube, &here, &cube, &there, 0.2, &mut pairs);
/// assert!(!pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_within(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    pairs_within_at(a, b, &RelativePose::between(a, pose_a, b, pose_b), distance, pairs);
}

pub(crate) fn collide_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> bool {
    surfaces_collide_at(a, b, a_to_b) || shared_point(a, b, a_to_b).is_some()
}

pub(crate) fn surfaces_collide_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> bool {
    !a_to_b.is_finite() || intersecting_pair_at(a, b, a_to_b).is_some()
}

/// As [`collide`], if that is known within a time budget. Where the budget is spent, those collide that touch to within the rounding of
/// their coordinates.
///
/// # Errors
/// [`ProximityError::OutOfTime`] where it is not known then, either.
pub fn collide_until(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
    budget: Duration,
) -> Result<bool, ProximityError> {
    let mut limit = WorkLimit::new(u64::MAX, Instant::now().checked_add(budget));
    match collide_within(a, b, &mut limit) {
        Some(answer) => Ok(answer),
        None if touch_to_rounding(a, b, true) => Ok(true),
        None => Err(ProximityError::OutOfTime { budget }),
    }
}

/// As [`collide`], with the default bound on work. Where it is met, those collide that touch to within the rounding of their coordinates.
///
/// # Errors
/// [`ProximityError::OutOfWork`] where it is not known then, either.
pub(crate) fn collide_bounded(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
) -> Result<bool, ProximityError> {
    let mut limit = WorkLimit::of_collision(a.0, b.0);
    let pairs = limit.left();
    match collide_within(a, b, &mut limit) {
        Some(answer) => Ok(answer),
        None if touch_to_rounding(a, b, false) => Ok(true),
        None => Err(ProximityError::OutOfWork { pairs }),
    }
}

/// Whether two triangles are found whose gap is within the rounding of their coordinates: all of thousands that meet in a point
/// may be apart by that. After a time budget the search ends within milliseconds.
pub(crate) fn touch_to_rounding(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    has_budget: bool,
) -> bool {
    /// Pairs of subtrees that are visited at most, some milliseconds. Where thousands touch, the first do.
    const PAIRS: u64 = 1 << 12;
    /// Time after that of a budget.
    const FOR_TOUCH: Duration = Duration::from_millis(3);
    let deadline = has_budget.then(|| Instant::now() + FOR_TOUCH);
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    pair_within(a, b, &a_to_b, a_to_b.slack(), &mut WorkLimit::new(PAIRS, deadline)).is_some()
}

/// As [`collide`], if that is known before the limit is spent.
pub(crate) fn collide_within(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    limit: &mut WorkLimit,
) -> Option<bool> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    if !a_to_b.is_finite() {
        return Some(true);
    }
    if pair_within(a, b, &a_to_b, 0.0, limit).is_some() {
        return Some(true);
    }
    let is_shared = !limit.is_spent() && may_contain_any(a, b, &a_to_b, limit);
    (!limit.is_spent()).then_some(is_shared)
}

/// A pair of triangles whose gap on every candidate separating axis is at most `distance` [m], which with zero intersect; `None`
/// where there is none, or where the limit is spent before one is found.
pub(crate) fn pair_within(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    limit: &mut WorkLimit,
) -> Option<[u32; 2]> {
    if are_balls_apart(a, b, a_to_b, distance) {
        return None;
    }
    let spent = Cell::new(*limit);
    let mut query = Overlap::new(a_to_b, distance, Within { sink: FirstPair(None), limit: &spent });
    tandem::descend_for_any(a.bvh(), b.bvh(), &mut query);
    *limit = spent.get();
    query.sink.sink.0
}

/// A pair of triangles that intersect, if there is one.
pub(crate) fn intersecting_pair_at(a: &Model, b: &Model, a_to_b: &RelativePose) -> Option<[u32; 2]> {
    if are_balls_apart(a, b, a_to_b, 0.0) {
        return None;
    }
    let mut query = Overlap::new(a_to_b, 0.0, FirstPair(None));
    tandem::descend_for_any(a.bvh(), b.bvh(), &mut query);
    query.sink.0
}

/// Whether the bounding balls of the models are farther apart than a distance [m], which settles most pairs of a scene. Their
/// centres are those of the trees.
fn are_balls_apart(a: &Model, b: &Model, a_to_b: &RelativePose, distance: f64) -> bool {
    /// Safety factor for rounding.
    const ROOM: f64 = 1.0 + 1e-9;
    a_to_b.translation.norm_squared() > (ROOM * (a.radius() + b.radius() + distance)).powi(2)
}

pub(crate) fn pairs_within_at(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    let first = pairs.len();
    pairs_within_as_met(a, b, a_to_b, distance, pairs);
    pairs[first..].par_sort_unstable();
}

/// Appends all pairs of triangles whose gap on every candidate separating axis is at most `distance` [m], in the order
/// of the traversal.
pub(crate) fn pairs_within_as_met(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) {
    let query = |pairs| Overlap::new(a_to_b, distance, AllPairs(pairs));
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<AllPairs>, part: Overlap<AllPairs>| all.sink.0.extend(part.sink.0);
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    *pairs = all.sink.0;
}

/// Appends all pairs of triangles of two trees, A and B, whose gap on every candidate separating axis is at most `distance`
/// [m], in the order of the traversal, unless the limit is spent before all are found: then the result is false.
pub(super) fn pairs_within_of_trees(
    [a, b]: [&TriangleBvh; 2],
    a_to_b: &RelativePose,
    distance: f64,
    limit: WorkLimit,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let limit = Cell::new(limit);
    let sink = Within { sink: AllPairs(std::mem::take(pairs)), limit: &limit };
    let mut query = Overlap::new(a_to_b, distance, sink);
    tandem::descend(a, b, &mut query);
    *pairs = query.sink.sink.0;
    !limit.get().is_spent()
}

/// As [`pairs_within_at`] with distance 0, unless a limit is spent before all are found: then some of them are appended, and
/// the result is false. A pair that is found counts as much as one that is visited.
pub(crate) fn intersecting_pairs_until(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    limit: &mut WorkLimit,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let first = pairs.len();
    let common = CommonLimit::new(*limit);
    let query = |pairs| Overlap::new(a_to_b, 0.0, Counted::new(&common, pairs));
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<Counted>, part: Overlap<Counted>| all.sink.join(part.sink);
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    let done = all.sink.done();
    let is_work_spent = done >= limit.left();
    let complete = !is_work_spent && !common.is_spent();
    *pairs = all.sink.pairs;
    if is_work_spent {
        // The threads have found whichever pairs they came to first: one of them finds the same ones always.
        pairs.truncate(first);
        let common = CommonLimit::new(*limit);
        let mut query = Overlap::new(a_to_b, 0.0, Counted::new(&common, std::mem::take(pairs)));
        tandem::descend(a.bvh(), b.bvh(), &mut query);
        *pairs = query.sink.pairs;
    }
    pairs[first..].par_sort_unstable();
    limit.spend_many(done);
    complete
}

/// As [`pairs_within_as_met`], unless there are more than `limit` pairs: then some of them are appended, at a cost in
/// proportion to the limit, and the result is false.
pub(crate) fn pairs_within_at_most(
    limit: usize,
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    distance: f64,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    filtered_pairs_within(limit, [a, b], a_to_b, distance, &(), pairs)
}

/// As [`pairs_within_at_most`], of the pairs that a filter admits.
pub(crate) fn filtered_pairs_within<F: PairFilter>(
    limit: usize,
    [a, b]: [&Model; 2],
    a_to_b: &RelativePose,
    distance: f64,
    filter: &F,
    pairs: &mut Vec<[u32; 2]>,
) -> bool {
    let count = AtomicUsize::new(0);
    let query =
        |pairs| Overlap::filtered(a_to_b, distance, AtMost { limit, count: &count, pairs }, filter.clone());
    let mut all = query(std::mem::take(pairs));
    let add = |all: &mut Overlap<AtMost, F>, part: Overlap<AtMost, F>| all.sink.pairs.extend(part.sink.pairs);
    tandem::descend_in_parts(a.bvh(), b.bvh(), &mut all, &|| query(Vec::new()), &add);
    let complete = !all.sink.is_over();
    *pairs = all.sink.pairs;
    complete
}
