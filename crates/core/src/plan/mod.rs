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
mod types;

pub use self::types::{End, Plan, PlanError, PlanOptions, PlanWork, Reached};

use self::search::Search;
use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::pose::Pose;

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
