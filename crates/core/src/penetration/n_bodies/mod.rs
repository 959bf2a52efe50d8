//! Many overlapping bodies taken apart at once by small translations.
//!
//! Pair by pair, bodies that overlap would be pushed out of one neighbour into the next. Here all pairs ask at once:
//! each for the plane of its penetration depth, and the least motion of all bodies that satisfies all planes is a
//! quadratic programme [`least_motion`]. Its answer is queried again until nothing overlaps ([`rounds`]); what
//! cannot be taken apart that way is put where there is room ([`rescue`]). Then the bodies go back towards where they
//! started as far as the others let them ([`descent`]).
//!
//! The motion that is kept small is Σ wᵢ ‖tᵢ‖², tᵢ the translation of body i and wᵢ its weight; or Σ wᵢ ‖tᵢ‖ ([`Measure`]).

mod broad_phase;
mod descent;
mod least_motion;
pub mod models;
mod rescue;
mod rounds;
pub mod source;

use std::cmp::Ordering;

use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;
use thiserror::Error;

use self::models::Models;
use self::rounds::Rounds;
use self::source::{Demand, Pairs};
use super::{Effort, PenetrationError};
use crate::proximity::Model;

/// A body that shall be taken apart from others.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// Its shape.
    pub model: &'a Model,
    /// Body → world.
    pub pose: Isometry3<f64>,
    /// Whether it stays where it is.
    pub fixed: bool,
    /// How dear its motion is: of two bodies that are pushed apart one with twice the weight moves half as far.
    pub weight: f64,
}

impl<'a> Body<'a> {
    /// A body that may move, of weight one.
    #[must_use]
    pub fn new(model: &'a Model, pose: Isometry3<f64>) -> Self {
        Self { model, pose, fixed: false, weight: 1.0 }
    }

    /// A body that stays where it is.
    #[must_use]
    pub fn fixed(model: &'a Model, pose: Isometry3<f64>) -> Self {
        Self { model, pose, fixed: true, weight: 1.0 }
    }
}

/// Which motion of many bodies counts as small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Σ w‖t‖²: all bodies share in the motion, and none goes far.
    #[default]
    Squares,
    /// Σ w‖t‖: the total displacement; fewer bodies move, some of them farther.
    Lengths,
}

/// Options of a separation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparationOptions {
    /// How much work to do. `Fast` looks at each pair once, with one walk. `Best` begins from thorough pair queries as well
    /// and keeps what ends better, then lets single bodies leap to nearer places.
    pub effort: Effort,
    /// What is kept small.
    pub measure: Measure,
    /// Distance that bodies shall keep [m]; zero for a gap at the limit of rounding.
    pub clearance: f64,
    /// Distance that no body may be moved beyond [m], if any.
    pub max_move: Option<f64>,
    /// Rounds of pair queries and least motions.
    pub max_rounds: u32,
    /// Moves of all bodies back towards where they started, once they are apart.
    pub max_moves: u32,
}

impl Default for SeparationOptions {
    fn default() -> Self {
        Self {
            effort: Effort::Fast,
            measure: Measure::Squares,
            clearance: 0.0,
            max_move: None,
            max_rounds: 40,
            max_moves: 12,
        }
    }
}

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Indices of the bodies, in order.
    pub bodies: [usize; 2],
    /// Length of a translation that takes them apart [m]; minus their distance where they are apart, but nearer than
    /// the clearance.
    pub depth: f64,
}

impl Overlap {
    fn of(bodies: [usize; 2], demand: &Demand) -> Self {
        Self { bodies, depth: demand.depth }
    }
}

/// Bodies taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// Translation of each body [m, world]; exactly zero for fixed ones.
    pub translations: Vec<Vector3<f64>>,
    /// Σ ‖tᵢ‖ [m].
    pub total_displacement: f64,
    /// √(Σ ‖tᵢ‖²) [m].
    pub root_sum_square: f64,
    /// Overlaps at the start, sorted.
    pub overlaps: Vec<Overlap>,
    /// Rounds made.
    pub rounds: u32,
    /// Pair queries made.
    pub queries: u64,
    /// Least distance of two bodies of which not both are fixed [m]; infinite where there is one body only.
    pub clearance: f64,
    /// Whether an independent query found every pair apart where the bodies go.
    pub verified_free: bool,
}

