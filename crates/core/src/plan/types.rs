//! Options, results and errors of motion planning.

use nalgebra::Point3;
use thiserror::Error;

use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::part::CollidingPair;
use crate::penetration::generalized::pose::Pose;

/// Options of motion planning.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// Whether samples in collision are retracted by the generalized penetration.
    pub retraction: bool,
    /// Number of samples after which the search gives up.
    pub max_samples: u32,
    /// Seed of the samples: the same seed gives the same path.
    pub seed: u64,
    /// Clearance along the path \[m\].
    pub clearance: f64,
    /// Maximum √σ of a segment of the trees \[m\]; `None` chooses a quarter of the maximum bounding radius of a link.
    pub step: Option<f64>,
    /// Motion below which a segment is not subdivided further, as a fraction of the maximum bounding radius of a link: pairs
    /// closer than that count as in contact.
    pub resolution: f64,
    /// Corners of the box in which the position of a floating base is sampled \[m\]; `None` chooses one around the
    /// obstacles, the start and the goal.
    pub region: Option<[Point3<f64>; 2]>,
    /// Number of attempts to shorten the path.
    pub shortcuts: u32,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            retraction: true,
            max_samples: 20_000,
            seed: 0,
            clearance: 0.0,
            step: None,
            resolution: 1e-3,
            region: None,
            shortcuts: 200,
        }
    }
}

/// Statistics of a search.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanWork {
    /// Number of samples drawn.
    pub samples: u32,
    /// Number of samples in collision.
    pub overlapping: u32,
    /// Number of samples retracted to a free pose.
    pub retracted: u32,
    /// Number of nodes of the trees of the start and of the goal.
    pub nodes: [usize; 2],
    /// Number of segments tested.
    pub segments: u64,
}

/// A collision-free path.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its poses, from the start to the goal. Between consecutive poses the joint values and the position of the base run
    /// linearly, and the rotation of the base is slerped the short way at constant speed.
    pub path: Vec<Pose>,
    /// Sum of √σ over its segments \[m\].
    pub length: f64,
    /// The same before shortening \[m\].
    pub found_length: f64,
    /// Number of poses along the path at which collision queries of the models found everything free, and the limits satisfied.
    pub checked: usize,
    /// Statistics of the search.
    pub work: PlanWork,
}

/// Partial result of a search that found no path.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialPlan {
    /// A free path from the start to the node of its tree that is nearest to a node of the other tree.
    pub path: Vec<Pose>,
    /// √σ \[m\] between those two nodes.
    pub gap: f64,
    /// Statistics of the search.
    pub work: PlanWork,
}

/// One end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first pose.
    Start,
    /// The last pose.
    Goal,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Goal => "goal",
        })
    }
}

/// Reason for which there is no path.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum PlanError {
    /// The start or the goal overlaps, or is nearer to something than the clearance and the resolution demand.
    #[error("the {end} is not free: {}", describe(pairs, *gap))]
    NotFree {
        /// The end that is not free.
        end: End,
        /// Pairs that overlap there; empty where the end is only too near to something.
        pairs: Vec<CollidingPair>,
        /// Clearance needed \[m\].
        gap: f64,
    },
    /// A joint is beyond its limits at the start or the goal.
    #[error("joint \"{joint}\" is at {value} at the {end}, where {lower} to {upper} are allowed")]
    OutsideLimits {
        /// The end at which it is.
        end: End,
        /// Name of the joint.
        joint: String,
        /// Its value [rad or m].
        value: f64,
        /// Its lower limit.
        lower: f64,
        /// Its upper limit.
        upper: f64,
    },
    /// A fixed base or joint differs between the start and the goal.
    #[error("{what} is fixed, but differs between the start and the goal")]
    Unmoved {
        /// Name of the base or joint.
        what: String,
    },
    /// The collision world has no movable model, or several; the others must be obstacles.
    #[error("a path is planned for exactly one movable model, not for {movables}")]
    ModelCount {
        /// Number of movable models of the collision world.
        movables: usize,
    },
    /// No path was found within the work bounds, which does not prove that there is none.
    #[error("no path was found with {} samples; the trees came within {} m of each other", reached.work.samples, reached.gap)]
    NotFound {
        /// Partial plan.
        reached: Box<PartialPlan>,
    },
    /// The path found does not pass the verification by collision queries.
    #[error("the path found fails the verification by collision queries: {}", describe(pairs, 0.0))]
    Unsound {
        /// Colliding pairs.
        pairs: Vec<CollidingPair>,
    },
    /// A pose does not suit the movable model, or a query failed.
    #[error(transparent)]
    Query(#[from] GeneralizedError),
}

fn describe(pairs: &[CollidingPair], gap: f64) -> String {
    match pairs.len() {
        0 => format!("the clearance is below {gap:.3e} m, the minimum that distinguishes it from a contact"),
        1 => "one pair overlaps".to_owned(),
        count => format!("{count} pairs overlap"),
    }
}
