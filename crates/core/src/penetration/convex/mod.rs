//! Certified signed distance of convex shapes, and the translation that separates them.
//!
//! One quantity serves shapes that overlap and shapes that are separated: the signed distance is minus the penetration
//! depth, or the separation distance. It is the maximum gap between parallel planes that separate the shapes,
//!
//! > σ = max over unit d of −h(d), with h(d) = max { d·(a − b) : a ∈ A, b ∈ B },
//!
//! and every result carries a proved lower and a proved upper bound of it.
//!
//! A shape is a core and a radius around it, so the distance of two shapes is that of their cores less the radii. The
//! distance of the cores is computed by:
//!
//! | cores | method |
//! |---|---|
//! | points and segments; a point and a box; a half-space and anything | closed forms |
//! | boxes that overlap | 15 separating axes \[GLM96\] |
//! | points, segments, cylinders and cones with parallel axes | a closed form in the plane of the axes |
//! | all others while they are separated | descent to the nearest point of their difference \[GJK88\] |
//! | all others that overlap | expansion of a polytope in their difference \[vdBergen01\], until the bounds meet |
//!
//! A [`ConvexCache`] carries the simplex of the descent, or the whole polytope, along a motion. The part of it that the
//! motion leaves valid still proves its bound, so a warm-started result is as certain as a cold one. [`incremental`] is the
//! local method of \[Gao23\], from a guess: the baseline.
//!
//! Where many directions are nearly optimal (two fine concentric spheres), the bounds converge slowly: the work is
//! bounded, and the bounds reached are returned.

mod boxes;
pub(crate) mod cache;
mod closed_forms;
mod difference;
mod expansion;
mod gap;
mod gjk;
pub mod incremental;
pub(crate) mod options;
mod polytope;
mod revolution;
mod simplex;

use self::boxes::BoxGap;
pub use self::cache::ConvexCache;
use self::difference::Difference;
use self::gap::Gap;
pub use self::options::ConvexOptions;
use crate::geometry::convex::shape::{ConvexShape, Core};
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;
use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// The signed distance of two convex shapes, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedDistance {
    /// The distance \[m\]: minus the penetration depth where the shapes overlap. The shapes are at least this far apart
    /// along `direction`, or overlap by no more than minus this.
    pub value: f64,
    /// The distance is proved to be no more than this \[m\]: where the shapes overlap, `-at_most` bounds the depth from below.
    pub at_most: f64,
    /// Unit direction in which A moves away from B.
    pub direction: Unit<Vector3<f64>>,
    /// A point of A and one of B \[m\], at the input pose: nearest to each other where the shapes are apart, farthest
    /// inside each other along `direction` where they overlap.
    pub witnesses: [Point3<f64>; 2],
    /// Support evaluations of the pair.
    pub supports: u32,
}

impl SignedDistance {
    /// The penetration depth \[m\], if the shapes overlap or touch.
    #[must_use]
    pub fn depth(&self) -> Option<f64> {
        (self.value <= 0.0).then_some(-self.value)
    }
}

/// The signed distance of `a` and `b`; poses map body to world coordinates.
///
/// ```
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = ConvexShape::cuboid(Vector3::new(1.0, 1.0, 1.0));
/// let ball = ConvexShape::sphere(0.5);
/// let mut cache = ConvexCache::default();
/// for step in 0..10 {
///     let height = 1.2 - 0.05 * f64::from(step);
///     let (here, above) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, height));
///     let found = signed_distance(&ball, &above, &cube, &here, &ConvexOptions::default(), &mut cache)?;
///     assert!((found.value - (height - 1.0)).abs() < 1e-12);
///     assert!((found.direction.z - 1.0).abs() < 1e-12);
/// }
/// # Ok::<(), extricate_core::penetration::PenetrationError>(())
/// ```
///
/// # Errors
/// [`PenetrationError`] for poses that are not finite, sizes that are negative or not finite, and for two half-spaces that do not face each other.
pub fn signed_distance(
    a: &ConvexShape,
    pose_a: &Isometry3<f64>,
    b: &ConvexShape,
    pose_b: &Isometry3<f64>,
    options: &ConvexOptions,
    cache: &mut ConvexCache,
) -> Result<SignedDistance, PenetrationError> {
    if !(is_finite(pose_a) && is_finite(pose_b)) {
        return Err(ProximityError::NotFinite.into());
    }
    if !(a.is_sound() && b.is_sound()) {
        return Err(PenetrationError::BadSize);
    }
    let radii = [a.radius(), b.radius()];
    // Points and segments need no relative pose: computing it would cost more than the closed form.
    if let Some(gap) = closed_forms::segments([a.core(), b.core()], [pose_a, pose_b]) {
        return Ok(rounded(&gap, radii));
    }
    let difference = Difference::new(a, b, &pose_a.inv_mul(pose_b));
    let mut found = rounded(&gap(&difference, options, cache)?, radii);
    found.direction = pose_a.rotation * found.direction;
    found.witnesses = found.witnesses.map(|point| pose_a * point);
    Ok(found)
}

/// Whether a pose is finite, by its sum: the sum of finite numbers overflows only near 1e308.
fn is_finite(pose: &Isometry3<f64>) -> bool {
    let (rotation, shift) = (&pose.rotation.coords, &pose.translation.vector);
    (rotation.x + rotation.y + rotation.z + rotation.w + shift.x + shift.y + shift.z).is_finite()
}

/// The signed distance of shapes from the gap of their cores, in the frame of the gap.
fn rounded(gap: &Gap, [radius_a, radius_b]: [f64; 2]) -> SignedDistance {
    let Gap { value, at_most, normal, on_a, on_b, supports } = *gap;
    let rounding = radius_a + radius_b;
    SignedDistance {
        value: value - rounding,
        at_most: at_most.max(value) - rounding,
        direction: Unit::new_unchecked(-normal),
        witnesses: [(on_a + normal * radius_a).into(), (on_b - normal * radius_b).into()],
        supports,
    }
}

/// The signed distance of two cores, frame of A.
fn gap(
    difference: &Difference,
    options: &ConvexOptions,
    cache: &mut ConvexCache,
) -> Result<Gap, PenetrationError> {
    if let (Core::Cuboid { half_extents: a }, Core::Cuboid { half_extents: b }) = (difference.a, difference.b)
    {
        return Ok(match boxes::gap([a, b], difference) {
            BoxGap::Overlap(gap) => gap,
            BoxGap::Apart(normal) => cache.gap(difference, &normal, options),
        });
    }
    if let Some(gap) = closed_forms::gap(difference).or_else(|| revolution::gap(difference)) {
        return Ok(gap);
    }
    if let (Core::HalfSpace, Core::HalfSpace) = (difference.a, difference.b) {
        return half_spaces(difference);
    }
    // The line of the centres is the first guess of the direction from A to B.
    let between = difference.of_b(&difference.b.center()) - difference.a.center();
    Ok(cache.gap(difference, &between, options))
}

/// The gap of two half-spaces, which is finite only if they face each other.
fn half_spaces(difference: &Difference) -> Result<Gap, PenetrationError> {
    let facing = difference.rotation.column(2) + Vector3::z();
    if facing.norm() > FACING {
        return Err(PenetrationError::Unbounded);
    }
    let on_a = Vector3::new(difference.origin.x, difference.origin.y, 0.0);
    Ok(Gap::exact(difference.origin.z, Vector3::z(), on_a))
}

/// Angle [rad] up to which the normals of two half-spaces count as opposite: the rounding of a rotation. Any larger angle
/// makes the overlap unbounded, so that a wider tolerance would return a finite depth where there is none.
const FACING: f64 = 1e-15;
