//! Simultaneous separation of many overlapping bodies by small translations.
//!
//! Pair by pair, overlapping bodies would be pushed out of one neighbour into the next. Here every pair contributes a
//! constraint, the plane of its penetration depth, and the minimum motion of all bodies that satisfies all constraints is the
//! solution of a quadratic program (`quadratic_program::min_motion`). The solution is queried again until nothing overlaps
//! (`rounds`); bodies that the rounds cannot separate are moved one by one to the nearest free place (`rescue`). Then the
//! bodies approach their initial positions as far as the others allow (`descent`).
//!
//! The objective is Σ wᵢ ‖tᵢ‖², tᵢ the translation of body i and wᵢ its weight; or Σ wᵢ ‖tᵢ‖ ([`DisplacementMeasure`]).

mod broad_phase;
mod descent;
pub mod models;
mod rescue;
mod rounds;
mod separation;
pub mod source;

pub use self::separation::{
    Body, DisplacementMeasure, Overlap, Separation, SeparationError, SeparationOptions,
};
use std::cmp::Ordering;

use nalgebra::Vector3;

use self::models::Models;
use self::rounds::Rounds;
use self::source::Pairs;
use super::translational::options::Effort;
use crate::parallel;

/// Times that single bodies leap and all bodies descend afterwards in a thorough search; it ends early when no body
/// leaps. Each costs the searches for all distant bodies and one descent. No effect on the sets of docs/sensitivity.md.
const MAX_LEAPS: u32 = 3;

/// Small translations after which no two of the bodies overlap; fixed ones do not move.
///
/// Bodies that overlap nothing move only if others push them. If nothing overlaps, all translations are zero.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{Body, SeparationOptions, separate};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let at = |x: f64| Body::new(&cube, Isometry3::translation(x, 0.0, 0.0));
/// let found = separate(&[at(0.0), at(0.6), at(1.2)], &SeparationOptions::default())?;
/// // The outer two move, the middle one stays.
/// assert!((found.translations[0].x + 0.4).abs() < 1e-6);
/// assert!(found.translations[1].x.abs() < 1e-6);
/// assert!((found.translations[2].x - 0.4).abs() < 1e-6);
/// assert!(found.verified_free);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SeparationError`], with the best translations found if they do not separate all bodies.
pub fn separate(bodies: &[Body], options: &SeparationOptions) -> Result<Separation, SeparationError> {
    check_bodies(bodies)?;
    check_fixed(bodies)?;
    separate_pairs(&Models::new(bodies), options)
}

fn check_bodies(bodies: &[Body]) -> Result<(), SeparationError> {
    for (index, body) in bodies.iter().enumerate() {
        let numbers = body.pose.translation.vector.iter().chain(body.pose.rotation.coords.iter());
        if !numbers.copied().all(f64::is_finite) {
            return Err(SeparationError::PoseNotFinite { body: index, pose: body.pose });
        }
        if !(body.weight > 0.0 && body.weight.is_finite()) {
            return Err(SeparationError::BadWeight { body: index, weight: body.weight });
        }
    }
    Ok(())
}

fn check_fixed(bodies: &[Body]) -> Result<(), SeparationError> {
    let fixed = (0..bodies.len()).filter(|&body| bodies[body].fixed).collect::<Vec<_>>();
    for (place, &i) in fixed.iter().enumerate() {
        for &j in &fixed[place + 1..] {
            let [a, b] = [&bodies[i], &bodies[j]];
            if crate::proximity::collide(a.model, &a.pose, b.model, &b.pose) {
                return Err(SeparationError::FixedOverlap { bodies: [i, j] });
            }
        }
    }
    Ok(())
}

