//! Quick separation test of two triangles of a mesh: a plane between them proves that they do not collide.
//!
//! Nearly all pairs whose boxes overlap are regular neighbours. A plane through their shared corner, with the rest of
//! one strictly on one side and the rest of the other strictly on the other side, proves that they have no other point
//! in common. The choice of the plane is heuristic; the sides of the corners are decided with a margin for rounding.

use nalgebra::{Point3, Vector3};

use super::pair::Shared;

/// Rounding of a height over a plane, relative to the lengths that enter it: a difference and a dot product of three
/// terms round by less than a tenth of this.
const ROUNDING: f64 = 1e-14;

/// Whether a plane proves that the triangles do not collide; false proves nothing.
pub(super) fn is_separated(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3], shared: &Shared) -> bool {
    match shared.count() {
        0 => is_separated_without_shared_corner(p, q),
        1 => is_separated_beyond_corner(p, q, shared),
        _ => false,
    }
}

/// Whether the bisecting plane of the centroids, or a plane parallel to one of the triangles, separates them.
fn is_separated_without_shared_corner(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> bool {
    let origin = p[0];
    let p = [Vector3::zeros(), p[1] - origin, p[2] - origin];
    let q = [q[0] - origin, q[1] - origin, q[2] - origin];
    let between = (q[0] + q[1] + q[2]) - (p[1] + p[2]);
    separates(&between, &p, &q)
        || separates(&p[1].cross(&p[2]), &p, &q)
        || separates(&(q[1] - q[0]).cross(&(q[2] - q[0])), &p, &q)
}

/// Whether some plane normal to `axis` strictly separates the two sets of points.
fn separates(axis: &Vector3<f64>, p: &[Vector3<f64>], q: &[Vector3<f64>]) -> bool {
    let mut size = 0.0_f64;
    let mut range = |points: &[Vector3<f64>]| {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in points {
            let height = axis.dot(point);
            min = min.min(height);
            max = max.max(height);
            size = size.max(point.x.abs() + point.y.abs() + point.z.abs());
        }
        (min, max)
    };
    let ((p_min, p_max), (q_min, q_max)) = (range(p), range(q));
    let room = ROUNDING * size * (axis.x.abs() + axis.y.abs() + axis.z.abs());
    q_min - p_max > room || p_min - q_max > room
}

/// Whether a plane through the one shared corner strictly separates the edges opposite it.
fn is_separated_beyond_corner(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3], shared: &Shared) -> bool {
    let (i, j) = (shared.first_of_p(), shared.first_of_q());
    let corner = p[i];
    let [a, b] = [p[(i + 1) % 3] - corner, p[(i + 2) % 3] - corner];
    let [c, d] = [q[(j + 1) % 3] - corner, q[(j + 2) % 3] - corner];
    // The difference of the mean directions of the two triangles from the corner.
    let axis = a / a.norm() + b / b.norm() - c / c.norm() - d / d.norm();
    let room = ROUNDING * (axis.x.abs() + axis.y.abs() + axis.z.abs());
    let is_above = |point: &Vector3<f64>, sign: f64| {
        sign * axis.dot(point) > room * (point.x.abs() + point.y.abs() + point.z.abs())
    };
    is_above(&a, 1.0) && is_above(&b, 1.0) && is_above(&c, -1.0) && is_above(&d, -1.0)
}
