//! Distance and signed distance.

use std::time::Instant;

use nalgebra::Point3;

use super::cache::Cache;
use super::convex_mesh_in_norm::mixed_gap_in_norm;
use super::error::QueryError;
use super::gap_in_norm::gap_in_norm;
use super::options::{DistanceOptions, PenetrationOptions, convex, require_non_negative};
use super::pair::{ShapePair, pairs_by_nearness};
use super::penetration::penetration_with;
use super::posed::Posed;
use crate::geometry::Norm;
use crate::proximity;

/// Distance of two shapes [m, world].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The distance \[m\], in the norm of the query; zero where the shapes collide, or minus the penetration depth where it is signed.
    pub value: f64,
    /// Proved lower bound \[m\].
    pub lower_bound: f64,
    /// Proved upper bound \[m\].
    pub upper_bound: f64,
    /// A point of A and one of B [m, world]: the closest points of shapes that are apart. Where shapes collide, points of
    /// both in the overlap; of a signed distance those that touch after the separating translation of A.
    pub points: [Point3<f64>; 2],
    /// Indices of the part of A and of B in [`Posed::parts`].
    pub parts: [usize; 2],
}

/// The distance of two shapes; zero where they collide. For several parts that of the nearest pair. There is no limit: only
/// [`distance_up_to`] has one.
///
/// ```
/// use extricate_core::geometry::procedural::{Procedural, Torus};
/// use extricate_core::query::{self, Posed, Shape};
/// use nalgebra::Isometry3;
///
/// // A ball in the middle of a ring, without a tessellation of either side.
/// let ring = Shape::mesh(Torus { major_radius: 1.0, minor_radius: 0.25, ..Torus::default() }.mesh()?);
/// let ball = Shape::ball(0.5);
/// let found = query::distance(&Posed::at_origin(&ball), &Posed::at_origin(&ring), &Default::default())?;
/// assert!((found.value - 0.25).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where the time budget, or the default bound on work, is spent after two meshes are known to be apart, the value is that of the nearest
/// pair of triangles that was found and the lower bound that of all pairs that were not visited.
///
/// # Errors
/// As [`collide`](super::collide).
pub fn distance(a: &Posed, b: &Posed, options: &DistanceOptions) -> Result<Distance, QueryError> {
    distance_with(a, b, options, &mut Cache::default())
}

/// As [`distance`], starting from the state that the last query of the same shapes left.
///
/// # Errors
/// As [`collide`](super::collide).
#[expect(clippy::missing_panics_doc, reason = "nothing is farther than infinity")]
pub fn distance_with(
    a: &Posed,
    b: &Posed,
    options: &DistanceOptions,
    cache: &mut Cache,
) -> Result<Distance, QueryError> {
    let found = nearest_parts(a, b, DistanceOptions { limit: f64::INFINITY, ..*options }, cache)?;
    Ok(found.expect("nothing is farther than infinity"))
}

/// The distance of two shapes in a norm along the axes of the world, the minimum of the norm of p − q over points p of A and q of B; zero
/// where they collide. The limit of the options does not count. In L1 and L∞ the bounds of a convex shape and another shape agree to 1e-9
/// or to the tolerance of the options, apart from pairs that exhaust the bound on cutting planes; two meshes are as exact as in L2.
///
/// ```
/// use extricate_core::query::{self, Norm, Posed, Shape};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Shape::cuboid(Vector3::repeat(1.0));
/// let there = Posed::new(&cube, Isometry3::translation(4.0, 5.0, 0.0));
/// for (norm, expected) in [(Norm::L1, 7.0), (Norm::L2, 5.0), (Norm::LInf, 4.0)] {
///     let found = query::distance_in_norm(&Posed::at_origin(&cube), &there, norm, &Default::default())?;
///     assert!((found.value - expected).abs() < 1e-8);
/// }
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// As [`distance`].
#[expect(clippy::missing_panics_doc, reason = "a posed shape has at least one part")]
pub fn distance_in_norm(
    a: &Posed,
    b: &Posed,
    norm: Norm,
    options: &DistanceOptions,
) -> Result<Distance, QueryError> {
    if norm == Norm::L2 {
        return distance(a, b, options);
    }
    options.check()?;
    a.check("A")?;
    b.check("B")?;
    let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    let mut best: Option<Distance> = None;
    for (apart, parts) in pairs_by_nearness(a, b) {
        // A vector is at least this much longer in the norm than in L2.
        let nearest = apart * norm.range_on_sphere()[0];
        if best.is_some_and(|best| nearest > best.value) {
            continue;
        }
        let time_budget = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let limit = best.map_or(f64::INFINITY, |best| best.value);
        let wanted = DistanceOptions { time_budget, limit, ..*options };
        let pair = ShapePair::new(a.part(parts[0]), b.part(parts[1]));
        let found = match pair {
            ShapePair::Convex(pair) => Some(gap_in_norm(&pair, norm, &wanted)?),
            ShapePair::Mixed(mixed) => mixed_gap_in_norm(&mixed, norm, &wanted)?,
            ShapePair::Meshes([a, b], [pose_a, pose_b]) => {
                proximity::distance_in_norm((a, pose_a), (b, pose_b), norm, &wanted)?
            }
        };
        // A pair that is proved to be farther than the best one does not lower the bound.
        let Some(gap) = found else { continue };
        let lower_bound = best.map_or(gap.lower_bound, |best| best.lower_bound.min(gap.lower_bound));
        let found =
            Distance { value: gap.value, lower_bound, upper_bound: gap.value, points: gap.witnesses, parts };
        let nearer = best.filter(|best| best.value <= gap.value).unwrap_or(found);
        best = Some(Distance { lower_bound, ..nearer });
    }
    Ok(best.expect("there is a part"))
}

