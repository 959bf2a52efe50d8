//! Shortening of a path: two of its points are joined by a straight segment wherever that is free and shorter.

use super::motion_validator::MotionValidator;
use super::segment::Segment;
use super::space::Space;
use super::types::PlanError;
use crate::geometry::random::SplitMix64;
use crate::penetration::generalized::pose::Pose;

/// Sum of √σ over the segments of a path [m].
pub(super) fn length(space: &Space<'_>, path: &[Pose]) -> Result<f64, PlanError> {
    path.windows(2).map(|ends| space.distance(&ends[0], &ends[1])).sum()
}

/// The path after a number of random shortcut attempts.
pub(super) fn shorten(
    space: &Space<'_>,
    validator: &mut MotionValidator<'_>,
    numbers: &mut SplitMix64,
    mut path: Vec<Pose>,
    attempts: u32,
) -> Result<Vec<Pose>, PlanError> {
    for _ in 0..attempts {
        if path.len() < 3 {
            break;
        }
        let segments = (path.len() - 1) as f64;
        let (a, b) = (segments * numbers.unit_interval(), segments * numbers.unit_interval());
        let (a, b) = (a.min(b), a.max(b));
        let (first, last) = (a as usize, b as usize);
        if first == last {
            continue;
        }
        let obstacles = space.collision_world.obstacles();
        let point = |at: f64, index: usize| {
            Segment::new(&path[index], &path[index + 1], obstacles).at(at - index as f64)
        };
        let (from, to) = (point(a, first), point(b, last));
        let mut old = space.distance(&from, &path[first + 1])? + space.distance(&path[last], &to)?;
        old += length(space, &path[first + 1..=last])?;
        let is_shorter = space.distance(&from, &to)? < SHORTER * old;
        if is_shorter && validator.free_until(&Segment::new(&from, &to, obstacles))? >= 1.0 {
            path.splice(first + 1..=last, [from, to]);
        }
    }
    Ok(path)
}

/// A shortcut must be shorter than this fraction of what it replaces: otherwise it gains nothing but nodes.
const SHORTER: f64 = 0.999;
