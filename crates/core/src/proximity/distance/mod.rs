//! Separation distance of two models with the points that attain it, over two trees [Lin17 §40.2]: exact, to within a
//! tolerance, or only compared with a limit.
//!
//! The distance of models that collide is zero. For all others one best-first traversal minimises over the pairs of
//! triangles; a pair of boxes whose gap exceeds the best distance so far is pruned. With a tolerance it is pruned as
//! soon as it could not improve the best distance by more than that, which proves the lower bound of the result.

pub(crate) mod answer;
mod gaps;
mod gaps_in_norm;
mod in_norm;
mod nearest;
mod options;
mod triangles_in_norm;
mod zero;

pub use self::answer::Distance;
use std::time::Instant;

use crate::proximity::error::ProximityError;
use nalgebra::Isometry3;

use self::in_norm::distance_in_norm_at;
use self::nearest::Nearest;
use self::options::check_pose;
use self::zero::{some_pair, zero_at};
use super::collision::{collide_at, collide_bounded, surfaces_collide_at};
use super::model::Model;
use super::relative_pose::RelativePose;
use super::work_limit::WorkLimit;
use crate::geometry::Norm;
pub use options::DistanceOptions;

/// State carried from one distance query of a pair of models to the next: an initial guess that shortens the traversal.
///
/// It never changes an exact result by more than rounding.
#[derive(Debug, Clone, Copy, Default)]
pub struct DistanceCache {
    closest: Option<[u32; 2]>,
}

/// Separation distance of `a` and `b`; poses map body to world coordinates.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, distance};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(1.5, 0.0, 0.0));
/// let found = distance(&cube, &here, &cube, &there);
/// assert!((found.value - 0.5).abs() < 1e-12);
/// assert!((found.witnesses[0].x - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn distance(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Distance {
    distance_with_cache(a, pose_a, b, pose_b, &mut DistanceCache::default())
}

/// As [`distance`], starting from the closest triangles of the last query of the same two models, stored in `cache`.
#[must_use]
#[expect(clippy::missing_panics_doc, reason = "nothing is farther than infinity")]
pub fn distance_with_cache(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    cache: &mut DistanceCache,
) -> Distance {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let (options, mut unlimited) = (DistanceOptions::default(), [WorkLimit::NONE; 2]);
    let found = distance_at([a, b], &a_to_b, &options, cache, &mut unlimited);
    let found = found.expect("nothing is farther than infinity");
    in_world(b, pose_b, found)
}

/// Separation distance of `a` and `b` if it is at most `limit` \[m\], else `None`. A limit that is NaN is ignored.
#[must_use]
pub fn distance_up_to(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    limit: f64,
) -> Option<Distance> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let (options, mut unlimited) = (DistanceOptions::up_to(limit), [WorkLimit::NONE; 2]);
    let found = distance_at([a, b], &a_to_b, &options, &mut DistanceCache::default(), &mut unlimited);
    found.map(|found| in_world(b, pose_b, found))
}

/// Separation distance of `a` and `b` to within the tolerance of the options, or `None` when it is proved to exceed
/// their limit; poses map body to world coordinates.
///
/// `cache` holds the closest triangles of the last query of the same two models, a good start. With a tolerance the
/// result may depend on it.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Blob, Procedural};
/// use extricate_core::proximity::{DistanceCache, DistanceOptions, Model, distance_with};
/// use nalgebra::Isometry3;
///
/// let blob = Model::new(Blob::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(3.0, 1.0, 0.0));
/// let mut cache = DistanceCache::default();
/// let tolerant = DistanceOptions { relative_tolerance: 0.01, ..DistanceOptions::default() };
/// let found = distance_with(&blob, &here, &blob, &there, &tolerant, &mut cache)?.expect("there is no limit");
/// assert!(found.lower_bound >= 0.99 * found.value);
/// let near = DistanceOptions { limit: 0.1, ..DistanceOptions::default() };
/// assert!(distance_with(&blob, &here, &blob, &there, &near, &mut cache)?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when an option is negative or not a number, when a pose is not finite, and when the time budget or the default bound
/// on work is spent before it is known whether the models collide, or before a pair of triangles within the limit is found. Where one is
/// found, the lower bound of the result is that of all pairs that were not visited.
pub fn distance_with(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &DistanceOptions,
    cache: &mut DistanceCache,
) -> Result<Option<Distance>, ProximityError> {
    options.check()?;
    check_pose('A', pose_a)?;
    check_pose('B', pose_b)?;
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let found =
        within_limits([a, b], options, |limits| distance_at([a, b], &a_to_b, options, cache, limits))?;
    Ok(found.map(|found| in_world(b, pose_b, found)))
}

