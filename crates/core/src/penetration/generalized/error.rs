//! Why there is no generalized penetration.

use thiserror::Error;

use super::options::{GeneralizedPenetration, GeneralizedSource};
use super::part::CollidingPair;
use crate::kinematics::error::RobotError;
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;

/// Why there is no generalized penetration.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum GeneralizedError {
    /// A mover's shapes have no object norm, or the translational query that the search for a rigid motion starts from
    /// failed.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// An option is out of its range, or there are more or fewer poses than movers.
    #[error(transparent)]
    Proximity(#[from] ProximityError),
    /// The links and joints of a mover, or a configuration of it, are none.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// A rigid body has no shape.
    #[error("mover {mover} has no shape")]
    NoShape {
        /// The mover, counted from 0.
        mover: usize,
    },
    /// A weight is not positive and finite.
    #[error("the weight of \"{joint}\" is {weight}, but must be above zero and finite")]
    Weight {
        /// The joint.
        joint: String,
        /// The weight.
        weight: f64,
    },
    /// A joint and those that follow it have no value within all their limits.
    #[error("no value of joint \"{joint}\" keeps the limits of all joints that follow it")]
    NoValueWithinLimits {
        /// The joint.
        joint: String,
    },
    /// A pose holds a number that is not finite.
    #[error("the pose of mover {mover} is not finite")]
    NotFinite {
        /// The mover, counted from 0.
        mover: usize,
    },
    /// Motion coherence is asked for where nothing is remembered.
    #[error("no pose that was free is remembered")]
    NothingRemembered,
    /// The one source of starts that was asked for finds none here.
    #[error("the start `{start}` finds no configuration to descend from")]
    StartFailed {
        /// The source.
        start: GeneralizedSource,
    },
    /// Nothing that moves can be moved out: no pose without overlaps was found within the bounds of work.
    #[error("no pose without overlaps was found; {} pairs still collide", still.len())]
    NotFound {
        /// The best effort: its overlaps are the smallest found.
        best: Box<GeneralizedPenetration>,
        /// What still collides there.
        still: Vec<CollidingPair>,
    },
    /// The nearest pose without overlaps that was found is too far.
    #[error("the nearest pose without overlaps that was found is {} m away, where at most {most} m are allowed", best.depth)]
    TooFar {
        /// The pose that was found.
        best: Box<GeneralizedPenetration>,
        /// The greatest √σ that was allowed [m].
        most: f64,
    },
}
