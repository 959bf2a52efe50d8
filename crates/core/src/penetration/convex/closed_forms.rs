//! Pairs of cores whose distance has a closed form: points, segments, a point and a box, a half-space and anything.

use nalgebra::{Isometry3, Vector3};

use super::difference::Difference;
use super::gap::Gap;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::shape::Core;

/// The gap of two points or segments in the world; `None` for other cores.
#[inline]
pub(super) fn segments([a, b]: [&Core; 2], [pose_a, pose_b]: [&Isometry3<f64>; 2]) -> Option<Gap> {
    let half_length = |core: &Core| match core {
        Core::Point => Some(0.0),
        Core::Segment { half_length } => Some(*half_length),
        _ => None,
    };
    let lengths = [half_length(a)?, half_length(b)?];
    let (on_a, on_b) = (&pose_a.translation.vector, &pose_b.translation.vector);
    let between = on_b - on_a;
    let gap = match lengths {
        [0.0, 0.0] => points(&between),
        // A point is a segment of length zero along any axis; along the other's axis it meets no special case.
        [0.0, _] => nearest_of_segments([&axis(pose_b); 2], lengths, &between),
        [_, 0.0] => nearest_of_segments([&axis(pose_a); 2], lengths, &between),
        _ => nearest_of_segments([&axis(pose_a), &axis(pose_b)], lengths, &between),
    };
    Some(Gap { on_a: gap.on_a + on_a, on_b: gap.on_b + on_a, ..gap })
}

/// The z axis of a body.
fn axis(pose: &Isometry3<f64>) -> Vector3<f64> {
    let q = &pose.rotation.coords;
    Vector3::new(
        2.0 * (q.x * q.z + q.w * q.y),
        2.0 * (q.y * q.z - q.w * q.x),
        (q.w * q.w + q.z * q.z) - (q.x * q.x + q.y * q.y),
    )
}

/// The gap of the pair in the frame of A, if it has a closed form.
#[inline]
pub(super) fn gap(difference: &Difference) -> Option<Gap> {
    let origin = &difference.origin;
    match (difference.a, difference.b) {
        (Core::Cuboid { half_extents }, Core::Point) => Some(cuboid_and_point(half_extents, origin)),
        (Core::Point, Core::Cuboid { half_extents }) => {
            // In the frame of the box, and back.
            let point = -difference.rotation.tr_mul(origin);
            let Gap { value, at_most, normal, on_a, .. } = cuboid_and_point(half_extents, &point);
            let (normal, on_b) = (difference.rotation * -normal, difference.of_b(&on_a));
            Some(Gap { value, at_most, normal, on_a: on_b - normal * value, on_b, supports: 0 })
        }
        (Core::HalfSpace, other) if !matches!(other, Core::HalfSpace) => {
            let normal = Vector3::z();
            let down = -difference.rotation.tr_mul(&normal);
            let on_b = difference.of_b(&other.support(&down, START_ANYWHERE).point);
            let value = on_b.z;
            Some(Gap { supports: 1, ..Gap::exact(value, normal, on_b - normal * value) })
        }
        (other, Core::HalfSpace) if !matches!(other, Core::HalfSpace) => {
            let normal = -difference.rotation.column(2).into_owned();
            let on_a = other.support(&normal, START_ANYWHERE).point;
            let value = normal.dot(&(difference.origin - on_a));
            Some(Gap { supports: 1, ..Gap::exact(value, normal, on_a) })
        }
        _ => None,
    }
}

fn points(b: &Vector3<f64>) -> Gap {
    let distance = b.norm();
    let normal = if distance > 0.0 { b / distance } else { Vector3::z() };
    Gap::exact(distance, normal, Vector3::zeros())
}

/// Nearest points of two segments [Ericson05 §5.1.9]: centred at the origin and at `b`, along unit vectors, with half lengths.
fn nearest_of_segments([u, v]: [&Vector3<f64>; 2], [length_a, length_b]: [f64; 2], b: &Vector3<f64>) -> Gap {
    let cosine = u.dot(v);
    let cross = u.cross(v);
    let sine_squared = cross.norm_squared();
    // Minimise |s u − (b + t v)|²: s = b·u + t cos, t = −b·v + s cos.
    let (along_u, along_v) = (b.dot(u), b.dot(v));
    // Of parallel lines every point is as near; the clamps below choose one within both segments.
    let free = if sine_squared > 0.0 {
        (along_u - along_v * cosine) / sine_squared
    } else {
        along_u.clamp(-length_a, length_a)
    };
    // Clamping t moves the optimum of s, and clamping s that of t: after these three the pair is optimal.
    let t = (free.clamp(-length_a, length_a) * cosine - along_v).clamp(-length_b, length_b);
    let s = (along_u + t * cosine).clamp(-length_a, length_a);
    let t = (s * cosine - along_v).clamp(-length_b, length_b);
    let (on_a, on_b) = (u * s, b + v * t);
    let apart = on_b - on_a;
    let at_most = apart.norm();
    let reach = |n: &Vector3<f64>| length_a * n.dot(u).abs() + length_b * n.dot(v).abs() - n.dot(b);
    // Where the segments cross, and where inner points are nearest, the normal is the common perpendicular. The cross
    // product of nearly parallel vectors has rounding along them, which is projected out.
    let without = |n: Vector3<f64>, axis: &Vector3<f64>| n - axis * n.dot(axis);
    let perpendicular = without(cross, u).try_normalize(0.0).unwrap_or_else(|| perpendicular_to(u));
    let mut normal = if perpendicular.dot(b) < 0.0 { -perpendicular } else { perpendicular };
    // Otherwise it is the direction between the nearest points, perpendicular to a segment that has its point inside.
    let mut direct = apart;
    if s.abs() < length_a {
        direct = without(direct, u);
    }
    if t.abs() < length_b {
        direct = without(direct, v);
    }
    // Both bound the distance from below; the smaller reach is the better bound.
    if let Some(direct) = direct.try_normalize(0.0)
        && reach(&direct) < reach(&normal)
    {
        normal = direct;
    }
    Gap { value: -reach(&normal), at_most, normal, on_a, on_b, supports: 0 }
}

/// A unit vector perpendicular to another vector.
pub(super) fn perpendicular_to(u: &Vector3<f64>) -> Vector3<f64> {
    let axis = [Vector3::x(), Vector3::y(), Vector3::z()][u.iamin()];
    u.cross(&axis).normalize()
}

/// A box around the origin against a point.
fn cuboid_and_point(half_extents: &Vector3<f64>, point: &Vector3<f64>) -> Gap {
    let nearest = point.zip_map(half_extents, |x, h| x.clamp(-h, h));
    let apart = point - nearest;
    let distance = apart.norm();
    if distance > 0.0 {
        return Gap { on_b: *point, ..Gap::exact(distance, apart / distance, nearest) };
    }
    // Inside, the nearest face is the way out.
    let depths = half_extents - point.abs();
    let axis = depths.imin();
    let mut normal = Vector3::zeros();
    normal[axis] = 1.0_f64.copysign(point[axis]);
    let depth = depths[axis];
    Gap { on_b: *point, ..Gap::exact(-depth, normal, point + normal * depth) }
}