/// As [`separate`], for any kind of bodies.
///
/// # Errors
/// As [`separate`].
#[expect(clippy::missing_panics_doc, reason = "there is one effort at least")]
pub fn separate_pairs(
    pairs: &impl Pairs,
    options: &SeparationOptions,
) -> Result<Separation, SeparationError> {
    check_distance("clearance", options.clearance)?;
    check_distance("maximum motion", options.max_move.unwrap_or(0.0))?;
    let efforts: &[Effort] = match options.effort {
        Effort::Fast => &[Effort::Fast],
        Effort::Best => &[Effort::Fast, Effort::Best],
    };
    let mut best: Option<Trial> = None;
    let mut queries = 0;
    // The thorough effort contains the fast one, so that it is never worse.
    for &effort in efforts {
        let found = solve(pairs, &SeparationOptions { effort, ..*options })?;
        queries += found.rounds.queries;
        if best.as_ref().is_none_or(|best| found.is_better_than(best)) {
            best = Some(found);
        }
    }
    let mut best = best.expect("there is one effort at least");
    if options.effort == Effort::Best && best.overlaps.is_empty() {
        queries += leaps(pairs, options, &mut best);
    }
    let is_free = best.overlaps.is_empty();
    let found = report(pairs, &best.translations, Rounds { queries, ..best.rounds }, is_free);
    if !is_free {
        let overlaps = best.overlaps;
        return Err(SeparationError::NotSeparated { best: Box::new(found), overlaps });
    }
    within_limit(found, options)
}

/// Translations of all bodies, and the overlaps left by the independent check.
struct Trial {
    translations: Vec<Vector3<f64>>,
    overlaps: Vec<Overlap>,
    cost: f64,
    rounds: Rounds,
}

impl Trial {
    fn is_better_than(&self, other: &Self) -> bool {
        match self.overlaps.len().cmp(&other.overlaps.len()) {
            Ordering::Equal => self.cost < other.cost,
            order => order.is_lt(),
        }
    }
}

/// Rounds, rescue and descent.
fn solve(pairs: &impl Pairs, options: &SeparationOptions) -> Result<Trial, SeparationError> {
    let mut translations = vec![Vector3::zeros(); pairs.bodies().len()];
    let mut rounds = rounds::relax(pairs, options, &mut translations)?;
    if !rounds.at_end.is_empty() {
        rounds.queries += rescue::free_one_by_one(pairs, options, &rounds.at_end, &mut translations);
    }
    let overlaps = still_overlapping(pairs, options, &translations);
    let cost = descent::cost(pairs, options.measure, &translations);
    let mut found = Trial { translations, overlaps, cost, rounds };
    if found.overlaps.is_empty() && found.rounds.rounds > 0 {
        // The rounds only push apart: planes that later moves made obsolete leave room to go back.
        let mut nearer = found.translations.clone();
        found.rounds.queries += descend(pairs, options, &mut nearer);
        found.take(pairs, options, nearer);
    }
    Ok(found)
}

impl Trial {
    /// Replaces its translations by others if these are verified free and better.
    fn take(&mut self, pairs: &impl Pairs, options: &SeparationOptions, other: Vec<Vector3<f64>>) {
        let cost = descent::cost(pairs, options.measure, &other);
        if cost < self.cost && still_overlapping(pairs, options, &other).is_empty() {
            (self.translations, self.cost) = (other, cost);
        }
    }
}

/// Descent by squares, which brings all bodies nearer, then by the requested measure; returns the number of queries.
fn descend(pairs: &impl Pairs, options: &SeparationOptions, translations: &mut Vec<Vector3<f64>>) -> u64 {
    let queries = descent::descend(pairs, options, DisplacementMeasure::Squares, translations);
    match options.measure {
        DisplacementMeasure::Squares => queries,
        measure => queries + descent::descend(pairs, options, measure, translations),
    }
}

/// Alternates leaps of single bodies and descents of all; returns the number of queries.
fn leaps(pairs: &impl Pairs, options: &SeparationOptions, found: &mut Trial) -> u64 {
    let mut queries = 0;
    for _ in 0..MAX_LEAPS {
        let mut other = found.translations.clone();
        let (leapt, made) = rescue::leap(pairs, options, &mut other);
        queries += made;
        if !leapt {
            break;
        }
        queries += descend(pairs, options, &mut other);
        found.take(pairs, options, other);
    }
    queries
}