/// The distance of two models in a norm along the axes of the world, zero where they collide, to within the tolerance of the
/// options; `None` where it is proved to exceed their limit. Poses map body to world coordinates.
///
/// It is the norm of the difference of the witnesses, and the minimum over all pairs of points, up to rounding.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::geometry::{Norm, Solidity};
/// use extricate_core::proximity::{DistanceOptions, Model, distance_in_norm};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(4.0, 5.0, 0.0));
/// for (norm, expected) in [(Norm::L1, 7.0), (Norm::L2, 5.0), (Norm::LInf, 4.0)] {
///     let found = distance_in_norm((&cube, &here), (&cube, &there), norm, &DistanceOptions::default())?;
///     assert!((found.expect("there is no limit").value - expected).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`distance_with`].
pub fn distance_in_norm(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    norm: Norm,
    options: &DistanceOptions,
) -> Result<Option<Distance>, ProximityError> {
    if norm == Norm::L2 {
        return distance_with(a, pose_a, b, pose_b, options, &mut DistanceCache::default());
    }
    options.check()?;
    check_pose('A', pose_a)?;
    check_pose('B', pose_b)?;
    within_limits([a, b], options, |limits| {
        distance_in_norm_at([a, b], [pose_a, pose_b], norm, options, limits)
    })
}

/// The result of a search within the limits of the collision test and of the traversal that the options set.
fn within_limits(
    [a, b]: [&Model; 2],
    options: &DistanceOptions,
    search: impl FnOnce(&mut [WorkLimit; 2]) -> Option<Distance>,
) -> Result<Option<Distance>, ProximityError> {
    let mut limits = match options.time_budget {
        None => [WorkLimit::of_collision(a, b), WorkLimit::of_distance(a, b)],
        Some(budget) => [WorkLimit::new(u64::MAX, Instant::now().checked_add(budget)); 2],
    };
    let pairs = limits.map(|limit| limit.left());
    let found = search(&mut limits);
    match (found, limits.iter().position(WorkLimit::is_spent), options.time_budget) {
        (None, Some(_), Some(budget)) => Err(ProximityError::OutOfTime { budget }),
        (None, Some(spent), None) => Err(ProximityError::OutOfWork { pairs: pairs[spent] }),
        (found, ..) => Ok(found),
    }
}

/// The distance, with the witnesses in the frame of B's tree, within limits of the collision test and of the traversal; `None` also where
/// one of them is spent before a pair is known.
fn distance_at(
    [a, b]: [&Model; 2],
    a_to_b: &RelativePose,
    options: &DistanceOptions,
    cache: &mut DistanceCache,
    [of_collision, of_traversal]: &mut [WorkLimit; 2],
) -> Option<Distance> {
    if options.limit < 0.0 {
        return None;
    }
    let zero = zero_at([a, b], a_to_b, of_collision);
    if zero.is_none() && of_collision.is_spent() {
        return None;
    }
    let found = zero.or_else(|| {
        let mut query = Nearest::new(a_to_b, options);
        query.work = *of_traversal;
        // A cache of other models may name triangles that do not exist.
        if let Some(pair) = cache.closest.filter(|&pair| are_nondegenerate(a, b, pair)) {
            query.start(a, b, pair);
        }
        let mut is_found = query.run(a, b);
        *of_traversal = query.work;
        // Models so far apart that squares overflow, or at a pose that is not finite, are not "farther than the limit":
        // the distance of some pair is reported.
        if !is_found && !of_traversal.is_spent() && (options.limit.is_infinite() || !a_to_b.is_finite()) {
            is_found = query.start(a, b, some_pair(a, b));
        }
        is_found.then(|| query.outcome(a, b))
    });
    cache.closest = found.and_then(|found| found.triangles).or(cache.closest);
    found
}

