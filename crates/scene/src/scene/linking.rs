//! Linking number of two closed polygons.
//!
//! Gauss: Lk = (1/4π) ∮∮ (x − y)·(dx × dy) / |x − y|³. For two straight segments the integral is the signed area of
//! the spherical quadrilateral of their difference vectors, in closed form [Klenin, Langowski 2000, eq. 10]; the sum
//! over all pairs of segments is an integer up to rounding unless the curves meet.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

/// Linking number of two closed polygons (points \[m\] in one frame, the last joins the first), not rounded to an integer:
/// NaN, or far from an integer, where the curves meet.
///
/// ```
/// use extricate_scene::scene::linking_number;
/// use nalgebra::Point3;
///
/// let square = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
/// let flat = square.map(|[x, y]| Point3::new(x, y, 0.0));
/// let upright = square.map(|[x, z]| Point3::new(x + 1.0, 0.0, z));
/// assert!((linking_number(&flat, &upright).abs() - 1.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn linking_number(a: &[Point3<f64>], b: &[Point3<f64>]) -> f64 {
    let segments = |points: &[Point3<f64>]| -> Vec<[Point3<f64>; 2]> {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(&start, &end)| [start, end]).collect()
    };
    let b = segments(b);
    let areas = segments(a).into_iter().flat_map(|s| b.iter().map(move |t| signed_area(s, *t)));
    areas.sum::<f64>() / (4.0 * PI)
}

/// Signed solid angle [sr] of the directions from points of segment `s` to points of segment `t`
/// [Klenin, Langowski 2000, eq. 10].
fn signed_area([s0, s1]: [Point3<f64>; 2], [t0, t1]: [Point3<f64>; 2]) -> f64 {
    let corners = [t0 - s0, t1 - s0, t1 - s1, t0 - s1];
    let volume = (s1 - s0).cross(&(t1 - t0)).dot(&(s0 - t0));
    let edge_normal = |i: usize| {
        let normal: Vector3<f64> = corners[i].cross(&corners[(i + 1) % 4]);
        normal.try_normalize(0.0)
    };
    let normals = std::array::from_fn::<_, 4, _>(edge_normal);
    // Parallel difference vectors: the segments are coplanar, and the quadrilateral has no area.
    let [Some(n0), Some(n1), Some(n2), Some(n3)] = normals else {
        return 0.0;
    };
    // Rounding may take the product of two unit vectors beyond ±1, where the arcsine is NaN.
    let angle = |a: &Vector3<f64>, b: &Vector3<f64>| a.dot(b).clamp(-1.0, 1.0).asin();
    let area = angle(&n0, &n1) + angle(&n1, &n2) + angle(&n2, &n3) + angle(&n3, &n0);
    // Coplanar segments see each other under no solid angle; the sign of zero would be arbitrary.
    if volume == 0.0 { 0.0 } else { area * volume.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, UnitQuaternion};

    fn circle(radius: f64, count: u32) -> Vec<Point3<f64>> {
        let angle = |i| f64::from(i) / f64::from(count) * 2.0 * PI;
        (0..count).map(|i| Point3::new(radius * angle(i).cos(), radius * angle(i).sin(), 0.0)).collect()
    }

    fn moved(points: &[Point3<f64>], pose: &Isometry3<f64>) -> Vec<Point3<f64>> {
        points.iter().map(|p| pose * p).collect()
    }

    fn hopf(shift: f64) -> f64 {
        let upright = UnitQuaternion::from_euler_angles(PI / 2.0, 0.3, 0.1);
        let pose = Isometry3::from_parts(Vector3::new(shift, 0.05, 0.02).into(), upright);
        linking_number(&circle(1.0, 24), &moved(&circle(1.0, 31), &pose))
    }

    #[test]
    fn two_rings_that_interlock_are_linked_once_and_apart_they_are_not() {
        assert!((hopf(1.0).abs() - 1.0).abs() < 1e-9, "{}", hopf(1.0));
        assert!(hopf(2.5).abs() < 1e-9, "{}", hopf(2.5));
    }

    #[test]
    fn the_sign_follows_the_side_and_reversal_of_a_curve() {
        assert!((hopf(1.0) + hopf(-1.0)).abs() < 1e-9);
        let a = circle(1.0, 24);
        let pose =
            Isometry3::from_parts(Vector3::x().into(), UnitQuaternion::from_euler_angles(1.5, 0.0, 0.0));
        let mut b = moved(&circle(1.0, 24), &pose);
        let forward = linking_number(&a, &b);
        b.reverse();
        assert!((forward + linking_number(&a, &b)).abs() < 1e-9 && forward.abs() > 0.5);
    }

    #[test]
    fn a_curve_that_winds_twice_around_a_ring_is_linked_twice() {
        let winding = |i: u32| {
            let t = f64::from(i) / 200.0 * 2.0 * PI;
            let r = 1.0 + 0.3 * (2.0 * t).cos();
            Point3::new(r * t.cos(), r * t.sin(), 0.3 * (2.0 * t).sin())
        };
        let twice: Vec<_> = (0..200).map(winding).collect();
        let number = linking_number(&circle(1.0, 180), &twice);
        assert!((number.abs() - 2.0).abs() < 1e-9, "{number}");
    }

    #[test]
    fn the_quadrature_of_the_gauss_integral_gives_the_same_sum_per_segment_pair() {
        let s = [Point3::new(0.1, -0.4, 0.3), Point3::new(0.9, 0.2, -0.1)];
        let t = [Point3::new(0.2, 0.5, 1.1), Point3::new(-0.6, 0.1, 0.8)];
        let (ds, dt) = (s[1] - s[0], t[1] - t[0]);
        let n = 400;
        let mut integral = 0.0;
        for i in 0..n {
            for j in 0..n {
                let at = |k: u32| (f64::from(k) + 0.5) / f64::from(n);
                let r = (s[0] + ds * at(i)) - (t[0] + dt * at(j));
                integral += r.dot(&ds.cross(&dt)) / r.norm().powi(3) / f64::from(n * n);
            }
        }
        assert!((integral - signed_area(s, t)).abs() < 1e-5, "{integral} {}", signed_area(s, t));
    }
}
