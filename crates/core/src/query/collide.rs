//! Collision test.

use std::time::Instant;

use super::cache::Cache;
use super::error::QueryError;
use super::options::{CollideOptions, require_non_negative};
use super::pair::{ShapePair, pairs_by_nearness};
use super::posed::Posed;

/// Two parts that collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollidingParts {
    /// Indices of the part of A and of B in [`Posed::parts`]; [`Posed::name`] returns their names.
    pub parts: [usize; 2],
}

/// Whether two shapes have a point in common (touching counts; a solid contains its inside), or are closer than
/// [`CollideOptions::clearance`].
///
/// ```
/// use extricate_core::query::{self, Posed, Shape};
/// use nalgebra::{Isometry3, Vector3};
///
/// let (ball, table) = (Shape::ball(0.1), Shape::cuboid(Vector3::new(1.0, 1.0, 0.1)));
/// let above = Posed::new(&ball, Isometry3::translation(0.3, 0.0, 0.14));
/// assert!(query::collide(&above, &Posed::at_origin(&table), &Default::default())?);
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// [`QueryError`] when a pose or a size is invalid, when the certified bounds of two convex shapes leave it open, and when the time
/// budget is spent before it is known where a mesh takes part.
pub fn collide(a: &Posed, b: &Posed, options: &CollideOptions) -> Result<bool, QueryError> {
    collide_with(a, b, options, &mut Cache::default())
}

/// As [`collide`], starting from the state that the last query of the same shapes left.
///
/// # Errors
/// As [`collide`].
pub fn collide_with(
    a: &Posed,
    b: &Posed,
    options: &CollideOptions,
    cache: &mut Cache,
) -> Result<bool, QueryError> {
    let mut found = false;
    each_colliding(a, b, options, cache, |_| {
        found = true;
        true
    })?;
    Ok(found)
}

/// All pairs of parts that collide, in order: such as the links of a robot with the obstacles they hit.
///
/// # Errors
/// As [`collide`].
pub fn colliding_parts(
    a: &Posed,
    b: &Posed,
    options: &CollideOptions,
) -> Result<Vec<CollidingParts>, QueryError> {
    let mut found = Vec::new();
    each_colliding(a, b, options, &mut Cache::default(), |parts| {
        found.push(CollidingParts { parts });
        false
    })?;
    found.sort_unstable();
    Ok(found)
}

/// Visits the pairs of parts that collide until the visitor returns true.
pub(super) fn each_colliding(
    a: &Posed,
    b: &Posed,
    options: &CollideOptions,
    cache: &mut Cache,
    mut visit: impl FnMut([usize; 2]) -> bool,
) -> Result<(), QueryError> {
    require_non_negative("clearance", options.clearance)?;
    a.check("A")?;
    b.check("B")?;
    let until = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    for (apart, parts) in pairs_by_nearness(a, b) {
        // Pairs are sorted by the lower bound of their distance: all others are farther apart.
        if apart > options.clearance {
            break;
        }
        let pair = ShapePair::new(a.part(parts[0]), b.part(parts[1]));
        let time_budget = until.map(|until| until.saturating_duration_since(Instant::now()));
        let of_pair = CollideOptions { time_budget, ..*options };
        if pair.collides(&of_pair, cache.pair(parts))? && visit(parts) {
            break;
        }
    }
    Ok(())
}
