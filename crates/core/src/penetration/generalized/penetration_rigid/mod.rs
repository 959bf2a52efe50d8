//! Generalized penetration depth of two triangle models, of which A moves: triangle soups as they are, no convexity assumed
//! [Tang14 §3].
//!
//! σ is the mean squared displacement of A's points, by volume; by area where A is a surface or encloses no volume. The
//! result is the minimum found, an upper bound, and never more than the square of the translational depth that the same
//! effort finds. At a pose one hundredth of the path back towards the input the models collide.

mod chart;
mod contacts;
mod feature;
mod free;
mod projection;
mod search;
mod starts;
#[cfg(test)]
mod tests;
mod walk;

use nalgebra::Isometry3;

use self::free::is_free_within;
use self::search::{FreePose, RigidSearch};
use super::error::GeneralizedError;
use super::options::{GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, SearchSummary};
use super::part::{CollidingPair, Part};
use crate::penetration::translational::collision_check::CollisionCheck;
use crate::proximity::model::Model;

/// The minimum motion of `a` found after which it is apart from the static `b`; `None` when they are proved apart already.
/// Poses map body to world coordinates; the result contains one pose, that of A.
///
/// The models need not be convex, closed or in one piece. [`GeneralizedOptions::start`] forces one
/// source of starts: translations as in [`penetration`](crate::penetration::penetration), or given poses.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::generalized::{GeneralizedOptions, penetration_rigid};
/// use extricate_core::proximity::Model;
/// use nalgebra::{Isometry3, Vector3};
///
/// // A stick with one end in the ground is rotated out rather than lifted.
/// let stick = Model::new(Cuboid { x: 2.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?, Solidity::Solid);
/// let ground = Model::new(Cuboid { x: 9.0, y: 9.0, z: 4.0, ..Cuboid::default() }.mesh()?, Solidity::Solid);
/// let below = Isometry3::translation(0.0, 0.0, -2.0);
/// let tilted = Isometry3::new(Vector3::new(0.0, 0.0, 0.2), Vector3::y() * 0.3);
/// let found = penetration_rigid(&stick, &tilted, &ground, &below, &GeneralizedOptions::fast())?.expect("it reaches down");
/// let lift = 0.3_f64.sin() + 0.05 * 0.3_f64.cos() - 0.2;
/// assert!(found.verified_free && found.depth < 0.6 * lift);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GeneralizedError::NotFound`] when no free pose was found, [`GeneralizedError::TooFar`] when the nearest one moves
/// farther than the options allow, [`GeneralizedError::Penetration`] when a pose is not finite or the only source of
/// starts allowed has none or the time budget is spent before it is known whether the models collide,
/// [`GeneralizedError::StartFailed`] when that source does not apply to a pair of bodies.
pub fn penetration_rigid(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &GeneralizedOptions,
) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
    search_and_verify((a, pose_a), (b, pose_b), options, &[])
}

/// As [`penetration_rigid`], but free poses of earlier queries, with their orientation, are starts as well; with
/// [`GeneralizedStart::MotionCoherence`](super::GeneralizedStart) they are the only ones [Tang14 §3.2].
///
/// `coherence` belongs to this pair in this order, and contains poses of A in the frame of B: both may move.
///
/// # Errors
/// As [`penetration_rigid`].
pub fn penetration_rigid_coherent(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    options: &GeneralizedOptions,
    coherence: &mut GeneralizedCoherence,
) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
    let remembered = coherence.free().iter().filter_map(|poses| poses.first());
    let remembered = remembered.map(|pose| pose_b * pose.base).collect::<Vec<_>>();
    let found = search_and_verify((a, pose_a), (b, pose_b), options, &remembered)?;
    // A pose that is free already is remembered as well: the next overlap comes from it.
    let free = found.as_ref().and_then(|found| found.poses.first()).map_or(*pose_a, |pose| pose.base);
    coherence.remember(&[pose_b.inv_mul(&free).into()]);
    Ok(found)
}

fn search_and_verify(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
    options: &GeneralizedOptions,
    remembered: &[Isometry3<f64>],
) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
    let clearance = options.clearance;
    options.check_clearance()?;
    let mut search = RigidSearch::new(a, b, options);
    let check = CollisionCheck::new(options.time_budget);
    if check.decide([a.0, b.0], |limit| is_free_within(a, b, clearance, limit))? {
        return Ok(None);
    }
    let found = search.run(remembered, check)?;
    let answer = to_penetration(&search, &found, clearance);
    if !found.verified_free {
        let parts = [Part::Link { movable: 0, link: 0 }, Part::Obstacle(0)];
        // Triangle models have no depth of overlap, hence NaN.
        let still = vec![CollidingPair { parts, depth: f64::NAN }];
        return Err(GeneralizedError::NotFound { best: Box::new(answer), still });
    }
    match options.max_move {
        Some(max_move) if !(answer.depth <= max_move) => {
            Err(GeneralizedError::TooFar { best: Box::new(answer), max_move })
        }
        _ => Ok(Some(answer)),
    }
}

fn to_penetration(search: &RigidSearch<'_>, found: &FreePose, clearance: f64) -> GeneralizedPenetration {
    GeneralizedPenetration {
        sigma: found.sigma,
        depth: found.sigma.sqrt(),
        mean_squared_displacement: found.sigma,
        poses: vec![found.pose.into()],
        clearance,
        limits_kept: true,
        verified_free: found.verified_free,
        constraints: Vec::new(),
        immobilised_by: Vec::new(),
        iterations: search.iterations,
        source: found.source,
        summary: SearchSummary { end: search.end(), ..SearchSummary::default() },
    }
}
