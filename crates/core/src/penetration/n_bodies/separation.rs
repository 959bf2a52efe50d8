//! Bodies, overlaps, options, results and errors of the separation of many bodies.

use nalgebra::{Isometry3, Vector3};
use thiserror::Error;

use super::source::PairConstraint;
use crate::penetration::error::PenetrationError;
use crate::penetration::translational::options::Effort;
use crate::proximity::model::Model;

/// A body to be separated from others.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// Its shape.
    pub model: &'a Model,
    /// Body → world.
    pub pose: Isometry3<f64>,
    /// Whether it is fixed.
    pub fixed: bool,
    /// Weight of its displacement: of two bodies that are pushed apart, one with twice the weight moves half as far.
    pub weight: f64,
}

impl<'a> Body<'a> {
    /// A movable body of weight one.
    #[must_use]
    pub fn new(model: &'a Model, pose: Isometry3<f64>) -> Self {
        Self { model, pose, fixed: false, weight: 1.0 }
    }

    /// A fixed body.
    #[must_use]
    pub fn fixed(model: &'a Model, pose: Isometry3<f64>) -> Self {
        Self { model, pose, fixed: true, weight: 1.0 }
    }
}

/// Objective of a separation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DisplacementMeasure {
    /// Σ w‖t‖²: the motion is distributed over all bodies, and none moves far.
    #[default]
    Squares,
    /// Σ w‖t‖: the total displacement; fewer bodies move, some of them farther.
    Lengths,
}

/// Options of a separation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparationOptions {
    /// Amount of work. `Fast` queries each pair with one walk. `Best` also starts from thorough pair queries and returns the
    /// better result, then lets single bodies leap to nearer free positions.
    pub effort: Effort,
    /// The objective that is minimised.
    pub measure: DisplacementMeasure,
    /// Minimum distance of the separated bodies \[m\]; zero for a gap at the limit of rounding.
    pub clearance: f64,
    /// Maximum displacement of a body \[m\], if any.
    pub max_move: Option<f64>,
    /// Maximum number of rounds of pair queries and minimum motions.
    pub max_iterations: u32,
    /// Maximum number of moves of all bodies back towards their initial positions, once they are separated.
    pub max_moves: u32,
}

impl Default for SeparationOptions {
    fn default() -> Self {
        Self {
            effort: Effort::Fast,
            measure: DisplacementMeasure::Squares,
            clearance: 0.0,
            max_move: None,
            max_iterations: 40,
            max_moves: 12,
        }
    }
}

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Indices of the bodies, in order.
    pub bodies: [usize; 2],
    /// Length of a translation that separates them \[m\]; minus the distance of bodies that are separated by less than the
    /// clearance.
    pub depth: f64,
}

impl Overlap {
    pub(super) fn of(bodies: [usize; 2], constraint: &PairConstraint) -> Self {
        Self { bodies, depth: constraint.depth }
    }
}

/// Result of a separation.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// Translation of each body [m, world]; exactly zero for fixed ones.
    pub translations: Vec<Vector3<f64>>,
    /// Σ ‖tᵢ‖ \[m\].
    pub total_displacement: f64,
    /// √(Σ ‖tᵢ‖²) \[m\].
    pub root_sum_square: f64,
    /// Overlaps at the start, sorted.
    pub overlaps: Vec<Overlap>,
    /// Number of rounds.
    pub rounds: u32,
    /// Number of pair queries.
    pub queries: u64,
    /// Minimum distance of two bodies of which not both are fixed \[m\]; infinite for a single body.
    pub clearance: f64,
    /// Whether an independent query found every pair separated at the final positions.
    pub verified_free: bool,
}

/// Reasons that bodies could not be separated.
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
    /// A weight is not positive and finite.
    #[error("the weight of body {body} is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Index of the body.
        body: usize,
        /// The weight.
        weight: f64,
    },
    /// A distance of the options is negative or not finite.
    #[error("the {what} is {value} m, but must be finite and not below 0")]
    BadDistance {
        /// Name of the option.
        what: &'static str,
        /// Its value \[m\].
        value: f64,
    },
    /// Two fixed bodies overlap, which no motion of others can resolve.
    #[error("the fixed bodies {} and {} overlap", .bodies[0], .bodies[1])]
    FixedOverlap {
        /// Indices of the bodies.
        bodies: [usize; 2],
    },
    /// The penetration of a pair could not be computed.
    #[error("bodies {} and {}: {source}", .bodies[0], .bodies[1])]
    Pair {
        /// Indices of the bodies.
        bodies: [usize; 2],
        /// Its error.
        source: PenetrationError,
    },
    /// No translations were found that separate all bodies.
    #[error("no separation found: {} pairs still overlap in the best one", .overlaps.len())]
    NotSeparated {
        /// The best result found.
        best: Box<Separation>,
        /// Its overlaps, sorted.
        overlaps: Vec<Overlap>,
    },
    /// A body would have to move farther than the options allow.
    #[error("body {body} would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Index of the body that moves farthest.
        body: usize,
        /// Its displacement \[m\].
        distance: f64,
        /// Maximum displacement of the options \[m\].
        limit: f64,
        /// The separation found.
        best: Box<Separation>,
    },
}
