//! Motion planning: a path from a free pose to another one, among obstacles and with itself, for rigid and articulated
//! models [Tang14 §6.3; Kuffner and LaValle 2000].
//!
//! Two trees grow from the ends towards random samples and towards each other, with the object norm as the metric. A
//! sample that overlaps is *retracted* to the nearest free pose by the generalized penetration, from there or else from
//! the nearest node of the tree; and where something is in the way of a step, the step is, so that trees go on along walls
//! and through narrow passages, where few poses are free. Every segment is proved free for all of its time by bounds of
//! the motion, not by samples of it; what is found is shortened, and checked by collision queries that know nothing of how
//! it was found.
//!
//! Departs from [Tang14]: samples are also drawn near nodes of the trees, and every step is retracted, not only samples;
//! without these few samples of 40 joints gain anything.
//!
//! No path found is not a proof that there is none: the answer is an error, with what was reached.

mod check;
mod retraction;
mod search;
mod segment;
mod shorten;
mod space;
mod sweep;
mod tree;

use nalgebra::Point3;
use thiserror::Error;

use self::search::Search;
use crate::penetration::generalized::{Arrangement, CollidingPair, GeneralizedError, Pose};

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
    /// An option is out of its range.
    #[error("{option} is {value}, but must be {range}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
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

/// A free path of the one mover of an arrangement from `start` to `goal`.
///
/// ```
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_core::penetration::generalized::{Arrangement, Mover, Obstacle, Shape};
/// use extricate_core::plan::{PlanOptions, plan};
/// use nalgebra::{Isometry3, Vector3};
///
/// // A cube round a wall.
/// let cube = Shape::convex(ConvexShape::cuboid(Vector3::repeat(0.2)));
/// let wall = Shape::convex(ConvexShape::cuboid(Vector3::new(0.1, 1.0, 1.0)));
/// let wall = Obstacle { shape: wall, pose: Isometry3::identity() };
/// let arrangement = Arrangement::new(vec![Mover::rigid(cube)?], vec![wall])?;
/// let [start, goal] = [-0.5, 0.5].map(|x| Isometry3::translation(x, 0.0, 0.0).into());
/// let found = plan(&arrangement, &start, &goal, &PlanOptions::default())?;
/// assert_eq!((&found.path[0], &found.path[found.path.len() - 1]), (&start, &goal));
/// assert!(found.length > 1.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PlanError::NotFound`] with what was reached; [`PlanError::NotFree`] and [`PlanError::OutsideLimits`] when an end is
/// no place to be; and others when the arrangement or an option cannot be planned with.
pub fn plan(
    arrangement: &Arrangement,
    start: &Pose,
    goal: &Pose,
    options: &PlanOptions,
) -> Result<Plan, PlanError> {
    check::ends(arrangement, [start, goal], options)?;
    let mut search = Search::new(arrangement, [start, goal], options)?;
    let found = search.run()?;
    search.finish(found)
}

#[cfg(test)]
mod tests;
