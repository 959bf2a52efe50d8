//! Motion planning: a collision-free path from a free pose to another one, among obstacles and without self-collision, for
//! rigid and articulated models [Tang14 §6.3; Kuffner and LaValle 2000].
//!
//! Bidirectional rapidly exploring random trees (RRT-Connect): two trees grow from the ends towards random samples and towards
//! each other, with the object norm as the metric. A sample in collision is *retracted* to the nearest free pose by the
//! generalized penetration, from the sample or else from the nearest node of the tree; where an obstacle blocks a step, the
//! step is retracted too, so that trees continue along walls and through narrow passages, where few poses are free. Every
//! segment is proved free for all of its time by bounds of the motion, not by samples of it; the path found is shortened,
//! and verified by collision queries that are independent of the search.
//!
//! Where samples have not led to a path, poses in narrow places between the trees are drawn, from which trees of their own grow
//! out to both sides (`passages`): holes hardly wider than the model are so passed.
//!
//! Departs from \[Tang14\]: samples are also drawn near nodes of the trees, and every step is retracted, not only samples;
//! without these few samples of 40 joints make progress.
//!
//! A failed search does not prove that no path exists: the result is an error, with the partial plan.

mod check;
mod link_speeds;
mod motion_validator;
mod passages;
mod retraction;
mod search;
mod segment;
mod shorten;
mod space;
mod tree;
mod types;

pub use self::types::{End, PartialPlan, Plan, PlanError, PlanOptions, PlanWork};

use self::search::BidirectionalSearch;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::pose::Pose;

/// Plans a free path of the only movable model of a collision world from `start` to `goal`.
///
/// ```
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_core::penetration::generalized::{CollisionWorld, MovableModel, Obstacle, Shape};
/// use extricate_core::plan::{PlanOptions, plan};
/// use nalgebra::{Isometry3, Vector3};
///
/// // A cube round a wall.
/// let cube = Shape::convex(ConvexShape::cuboid(Vector3::repeat(0.2)));
/// let wall = Shape::convex(ConvexShape::cuboid(Vector3::new(0.1, 1.0, 1.0)));
/// let wall = Obstacle { shape: wall, pose: Isometry3::identity() };
/// let world = CollisionWorld::new(vec![MovableModel::rigid(cube)?], vec![wall])?;
/// let [start, goal] = [-0.5, 0.5].map(|x| Isometry3::translation(x, 0.0, 0.0).into());
/// let found = plan(&world, &start, &goal, &PlanOptions::default())?;
/// assert_eq!((&found.path[0], &found.path[found.path.len() - 1]), (&start, &goal));
/// assert!(found.length > 1.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PlanError::NotFound`] with the partial plan; [`PlanError::NotFree`] and [`PlanError::OutsideLimits`] when an end is
/// invalid; and others when the collision world or an option does not suit planning.
pub fn plan(
    collision_world: &CollisionWorld,
    start: &Pose,
    goal: &Pose,
    options: &PlanOptions,
) -> Result<Plan, PlanError> {
    check::ends(collision_world, [start, goal], options)?;
    let mut search = BidirectionalSearch::new(collision_world, [start, goal], options)?;
    let found = search.run()?;
    search.finish(found)
}

#[cfg(test)]
mod tests;
