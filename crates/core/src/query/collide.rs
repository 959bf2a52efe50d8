//! Collision.

use super::cache::Cache;
use super::error::QueryError;
use super::options::{CollideOptions, at_least_zero};
use super::pair::{Pair, pairs_by_nearness};
use super::posed::Posed;

/// Two parts that collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollidingParts {
    /// Which part of A and of B, as counted by [`Posed::parts`]; [`Posed::name`] has their names.
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
/// [`QueryError`] when a pose or a size is none, and when the certified bounds of two convex shapes leave it open.
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

/// All pairs of parts that collide, in order: the links of a robot with what they hit.
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

/// Visits the pairs of parts that collide until the visitor says that it is enough.
pub(super) fn each_colliding(
    a: &Posed,
    b: &Posed,
    options: &CollideOptions,
    cache: &mut Cache,
    mut visit: impl FnMut([usize; 2]) -> bool,
) -> Result<(), QueryError> {
    at_least_zero("clearance", options.clearance)?;
    a.check("A")?;
    b.check("B")?;
    for (apart, parts) in pairs_by_nearness(a, b) {
        if apart > options.clearance {
            break;
        }
        let pair = Pair::new(a.part(parts[0]), b.part(parts[1]));
        if pair.collides(options.clearance, cache.pair(parts))? && visit(parts) {
            break;
        }
    }
    Ok(())
}
