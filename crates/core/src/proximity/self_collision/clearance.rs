//! A quick proof that two triangles of a mesh do not collide: a plane between them.
//!
//! Nearly all pairs whose boxes overlap are neighbours that lie beside one another as neighbours do. A plane through
//! what they share, with the rest of one strictly on one side and the rest of the other strictly on the other side,
//! proves that they have nothing else in common. Which plane is tried is a guess; that the corners are on their sides is
//! decided with room for rounding.

use nalgebra::{Point3, Vector3};

use super::pair::Shared;

/// Rounding of a height over a plane, relative to the lengths that enter it: a difference and a dot product of three
/// terms round by less than a tenth of this.
const ROUNDING: f64 = 1e-14;

/// Whether a quick test proves that the triangles do not collide; false proves nothing.
pub(super) fn is_clear(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3], shared: &Shared) -> bool {
    match shared.count() {
        0 => is_clear_of(p, q),
        1 => is_clear_beyond_corner(p, q, shared),
        _ => false,
    }
}

/// Whether the plane across the way between the middles, or that of one of the triangles, separates them.
fn is_clear_of(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> bool {
    let origin = p[0];
    let p = [Vector3::zeros(), p[1] - origin, p[2] - origin];
    let q = [q[0] - origin, q[1] - origin, q[2] - origin];
    let between = (q[0] + q[1] + q[2]) - (p[1] + p[2]);
    separates(&between, &p, &q)
        || separates(&p[1].cross(&p[2]), &p, &q)
        || separates(&(q[1] - q[0]).cross(&(q[2] - q[0])), &p, &q)
}

/// Whether some plane across `axis` has the one set of points strictly on one side and the other strictly on the other.
fn separates(axis: &Vector3<f64>, p: &[Vector3<f64>], q: &[Vector3<f64>]) -> bool {
    let mut size = 0.0_f64;
    let mut range = |points: &[Vector3<f64>]| {
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in points {
            let height = axis.dot(point);
            least = least.min(height);
            greatest = greatest.max(height);
            size = size.max(point.x.abs() + point.y.abs() + point.z.abs());
        }
        (least, greatest)
    };
    let ((p_least, p_greatest), (q_least, q_greatest)) = (range(p), range(q));
    let room = ROUNDING * size * (axis.x.abs() + axis.y.abs() + axis.z.abs());
    q_least - p_greatest > room || p_least - q_greatest > room
}

/// Whether a plane through the one shared corner has the edges opposite it strictly on both its sides.
fn is_clear_beyond_corner(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3], shared: &Shared) -> bool {
    let (i, j) = (shared.first_of_p(), shared.first_of_q());
    let corner = p[i];
    let [a, b] = [p[(i + 1) % 3] - corner, p[(i + 2) % 3] - corner];
    let [c, d] = [q[(j + 1) % 3] - corner, q[(j + 2) % 3] - corner];
    let axis = a / a.norm() + b / b.norm() - c / c.norm() - d / d.norm();
    let room = ROUNDING * (axis.x.abs() + axis.y.abs() + axis.z.abs());
    let is_above = |point: &Vector3<f64>, sign: f64| {
        sign * axis.dot(point) > room * (point.x.abs() + point.y.abs() + point.z.abs())
    };
    is_above(&a, 1.0) && is_above(&b, 1.0) && is_above(&c, -1.0) && is_above(&d, -1.0)
}
