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
/// budget is spent before it is known where a mesh takes part; without one, when the default bound on work of two meshes is.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nalgebra::{Isometry3, Vector3};

    use super::*;
    use crate::proximity::{ProximityError, shapes};
    use crate::query::{DistanceOptions, Shape, distance};

    #[test]
    fn without_a_time_budget_queries_of_meshes_end_at_their_bounds_on_work() {
        // Thousands of sheets, a picometre apart, and as many between them: nearer to each other than boxes in single precision resolve.
        let stack = |height: f64| {
            let sheets = shapes::layers(8000, 1e3 * height).scaled(&Vector3::new(1.0, 1.0, 1e-3)).unwrap();
            Shape::surface(sheets)
        };
        let (a, b) = (stack(0.0), stack(0.5e-12));
        let (a, b) = (Posed::at_origin(&a), Posed::at_origin(&b));
        let ask = |clearance, time_budget| collide(&a, &b, &CollideOptions { clearance, time_budget });
        for clearance in [0.0, 1e-14] {
            let found = ask(clearance, None);
            assert!(
                matches!(found, Err(QueryError::Proximity(ProximityError::OutOfWork { pairs })) if pairs > 1 << 20),
                "{found:?}"
            );
            let late = ask(clearance, Some(Duration::from_millis(1)));
            assert!(matches!(late, Err(QueryError::Proximity(ProximityError::OutOfTime { .. }))), "{late:?}");
        }
        let found = distance(&a, &b, &DistanceOptions::default());
        assert!(matches!(found, Err(QueryError::Proximity(ProximityError::OutOfWork { .. }))), "{found:?}");
        // A pair within the clearance is found at once.
        assert!(ask(1e-12, None).unwrap());
    }

    #[test]
    fn a_distance_of_many_nearly_equal_pairs_is_known_between_bounds() {
        let stack = |height: f64| Shape::surface(shapes::layers(8000, height));
        let (a, b) = (stack(0.0), stack(0.5e-9));
        let pose = Isometry3::identity();
        let found =
            distance(&Posed::new(&a, pose), &Posed::new(&b, pose), &DistanceOptions::default()).unwrap();
        assert!(found.lower_bound <= 0.5e-9 && found.upper_bound >= 0.5e-9 * (1.0 - 1e-6), "{found:?}");
        assert!(found.lower_bound < found.value && found.value <= found.upper_bound, "{found:?}");
    }
}