/// Whether the distance of `a` and `b` is at most `limit` \[m\]: cheaper than the distance. A limit that is NaN is
/// ignored.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, is_within};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(1.5, 0.0, 0.0));
/// assert!(is_within(&cube, &here, &cube, &there, 0.6));
/// assert!(!is_within(&cube, &here, &cube, &there, 0.4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_within(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>, limit: f64) -> bool {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    if limit < 0.0 {
        return false;
    }
    let mut query = Nearest::new(&a_to_b, &DistanceOptions::up_to(limit));
    // The traversal precedes the collision test: it ends at the first pair within the limit.
    query.accept_any();
    !a_to_b.is_finite() || query.run(a, b) || collide_at(a, b, &a_to_b)
}

/// As [`is_within`], with the default bounds on work.
///
/// # Errors
/// [`ProximityError::OutOfWork`] where one is met before the answer is known.
pub(crate) fn is_within_bounded(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    limit: f64,
) -> Result<bool, ProximityError> {
    let mut work = WorkLimit::of_distance(a, b);
    let pairs = work.left();
    match surfaces_within((a, pose_a), (b, pose_b), limit, &mut work) {
        Some(true) => Ok(true),
        Some(false) => collide_bounded((a, pose_a), (b, pose_b)),
        None => Err(ProximityError::OutOfWork { pairs }),
    }
}

/// Whether the surfaces of `a` and `b` are at most `limit` [m] apart, if that is known before the work is spent; true at a pose that is
/// not finite.
pub(crate) fn surfaces_within(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    limit: f64,
    work: &mut WorkLimit,
) -> Option<bool> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let mut query = Nearest::new(&a_to_b, &DistanceOptions::up_to(limit));
    // The first pair within the limit ends the traversal.
    query.accept_any();
    query.work = *work;
    let is_near = !a_to_b.is_finite() || query.run(a, b);
    *work = query.work;
    (is_near || !work.is_spent()).then_some(is_near)
}

/// Lower bound of the distance of the surfaces of `a` and `b` \[m\], no less than half of it, and cheaper: zero where they intersect, or a pose is
/// not finite. A solid inside another one is as far from it as their surfaces are.
///
/// `cache` holds the closest triangles of the last query of the same two models, a good start, which the result may depend on.
#[must_use]
pub fn clearance_of_surfaces(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    cache: &mut DistanceCache,
) -> f64 {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    if surfaces_collide_at(a, b, &a_to_b) {
        return 0.0;
    }
    let options = DistanceOptions { relative_tolerance: 0.5, ..DistanceOptions::default() };
    let mut query = Nearest::new(&a_to_b, &options);
    if let Some(pair) = cache.closest.filter(|&pair| are_nondegenerate(a, b, pair)) {
        query.start(a, b, pair);
    }
    if !query.run(a, b) {
        return 0.0;
    }
    let found = query.outcome(a, b);
    cache.closest = found.triangles;
    found.lower_bound
}

fn in_world(b: &Model, pose_b: &Isometry3<f64>, found: Distance) -> Distance {
    let witnesses = found.witnesses.map(|point| pose_b * (point + b.center().coords));
    Distance { witnesses, ..found }
}

/// Whether both triangles exist and have an area.
fn are_nondegenerate(a: &Model, b: &Model, [i, j]: [u32; 2]) -> bool {
    let is_nondegenerate = |model: &Model, i: u32| {
        (i as usize) < model.mesh().triangles().len() && !model.mesh().is_degenerate(i as usize)
    };
    is_nondegenerate(a, i) && is_nondegenerate(b, j)
}

#[cfg(test)]
mod tests;