/// Why bodies could not be taken apart.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum SeparationError {
    /// A pose has a component that is not finite.
    #[error("the pose of body {body} is not finite: {pose}")]
    PoseNotFinite {
        /// Index of the body.
        body: usize,
        /// The pose.
        pose: Isometry3<f64>,
    },
    /// A weight is no weight.
    #[error("the weight of body {body} is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Index of the body.
        body: usize,
        /// The weight.
        weight: f64,
    },
    /// A distance of the options makes no sense.
    #[error("the {what} is {value} m, but must be finite and not below 0")]
    BadDistance {
        /// Which one.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// Two fixed bodies overlap: no motion of others helps.
    #[error("the fixed bodies {} and {} overlap", .bodies[0], .bodies[1])]
    FixedOverlap {
        /// Indices of the bodies.
        bodies: [usize; 2],
    },
    /// The penetration of a pair could not be established.
    #[error("bodies {} and {}: {source}", .bodies[0], .bodies[1])]
    Pair {
        /// Indices of the bodies.
        bodies: [usize; 2],
        /// Why.
        source: PenetrationError,
    },
    /// No translations were found that take all bodies apart.
    #[error("{} pairs still overlap in the best arrangement found", .overlaps.len())]
    NotSeparated {
        /// The best arrangement found.
        best: Box<Separation>,
        /// What overlaps in it, sorted.
        overlaps: Vec<Overlap>,
    },
    /// A body would have to move farther than the options allow.
    #[error("body {body} would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Index of the body that moves farthest.
        body: usize,
        /// How far [m].
        distance: f64,
        /// How far it may [m].
        limit: f64,
        /// The arrangement.
        best: Box<Separation>,
    },
}

/// Times that bodies leap, and all go back after them, in a thorough search.
const LEAPS: u32 = 3;

/// Small translations after which no two of the bodies overlap; fixed ones do not move.
///
/// Bodies that overlap nothing move only where others push them. Where nothing overlaps all translations are zero.
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
/// // The outer two give way, the one in the middle stays.
/// assert!((found.translations[0].x + 0.4).abs() < 1e-6);
/// assert!(found.translations[1].x.abs() < 1e-6);
/// assert!((found.translations[2].x - 0.4).abs() < 1e-6);
/// assert!(found.verified_free);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SeparationError`], with the best arrangement found where no separating one was.
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