fn check_distance(what: &'static str, value: f64) -> Result<(), SeparationError> {
    let sound = value >= 0.0 && value.is_finite();
    if sound { Ok(()) } else { Err(SeparationError::BadDistance { what, value }) }
}

fn within_limit(found: Separation, options: &SeparationOptions) -> Result<Separation, SeparationError> {
    let Some(limit) = options.max_move else { return Ok(found) };
    let lengths = found.translations.iter().map(Vector3::norm).enumerate();
    match lengths.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((body, distance)) if distance > limit => {
            Err(SeparationError::TooFar { body, distance, limit, best: Box::new(found) })
        }
        _ => Ok(found),
    }
}

/// The independent check: every pair by a collision query at the final positions, or by a distance query if a clearance is
/// required; of those that fail, the depth.
fn still_overlapping(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &[Vector3<f64>],
) -> Vec<Overlap> {
    // The boxes of all other pairs prove them separated.
    let near = broad_phase::near_pairs(pairs, translations, options.clearance);
    let shift = |pair: [usize; 2]| translations[pair[0]] - translations[pair[1]];
    let search = source::PairSearch { effort: Effort::Fast, free: None };
    let overlaps = parallel::map_slice(&near, 1, |&pair| {
        if pairs.is_apart(pair, &shift(pair), options.clearance) {
            return None;
        }
        let constraint = pairs.constraint(pair, &shift(pair), options.clearance, search);
        // A pair that collides without a depth touches, or its depth could not be computed.
        let depth = constraint.ok().flatten().map_or(0.0, |constraint| constraint.depth);
        Some(Overlap { bodies: pair, depth })
    });
    overlaps.into_iter().flatten().collect()
}

/// The public result of these translations.
fn report(
    pairs: &impl Pairs,
    translations: &[Vector3<f64>],
    rounds: Rounds,
    verified_free: bool,
) -> Separation {
    let total_displacement = translations.iter().map(Vector3::norm).fold(0.0, |sum, norm| sum + norm);
    let squares: f64 = translations.iter().map(Vector3::norm_squared).sum();
    Separation {
        translations: translations.to_vec(),
        total_displacement,
        root_sum_square: squares.sqrt(),
        overlaps: rounds.at_start,
        rounds: rounds.rounds,
        queries: rounds.queries,
        clearance: min_distance(pairs, translations),
        verified_free,
    }
}

/// Minimum distance of all pairs [m].
fn min_distance(pairs: &impl Pairs, translations: &[Vector3<f64>]) -> f64 {
    /// Reach of the first broad phase, in sizes of the smallest body, and the growth of the reach from one to the next.
    /// They trade distance queries of pairs that are too far against repeated broad phases. Half and twice change no
    /// result and not the number of queries (docs/sensitivity.md).
    const REACH: f64 = 0.01;
    const FARTHER: f64 = 8.0;
    let sizes = pairs.bodies().iter().map(|body| body.size).filter(|size| size.is_finite());
    let (min, max) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), size| (a.min(size), b.max(size)));
    let all = broad_phase::near_pairs(pairs, translations, f64::INFINITY).len();
    let mut reach = REACH * min;
    loop {
        let near = broad_phase::near_pairs(pairs, translations, reach);
        let distances = parallel::map_slice(&near, 1, |&pair| {
            let shift = translations[pair[0]] - translations[pair[1]];
            pairs.distance(pair, &shift)
        });
        let found = distances.into_iter().fold(f64::INFINITY, f64::min);
        // A distance beyond the reach may be larger than that of a pair outside of it.
        if found <= reach || near.len() == all || !(max > 0.0) {
            return found;
        }
        reach *= FARTHER;
    }
}
