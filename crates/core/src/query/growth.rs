//! Growth distance of two convex shapes \[OG96\].
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | σ | [`GrowthDistance::value`] | the factor by which both shapes are scaled about their seeds so that they touch |
//! | p | `between` | vector from the seed of A to that of B \[m\] |
//! | K | the overlap of the shapes with A's seed moved to B's | convex set of translations that contains zero |
//!
//! The scaled shapes have a point in common if and only if p is in σK, where K = (A − seed of A) − (B − seed of B). So σ is the
//! length of p over the length of the ray from zero along p within K: one directional penetration depth. Departs from \[OG96\],
//! which solves a linear program over the faces of polytopes: the ray accepts every convex shape that has a signed distance.

use nalgebra::{Isometry3, Point3, Translation3, Unit, Vector3};

use super::cache::PairCache;
use super::constrained::exit_along;
use super::error::QueryError;
use super::options::{GrowthDistanceOptions, PenetrationOptions, require_non_negative};
use super::pair::{ConvexPair, ShapePair};
use super::posed::{Part, Posed};
use crate::geometry::convex::{ConvexShape, Core};
use crate::penetration::convex::{ConvexOptions, signed_distance};

/// Growth distance of two convex shapes \[world\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowthDistance {
    /// The factor by which both shapes are scaled about their seeds so that they touch: below 1 where they overlap, above 1
    /// where they are apart; zero for coincident seeds.
    pub value: f64,
    /// Proved lower bound of the factor: with it the interiors of the scaled shapes have no point in common.
    pub lower_bound: f64,
    /// Proved upper bound of the factor: with it the scaled shapes have a point in common; infinite where none was proved.
    pub upper_bound: f64,
    /// A point of A and one of B \[m, world\], of the shapes as they are, that the scaling moves to the point in which they touch.
    pub points: [Point3<f64>; 2],
    /// The point in which the scaled shapes touch \[m, world\].
    pub contact: Point3<f64>,
    /// Unit normal of the plane that separates the scaled shapes there, from B to A; the x axis for coincident seeds.
    pub normal: Unit<Vector3<f64>>,
    /// The seeds of A and of B \[m, world\].
    pub seeds: [Point3<f64>; 2],
    /// Whether the bounds agree within the tolerance.
    pub converged: bool,
}

/// The growth distance of two convex shapes: the factor by which both are scaled about their seeds so that they touch \[OG96\]. It
/// measures separation and penetration alike, and is certified for every pair of bounded convex shapes.
///
/// ```
/// use extricate_core::query::{self, Posed, Shape};
/// use nalgebra::Isometry3;
///
/// // Balls of 0.5 m and 0.3 m whose centres are 1.2 m apart touch when they have grown by a half.
/// let (a, b) = (Shape::ball(0.5), Shape::ball(0.3));
/// let there = Posed::new(&b, Isometry3::translation(0.0, 1.2, 0.0));
/// let found = query::growth_distance(&Posed::at_origin(&a), &there, &Default::default())?;
/// assert!((found.value - 1.5).abs() < 1e-8);
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// [`QueryError::Unsupported`] unless both shapes are single, convex and bounded, and where neither extends from its seed towards that of the
/// other one; [`QueryError::Option`] for a seed outside of its shape; [`QueryError`] when a pose or a size is invalid.
pub fn growth_distance(
    a: &Posed,
    b: &Posed,
    options: &GrowthDistanceOptions,
) -> Result<GrowthDistance, QueryError> {
    require_non_negative("relative tolerance", options.relative_tolerance)?;
    a.check("A")?;
    b.check("B")?;
    let (Some(first), Some(second)) = (a.single(), b.single()) else {
        return Err(refused([a.part(0), b.part(0)], "it is that of two single shapes"));
    };
    let ShapePair::Convex(pair) = ShapePair::new(first, second) else {
        return Err(refused([first, second], "it is that of two convex shapes"));
    };
    if pair.shapes.iter().any(|shape| matches!(shape.core(), Core::HalfSpace)) {
        let reason = "a half-space that is scaled about a point of its boundary is the same";
        return Err(refused([first, second], reason));
    }
    let seeds = [
        seed(("seed of A", options.seeds[0]), pair.shapes[0], pair.poses[0])?,
        seed(("seed of B", options.seeds[1]), pair.shapes[1], pair.poses[1])?,
    ];
    of_convex(&pair, seeds, options)?.ok_or_else(|| {
        let reason = "neither shape extends from its seed towards that of the other one, so that no factor makes them touch";
        refused([first, second], reason)
    })
}

fn refused(parts: [&Part; 2], reason: &'static str) -> QueryError {
    let shapes = parts.map(|part| part.shape.kind());
    QueryError::Unsupported { query: "the growth distance", shapes, reason }
}

/// A seed [m, world]: the given one, in the frame of the shape, or the centre of the shape.
fn seed(
    (option, given): (&'static str, Option<Point3<f64>>),
    shape: &ConvexShape,
    pose: &Isometry3<f64>,
) -> Result<Point3<f64>, QueryError> {
    let Some(given) = given else { return Ok(pose * Point3::from(shape.core().center())) };
    let (point, at) = (ConvexShape::sphere(0.0), Isometry3::from(given.coords));
    let (here, cold) = (Isometry3::identity(), &mut PairCache::default().convex);
    let outside = signed_distance(&point, &at, shape, &here, &ConvexOptions::default(), cold)?.value;
    // On the boundary up to rounding.
    let rounding = ConvexPair { shapes: [shape, &point], poses: [&here, &at] }.rounding();
    if outside <= rounding {
        return Ok(pose * given);
    }
    Err(QueryError::Option { option, value: outside, accepted: "a distance from its shape [m] of zero" })
}

/// The growth distance of a pair with seeds [m, world]; `None` where the shapes never touch.
fn of_convex(
    pair: &ConvexPair,
    seeds: [Point3<f64>; 2],
    options: &GrowthDistanceOptions,
) -> Result<Option<GrowthDistance>, QueryError> {
    let between = seeds[1] - seeds[0];
    let Some(direction) = Unit::try_new(between, 0.0) else {
        let zero = GrowthDistance {
            value: 0.0,
            lower_bound: 0.0,
            upper_bound: 0.0,
            points: seeds,
            contact: seeds[1],
            normal: Vector3::x_axis(),
            seeds,
            converged: true,
        };
        return Ok(Some(zero));
    };
    let length = between.norm();
    let moved = Translation3::from(between) * pair.poses[0];
    let seeded = ConvexPair { poses: [&moved, pair.poses[1]], ..*pair };
    let of_depth = PenetrationOptions {
        relative_tolerance: options.relative_tolerance,
        max_iterations: options.max_iterations,
        ..PenetrationOptions::default()
    };
    // A leaves B as far against the vector between the seeds as K extends along it.
    let exit = exit_along(&seeded, &-direction, &of_depth)?;
    if !(exit.depth > seeded.rounding()) {
        return Ok(None);
    }
    let value = length / exit.depth;
    let [on_a, on_b] = exit.witnesses;
    let points = [on_a - between, on_b];
    let grown = [0, 1].map(|side: usize| seeds[side] + (points[side] - seeds[side]) * value);
    Ok(Some(GrowthDistance {
        value,
        lower_bound: value,
        upper_bound: length / exit.lower_bound,
        points,
        contact: nalgebra::center(&grown[0], &grown[1]),
        normal: exit.normal,
        seeds,
        converged: exit.converged,
    }))
}
