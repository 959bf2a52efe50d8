//! Options, answers and errors of planning.

use nalgebra::Point3;
use thiserror::Error;

use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::part::CollidingPair;
use crate::penetration::generalized::pose::Pose;

/// Options of a search for a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// Whether samples that overlap are retracted by the generalized penetration.
    pub retraction: bool,
    /// Samples after which the search gives up.
    pub max_samples: u32,
    /// Seed of the samples: the same seed gives the same path.
    pub seed: u64,
    /// Gap that is kept on the way [m].
    pub clearance: f64,
    /// Greatest √σ of a segment of the trees [m]; `None` chooses a quarter of the greatest radius of a link.
    pub step: Option<f64>,
    /// Motion below which a segment is not looked at more closely, as a share of the greatest radius of a link: what comes
    /// nearer than that is taken for a contact.
    pub resolution: f64,
    /// Corners of the box in which the position of a floating base is sampled [m]; `None` chooses one around the
    /// obstacles, the start and the goal.
    pub region: Option<[Point3<f64>; 2]>,
    /// Attempts to shorten the path.
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

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanWork {
    /// Samples that were drawn.
    pub samples: u32,
    /// Those of them that overlapped.
    pub overlapping: u32,
    /// Samples that were retracted to a free pose.
    pub retracted: u32,
    /// Nodes of the trees of the start and of the goal.
    pub nodes: [usize; 2],
    /// Segments that were looked at.
    pub segments: u64,
}

/// A path that is free.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its poses, from the start to the goal. From one to the next every joint's value and the position of the base run
    /// linearly, and the rotation of the base the short way at constant speed.
    pub path: Vec<Pose>,
    /// Sum of √σ of its segments [m].
    pub length: f64,
    /// The same before it was shortened [m].
    pub found_length: f64,
    /// Poses along the path at which collision queries of the models found everything free, and the limits kept.
    pub checked: usize,
    /// What the search did.
    pub work: PlanWork,
}

/// What a search that found no path reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// A free path from the start to the node of its tree that is nearest to a node of the other tree.
    pub path: Vec<Pose>,
    /// √σ [m] between those two nodes.
    pub gap: f64,
    /// What the search did.
    pub work: PlanWork,
}

/// One end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where it begins.
    Start,
    /// Where it is to end.
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

/// Why there is no path.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum PlanError {
    /// The start or the goal overlaps, or is nearer to something than the clearance and the resolution ask.
    #[error("the {end} is not free: {}", told(pairs, *gap))]
    NotFree {
        /// Which of the two.
        end: End,
        /// What overlaps there; nothing where it only comes too near.
        pairs: Vec<CollidingPair>,
        /// The gap that is needed [m].
        gap: f64,
    },
    /// A joint is beyond its limits at the start or the goal.
    #[error("joint \"{joint}\" is at {value} at the {end}, where {lower} to {upper} are allowed")]
    OutsideLimits {
        /// Which of the two.
        end: End,
        /// The joint.
        joint: String,
        /// Its value [rad or m].
        value: f64,
        /// The lower limit.
        lower: f64,
        /// The upper limit.
        upper: f64,
    },
    /// Something that stays where it is has another place at the goal: a fixed base, or a joint that is fixed.
    #[error("{what} stays where it is, but is elsewhere at the goal")]
    Unmoved {
        /// What does.
        what: String,
    },
    /// The arrangement has no mover, or several; the others must be obstacles.
    #[error("a path is planned for one mover, not for {movers}")]
    Movers {
        /// Movers of the arrangement.
        movers: usize,
    },
    /// No path was found within the bounds of work, which does not prove that there is none.
    #[error("no path was found with {} samples; the trees came within {} m of each other", reached.work.samples, reached.gap)]
    NotFound {
        /// What was reached.
        reached: Box<Reached>,
    },
    /// A path that was found did not pass the check by collision queries.
    #[error("the path that was found does not pass the check by collision queries: {}", told(pairs, 0.0))]
    Unsound {
        /// What collides.
        pairs: Vec<CollidingPair>,
    },
    /// A pose is none of the mover, or a query failed.
    #[error(transparent)]
    Query(#[from] GeneralizedError),
}

fn told(pairs: &[CollidingPair], gap: f64) -> String {
    match pairs.len() {
        0 => format!("something is nearer than {gap:.3e} m, which is needed to tell it from a contact"),
        1 => "one pair overlaps".to_owned(),
        count => format!("{count} pairs overlap"),
    }
}