/// The distance of two shapes where it is at most `limit` \[m\], which replaces that of the options; `None` where they are
/// proved to be farther apart.
///
/// # Errors
/// As [`collide`](super::collide).
pub fn distance_up_to(
    a: &Posed,
    b: &Posed,
    limit: f64,
    options: &DistanceOptions,
) -> Result<Option<Distance>, QueryError> {
    distance_up_to_with(a, b, limit, options, &mut Cache::default())
}

/// As [`distance_up_to`], starting from the state that the last query of the same shapes left.
///
/// # Errors
/// As [`collide`](super::collide).
pub fn distance_up_to_with(
    a: &Posed,
    b: &Posed,
    limit: f64,
    options: &DistanceOptions,
    cache: &mut Cache,
) -> Result<Option<Distance>, QueryError> {
    nearest_parts(a, b, DistanceOptions { limit, ..*options }, cache)
}

fn nearest_parts(
    a: &Posed,
    b: &Posed,
    mut wanted: DistanceOptions,
    cache: &mut Cache,
) -> Result<Option<Distance>, QueryError> {
    wanted.check()?;
    a.check("A")?;
    b.check("B")?;
    let deadline = wanted.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    let mut best: Option<Distance> = None;
    for (apart, parts) in pairs_by_nearness(a, b) {
        if apart > wanted.limit {
            break;
        }
        // All pairs together have the budget.
        wanted.time_budget = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let pair = ShapePair::new(a.part(parts[0]), b.part(parts[1]));
        let Some(gap) = pair.gap(wanted, cache.pair(parts))? else { continue };
        // The bound of the whole is the smallest bound of any pair.
        let lower_bound = best.map_or(gap.lower_bound, |best| best.lower_bound.min(gap.lower_bound));
        match &mut best {
            Some(best) if best.value <= gap.value => best.lower_bound = lower_bound,
            _ => {
                let (value, points) = (gap.value, gap.witnesses);
                best = Some(Distance { value, lower_bound, upper_bound: value, points, parts });
            }
        }
        // A farther pair cannot be the nearest any more.
        wanted.limit = wanted.limit.min(gap.value);
    }
    Ok(best)
}

/// The closest points of A and B [m, world]; of shapes that collide, points of both in the overlap.
///
/// # Errors
/// As [`collide`](super::collide).
pub fn closest_points(
    a: &Posed,
    b: &Posed,
    options: &DistanceOptions,
) -> Result<[Point3<f64>; 2], QueryError> {
    Ok(distance(a, b, options)?.points)
}

/// The signed distance of two shapes: minus the penetration depth where they overlap [Lin17 §40.2]; bounds are proved. For two
/// convex shapes it is their certified signed distance. It is continuous where the shapes touch, up to the width of the
/// bounds.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::query::{self, PenetrationOptions, Posed, Shape};
/// use nalgebra::Isometry3;
///
/// let cube = Shape::solid(Cuboid::default().mesh()?)?;
/// for x in [0.8, 1.3] {
///     let there = Posed::new(&cube, Isometry3::translation(x, 0.1, 0.0));
///     let found = query::signed_distance(&Posed::at_origin(&cube), &there, &PenetrationOptions::default())?;
///     assert!((found.value - (x - 1.0)).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`penetration`](super::penetration); an error where the time budget is spent before the distance is known where a mesh takes part.
pub fn signed_distance(a: &Posed, b: &Posed, options: &PenetrationOptions) -> Result<Distance, QueryError> {
    signed_distance_with(a, b, options, &mut Cache::default())
}

