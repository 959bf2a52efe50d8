//! Two convex shapes, answered by their certified signed distance.

use nalgebra::{Isometry3, Translation3, center};

use super::penetration::{LocalOverlap, PenetrationResponse, Separating};
use super::poses::Poses;
use super::reply::{Answered, coordinates};
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};

/// Share of the shapes' size that is added to a separating translation.
const CLEARANCE: f64 = 0.9e-10;

/// Share of sizes and positions by which the bounds of a depth of zero may differ: the rounding of coordinates. The depth of
/// shapes that touch is no better known.
const ROUNDING: f64 = 1e-14;

/// The certified signed distance of two shapes. Every answer begins afresh, so that it does not depend on those before.
/// Bounds that leave open whether the shapes overlap are no answer.
pub(super) fn signed_distance_at(shapes: &[ConvexShape; 2], poses: &Poses) -> Answered<SignedDistance> {
    let found = search(shapes, &poses.a, &poses.b).map_err(|error| error.to_string())?;
    if !found.value.is_finite() {
        return Err(format!("the distance is {} m: coordinates are too large", found.value));
    }
    if found.value <= 0.0 && found.at_most > rounding(shapes, poses) {
        let (above, below) = (found.at_most, -found.value);
        return Err(format!(
            "not decided: apart by no more than {above} m, or overlapping by no more than {below} m"
        ));
    }
    Ok(found)
}

fn search(
    [a, b]: &[ConvexShape; 2],
    pose_a: &Isometry3<f64>,
    pose_b: &Isometry3<f64>,
) -> Result<SignedDistance, PenetrationError> {
    signed_distance(a, pose_a, b, pose_b, &ConvexOptions::default(), &mut ConvexCache::default())
}

/// How deep shapes overlap; a translation after which they are not found apart is a failure.
pub(super) fn penetration(
    shapes: &[ConvexShape; 2],
    poses: &Poses,
    found: &SignedDistance,
) -> Answered<PenetrationResponse> {
    let Some(depth) = found.depth() else { return Ok(PenetrationResponse::Separate {}) };
    let size = size(shapes);
    let direction = found.direction.into_inner();
    let translation = direction * (depth + CLEARANCE * size);
    let moved = Translation3::from(translation) * poses.a;
    let left = search(shapes, &moved, &poses.b);
    if !left.is_ok_and(|left| left.value > 0.0) {
        return Err(format!("the translation found ({depth} m) does not separate the shapes"));
    }
    let proved = (-found.at_most).clamp(0.0, depth);
    let tolerance = ConvexOptions::default().relative_tolerance * depth + rounding(shapes, poses);
    let middle = center(&found.witnesses[0], &found.witnesses[1]);
    let region = LocalOverlap { point: middle.coords.into(), normal: direction.into(), depth };
    Ok(PenetrationResponse::Penetrating(Separating {
        depth,
        lower_bound: proved,
        direction: direction.into(),
        translation: translation.into(),
        witnesses: coordinates(&found.witnesses),
        local: vec![region],
        iterations: found.supports,
        search: None,
        converged: depth - proved <= tolerance,
        verified_free: true,
    }))
}

/// The size of two shapes [m]: the radii of their bounding spheres. Where both are half-spaces, which have none, a metre.
fn size(shapes: &[ConvexShape; 2]) -> f64 {
    let radii = shapes.iter().map(|shape| shape.bounding_sphere().1);
    let size: f64 = radii.filter(|radius| radius.is_finite()).sum();
    if size > 0.0 { size } else { 1.0 }
}

/// What rounding leaves unknown of a depth [m].
fn rounding(shapes: &[ConvexShape; 2], poses: &Poses) -> f64 {
    let far = poses.a.translation.vector.norm() + poses.b.translation.vector.norm();
    ROUNDING * (size(shapes) + far)
}