/// As [`separate`], of whatever the bodies are.
pub fn separate_pairs(
    pairs: &impl Pairs,
    options: &SeparationOptions,
) -> Result<Separation, SeparationError> {
    check_distance("clearance", options.clearance)?;
    check_distance("greatest motion", options.max_move.unwrap_or(0.0))?;
    let efforts: &[Effort] = match options.effort {
        Effort::Fast => &[Effort::Fast],
        Effort::Best => &[Effort::Fast, Effort::Best],
    };
    let mut best: Option<Arrangement> = None;
    let mut queries = 0;
    for &effort in efforts {
        let found = arrange(pairs, &SeparationOptions { effort, ..*options })?;
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
    let found = told(pairs, &best.translations, Rounds { queries, ..best.rounds }, is_free);
    if !is_free {
        let overlaps = best.overlaps;
        return Err(SeparationError::NotSeparated { best: Box::new(found), overlaps });
    }
    within_limit(found, options)
}

/// Where the bodies go, and what overlaps there by the independent check.
struct Arrangement {
    translations: Vec<Vector3<f64>>,
    overlaps: Vec<Overlap>,
    cost: f64,
    rounds: Rounds,
}

impl Arrangement {
    fn is_better_than(&self, other: &Self) -> bool {
        match self.overlaps.len().cmp(&other.overlaps.len()) {
            Ordering::Equal => self.cost < other.cost,
            order => order.is_lt(),
        }
    }
}

/// Rounds, rescue and the way back.
fn arrange(pairs: &impl Pairs, options: &SeparationOptions) -> Result<Arrangement, SeparationError> {
    let mut translations = vec![Vector3::zeros(); pairs.bodies().len()];
    let mut rounds = rounds::relax(pairs, options, &mut translations)?;
    if !rounds.at_end.is_empty() {
        rounds.queries += rescue::free_one_by_one(pairs, options, &rounds.at_end, &mut translations);
    }
    let overlaps = still_overlapping(pairs, options, &translations);
    let cost = descent::cost(pairs, options.measure, &translations);
    let mut found = Arrangement { translations, overlaps, cost, rounds };
    if found.overlaps.is_empty() && found.rounds.rounds > 0 {
        let mut nearer = found.translations.clone();
        found.rounds.queries += descend(pairs, options, &mut nearer);
        found.take(pairs, options, nearer);
    }
    Ok(found)
}

impl Arrangement {
    /// Takes other translations in the place of its own if they are verified free and better.
    fn take(&mut self, pairs: &impl Pairs, options: &SeparationOptions, other: Vec<Vector3<f64>>) {
        let cost = descent::cost(pairs, options.measure, &other);
        if cost < self.cost && still_overlapping(pairs, options, &other).is_empty() {
            (self.translations, self.cost) = (other, cost);
        }
    }
}

/// The way back by squares, which bring all bodies nearer, then by the measure asked for; answers the queries made.
fn descend(pairs: &impl Pairs, options: &SeparationOptions, translations: &mut Vec<Vector3<f64>>) -> u64 {
    let queries = descent::descend(pairs, options, Measure::Squares, translations);
    match options.measure {
        Measure::Squares => queries,
        measure => queries + descent::descend(pairs, options, measure, translations),
    }
}

/// Leaps of single bodies, and the way back of all after them, in turn; answers the queries made.
fn leaps(pairs: &impl Pairs, options: &SeparationOptions, found: &mut Arrangement) -> u64 {
    let mut queries = 0;
    for _ in 0..LEAPS {
        let mut other = found.translations.clone();
        let (leapt, asked) = rescue::leap(pairs, options, &mut other);
        queries += asked;
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

/// The independent check: every pair by a collision query where the bodies go, or by a distance query where they shall
/// keep one; of those that fail, how deep.
fn still_overlapping(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &[Vector3<f64>],
) -> Vec<Overlap> {
    let near = broad_phase::near_pairs(pairs, translations, options.clearance);
    let shift = |pair: [usize; 2]| translations[pair[0]] - translations[pair[1]];
    let search = source::Search { effort: Effort::Fast, free: None };
    let overlaps = near.par_iter().filter_map(|&pair| {
        if pairs.is_apart(pair, &shift(pair), options.clearance) {
            return None;
        }
        let demand = pairs.demand(pair, &shift(pair), options.clearance, search);
        // A pair that collides and has no depth touches, or its depth is not known.
        let depth = demand.ok().flatten().map_or(0.0, |demand| demand.depth);
        Some(Overlap { bodies: pair, depth })
    });
    overlaps.collect()
}

fn told(
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
        clearance: least_distance(pairs, translations),
        verified_free,
    }
}

/// Least distance of all pairs [m].
fn least_distance(pairs: &impl Pairs, translations: &[Vector3<f64>]) -> f64 {
    /// Reach of the first look, in sizes of the smallest body; each further look reaches so many times as far.
    const REACH: f64 = 0.01;
    const FARTHER: f64 = 8.0;
    let sizes = pairs.bodies().iter().map(|body| body.size).filter(|size| size.is_finite());
    let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), size| (a.min(size), b.max(size)));
    let all = broad_phase::near_pairs(pairs, translations, f64::INFINITY).len();
    let mut reach = REACH * least;
    loop {
        let near = broad_phase::near_pairs(pairs, translations, reach);
        let distances = near.par_iter().map(|&pair| {
            let shift = translations[pair[0]] - translations[pair[1]];
            pairs.distance(pair, &shift)
        });
        let found = distances.collect::<Vec<_>>().into_iter().fold(f64::INFINITY, f64::min);
        if found <= reach || near.len() == all || !(most > 0.0) {
            return found;
        }
        reach *= FARTHER;
    }
}
