//! Bodies, overlaps, options, answers and errors of the separation of many bodies.

use nalgebra::{Isometry3, Vector3};
use thiserror::Error;

use super::source::Demand;
use crate::penetration::error::PenetrationError;
use crate::penetration::translational::options::Effort;
use crate::proximity::model::Model;

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
    pub max_iterations: u32,
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
    /// Length of a translation that takes them apart [m]; minus their distance where they are apart, but nearer than
    /// the clearance.
    pub depth: f64,
}

impl Overlap {
    pub(super) fn of(bodies: [usize; 2], demand: &Demand) -> Self {
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