/// As [`signed_distance`], starting from the state that the last query of the same shapes left.
///
/// # Errors
/// As [`signed_distance`].
pub fn signed_distance_with(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Distance, QueryError> {
    if options.norm == Norm::L2
        && let (Some(first), Some(second)) = (a.single(), b.single())
        && let ShapePair::Convex(pair) = ShapePair::new(first, second)
    {
        require_non_negative("relative tolerance", options.relative_tolerance)?;
        a.check("A")?;
        b.check("B")?;
        let found = pair.certified(&convex(options), cache.pair([0, 0]))?;
        return Ok(Distance {
            value: found.value,
            lower_bound: found.value,
            upper_bound: found.at_most,
            points: found.witnesses,
            parts: [0, 0],
        });
    }
    let (started, budget) = (Instant::now(), options.time_budget);
    let wanted = DistanceOptions { time_budget: budget, ..DistanceOptions::default() };
    let apart = match options.norm {
        Norm::L2 => distance_with(a, b, &wanted, cache)?,
        norm => distance_in_norm(a, b, norm, &wanted)?,
    };
    if apart.value > 0.0 {
        return Ok(apart);
    }
    let time_budget = budget.map(|budget| budget.saturating_sub(started.elapsed()));
    let found = penetration_with(a, b, &PenetrationOptions { time_budget, ..*options }, cache)?;
    Ok(found.map_or(apart, |found| Distance {
        value: -found.depth,
        lower_bound: -found.depth,
        upper_bound: -found.lower_bound,
        points: found.witnesses,
        parts: found.parts,
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nalgebra::{Isometry3, Translation3, Vector3};

    use super::*;
    use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Sphere, Torus};
    use crate::proximity::ProximityError;
    use crate::query::{CollideOptions, Shape, collide};

    fn cube() -> Shape {
        Shape::solid(Cuboid::default().mesh().unwrap()).unwrap()
    }

    #[test]
    fn it_falls_as_fast_as_a_box_approaches_and_continues_below_zero() {
        let (cube, options) = (cube(), PenetrationOptions::default());
        let here = Posed::at_origin(&cube);
        for x in [2.0, 1.25, 1.0 + 1e-9, 1.0, 1.0 - 1e-9, 0.875, 0.625] {
            let there = Posed::new(&cube, Isometry3::translation(x, 0.1, 0.05));
            for (first, second) in [(&there, &here), (&here, &there)] {
                let found = signed_distance(first, second, &options).unwrap();
                assert!((found.value - (x - 1.0)).abs() < 1e-9, "{x} {}", found.value);
                let [min, max] = [found.lower_bound, found.upper_bound];
                assert!(min <= x - 1.0 + 1e-9 && x - 1.0 <= max + 1e-9, "{x} {min} {max}");
            }
        }
    }

    #[test]
    fn its_sign_decides_whether_the_shapes_collide_and_a_translation_by_it_brings_them_into_touch() {
        let ball = Shape::solid(BumpySphere::default().mesh().unwrap()).unwrap();
        let torus = Shape::solid(Torus::default().mesh().unwrap()).unwrap();
        let (torus, options) = (Posed::at_origin(&torus), PenetrationOptions::default());
        for step in 0..12 {
            let pose = Isometry3::new(
                Vector3::new(0.2 * f64::from(step), 0.1, 0.3),
                Vector3::repeat(f64::from(step)),
            );
            let collides = |pose: Isometry3<f64>| {
                collide(&Posed::new(&ball, pose), &torus, &CollideOptions::default()).unwrap()
            };
            let found = signed_distance(&Posed::new(&ball, pose), &torus, &options).unwrap();
            assert_eq!(found.value <= 0.0, collides(pose));
            let [on_a, on_b] = found.points;
            assert!((nalgebra::distance(&on_a, &on_b) - found.value.abs()).abs() < 1e-9);
            let moved = |fraction: f64| Translation3::from((on_b - on_a) * fraction) * pose;
            if found.value > 0.0 {
                assert!(!collides(moved(0.999)));
                assert!(collides(moved(1.0 + 1e-9)));
            } else {
                assert!(collides(moved(0.999)));
                assert!(!collides(moved(1.0 + 1e-6)));
            }
        }
    }

    #[test]
    fn a_distance_of_a_convex_shape_and_a_mesh_keeps_the_time_budget() {
        // All triangles are nearly equally far from the middle of their sphere.
        let (ball, sphere) = (Shape::ball(0.2), Shape::surface(Sphere::default().mesh().unwrap()));
        let (ball, sphere) = (Posed::at_origin(&ball), Posed::at_origin(&sphere));
        let budgets = [None, Some(Duration::from_secs(3600)), Some(Duration::ZERO)];
        let [exact, ample, late] = budgets.map(|time_budget| {
            let clearance = 0.25;
            let collide_options = CollideOptions { clearance, time_budget };
            let distance_options = DistanceOptions { time_budget, ..DistanceOptions::default() };
            (distance(&ball, &sphere, &distance_options), collide(&ball, &sphere, &collide_options))
        });
        let value = exact.0.as_ref().unwrap().value;
        assert!((0.29..=0.3).contains(&value), "{value}");
        assert_eq!((exact.0.ok(), exact.1.ok()), (ample.0.ok(), ample.1.ok()));
        assert!(matches!(late.0, Err(QueryError::Proximity(ProximityError::OutOfTime { .. }))));
    }

    #[test]
    fn a_pose_that_is_not_a_number_is_an_error() {
        let (cube, options) = (cube(), PenetrationOptions::default());
        let nowhere = Posed::new(&cube, Isometry3::translation(f64::NAN, 0.0, 0.0));
        let failed = signed_distance(&Posed::at_origin(&cube), &nowhere, &options);
        assert!(matches!(failed, Err(QueryError::PoseNotFinite { body: "B" })));
    }
}
