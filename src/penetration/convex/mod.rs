//! Convex shapes: their signed distance, certified, and the translation that separates them.
//!
//! One answer for shapes that overlap and for shapes that are apart: the signed distance is minus the penetration
//! depth, or the separation distance. It is the greatest gap between parallel planes that separate the shapes,
//!
//! > σ = max over unit d of −h(d), with h(d) = max { d·(a − b) : a ∈ A, b ∈ B },
//!
//! and every answer carries a lower and an upper bound of it that were proved.

mod boxes;
mod cache;
mod closed_forms;
mod difference;
mod expansion;
mod gap;
mod gjk;
mod polytope;
mod simplex;

use nalgebra::{Isometry3, Point3, Unit, Vector3};
use thiserror::Error;

pub use self::cache::ConvexCache;
use self::difference::Difference;
use self::gap::Gap;
use crate::geometry::convex::{ConvexShape, Core};

/// Bounds of accuracy and work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvexOptions {
    /// The bounds shall agree to this share of the distance.
    pub relative_tolerance: f64,
    /// Greatest number of supports of the pair that are computed; beyond it the bounds reached are returned.
    pub max_supports: u32,
}

impl Default for ConvexOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-10, max_supports: 1000 }
    }
}

/// The signed distance of two convex shapes, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedDistance {
    /// The distance [m]: minus the penetration depth where the shapes overlap. The shapes are at least this far apart
    /// along `direction`, or overlap by no more.
    pub value: f64,
    /// The distance is proved to be no more than this [m]: where the shapes overlap, `-at_most` bounds the depth from below.
    pub at_most: f64,
    /// Unit direction in which A moves away from B.
    pub direction: Unit<Vector3<f64>>,
    /// A point of A and one of B [m], at the input pose: nearest to each other where the shapes are apart, farthest
    /// inside each other along `direction` where they overlap.
    pub witnesses: [Point3<f64>; 2],
    /// Supports of the pair that were computed.
    pub supports: u32,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvexError {
    /// A pose holds a number that is not finite.
    #[error("a pose of the pair is not finite")]
    NotFinite,
    /// Two half-spaces overlap without end unless they face each other.
    #[error("two half-spaces have no finite penetration depth")]
    Unbounded,
}

impl SignedDistance {
    /// The penetration depth [m], if the shapes overlap or touch.
    #[must_use]
    pub fn depth(&self) -> Option<f64> {
        (self.value <= 0.0).then_some(-self.value)
    }
}

/// The signed distance of `a` and `b`; poses map body to world coordinates.
///
/// # Errors
/// [`ConvexError`] for poses that are not finite, and for two half-spaces.
pub fn signed_distance(
    a: &ConvexShape,
    pose_a: &Isometry3<f64>,
    b: &ConvexShape,
    pose_b: &Isometry3<f64>,
    options: &ConvexOptions,
    cache: &mut ConvexCache,
) -> Result<SignedDistance, ConvexError> {
    let b_to_a = pose_a.inv_mul(pose_b);
    if !b_to_a.translation.vector.iter().chain(b_to_a.rotation.coords.iter()).all(|x| x.is_finite()) {
        return Err(ConvexError::NotFinite);
    }
    let difference = Difference::new(a.core(), b.core(), &b_to_a);
    let gap = gap(&difference, options, cache)?;
    let Gap { value, at_most, normal, on_a, on_b, supports } = gap;
    let rounding = a.radius() + b.radius();
    let (on_a, on_b) = (on_a + normal * a.radius(), on_b - normal * b.radius());
    Ok(SignedDistance {
        value: value - rounding,
        at_most: at_most.max(value) - rounding,
        direction: Unit::new_unchecked(pose_a.rotation * -normal),
        witnesses: [on_a, on_b].map(|point| pose_a * Point3::from(point)),
        supports,
    })
}

/// The signed distance of two cores, frame of A.
fn gap(
    difference: &Difference,
    options: &ConvexOptions,
    cache: &mut ConvexCache,
) -> Result<Gap, ConvexError> {
    if let Some(gap) = closed_forms::gap(difference) {
        return Ok(gap);
    }
    match (difference.a, difference.b) {
        (Core::HalfSpace, Core::HalfSpace) => half_spaces(difference),
        (Core::Cuboid { half_extents: a }, Core::Cuboid { half_extents: b }) => {
            match boxes::boxes([a, b], difference) {
                boxes::Boxes::Overlap(gap) => Ok(gap),
                boxes::Boxes::Apart(normal) => Ok(cache.gap(difference, &normal, options)),
            }
        }
        _ => {
            let between = difference.of_b(&difference.b.center()) - difference.a.center();
            Ok(cache.gap(difference, &between, options))
        }
    }
}

/// Two half-spaces are apart or overlap finitely only if they face each other.
fn half_spaces(difference: &Difference) -> Result<Gap, ConvexError> {
    let facing = difference.rotation.column(2) + Vector3::z();
    if facing.norm() > FACING {
        return Err(ConvexError::Unbounded);
    }
    let on_a = Vector3::new(difference.origin.x, difference.origin.y, 0.0);
    Ok(Gap::exact(difference.origin.z, Vector3::z(), on_a))
}

/// Two half-spaces whose normals are opposite to this [rad] are parallel: what rounding leaves of a rotation.
const FACING: f64 = 1e-15;
