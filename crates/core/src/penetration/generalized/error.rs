//! Errors of generalized penetration queries.

use thiserror::Error;

use super::constraint_error::ConstraintError;
use super::options::{GeneralizedPenetration, GeneralizedSource};
use super::part::CollidingPair;
use crate::kinematics::error::RobotError;
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;

/// Reason for which there is no generalized penetration.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum GeneralizedError {
    /// The shapes of a movable model have no object norm, or the translational query that the search for a rigid motion starts
    /// from failed.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// An option is out of its range, or the number of poses differs from that of the movable models.
    #[error(transparent)]
    Proximity(#[from] ProximityError),
    /// The links and joints of a movable model, or its configuration, are invalid.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// A rigid body without a shape.
    #[error("movable model {movable} has no shape")]
    NoShape {
        /// The movable model, counted from 0.
        movable: usize,
    },
    /// A joint weight that is not positive and finite.
    #[error("invalid weight of \"{joint}\": {weight}, but must be above zero and finite")]
    Weight {
        /// The joint.
        joint: String,
        /// The weight.
        weight: f64,
    },
    /// No value of a joint satisfies its own limits and those of the joints that mimic it.
    #[error(
        "contradictory limits: no value of joint \"{joint}\" satisfies the limits of all joints that mimic it"
    )]
    NoValueWithinLimits {
        /// The joint.
        joint: String,
    },
    /// A pose with a component that is not finite.
    #[error("the pose of movable model {movable} is not finite")]
    NotFinite {
        /// The movable model, counted from 0.
        movable: usize,
    },
    /// Motion coherence as the only start, without any stored pose.
    #[error("no start for motion coherence: no free pose of an earlier query is stored")]
    NothingRemembered,
    /// The only source of starts allowed finds none here.
    #[error("the start `{start}` finds no configuration to descend from")]
    StartFailed {
        /// The source.
        start: GeneralizedSource,
    },
    /// A constraint that does not suit the movable models.
    #[error("invalid constraint \"{constraint}\": {why}")]
    InvalidConstraint {
        /// Its name.
        constraint: String,
        /// The fault.
        why: &'static str,
    },
    /// No poses were found at which a constraint holds.
    #[error("the constraint \"{}\" does not hold: it is off by {} m and {} rad at the nearest poses found", .0.name, .0.length, .0.angle)]
    Constraint(ConstraintError),
    /// No collision-free pose was found within the work bounds; it may not exist.
    #[error("no collision-free pose was found; {} pairs still collide{}", still.len(), because(&best.immobilised_by))]
    NotFound {
        /// The best effort: its overlaps are the smallest found.
        best: Box<GeneralizedPenetration>,
        /// Pairs that still collide at the best effort.
        still: Vec<CollidingPair>,
    },
    /// The nearest collision-free pose found is too far away.
    #[error("the nearest collision-free pose found is {} m away, but at most {max_move} m is accepted", best.depth)]
    TooFar {
        /// The pose that was found.
        best: Box<GeneralizedPenetration>,
        /// Maximum accepted √σ \[m\].
        max_move: f64,
    },
}

/// The constraints that leave parts no freedom to separate, as a sentence; `None` without any.
#[must_use]
pub fn immobilised(by: &[String]) -> Option<String> {
    let names: Vec<String> = by.iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("{} leaves them no freedom to separate", names[0])),
        _ => Some(format!("{} leave them no freedom to separate", names.join(", "))),
    }
}

/// That sentence as the end of a message.
fn because(by: &[String]) -> String {
    immobilised(by).map(|why| format!("; {why}")).unwrap_or_default()
}
