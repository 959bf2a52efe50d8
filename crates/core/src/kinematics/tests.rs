//! Shared by the tests of this folder: deterministic random numbers, and bounds compared with sampled motions.

pub(super) use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3};

use super::RigidMotion;

/// Distance between two poses, positions relative to `scale`.
pub(super) fn distance_of(a: &Isometry3<f64>, b: &Isometry3<f64>, scale: f64) -> f64 {
    let rotation =
        (a.rotation.to_rotation_matrix().matrix() - b.rotation.to_rotation_matrix().matrix()).amax();
    ((a.translation.vector - b.translation.vector).norm() / scale).max(rotation)
}

/// Compares velocities with finite differences of poses, and bounds with the motion of random points in random intervals.
pub(super) fn assert_bounds_hold(motion: &dyn RigidMotion, noise: &mut Noise) {
    let bounds = motion.bounds();
    let size = 1.0 + bounds.speed + bounds.angular_speed;
    for _ in 0..10 {
        let (t, h) = (0.5 + 0.49 * noise.next(), 1e-5);
        let (center, radius) = (Point3::from(noise.vector()), 0.3);
        let point = center + radius * noise.next() * noise.direction().into_inner();
        let at = |t: f64| motion.pose_at(t) * point;
        let velocity_at = |t: f64| {
            let (pose, twist) = motion.state_at(t);
            twist.linear + twist.angular.cross(&(pose.rotation * point.coords))
        };
        let differences = (at(t + h) - at(t - h)) / (2.0 * h);
        assert!((differences - velocity_at(t)).norm() < 1e-6 * size.powi(3));
        assert!(velocity_at(t).norm() <= motion.speed_bound(&center, radius) * (1.0 + 1e-12));
        let acceleration = (velocity_at(t + h) - velocity_at(t - h)).norm() / (2.0 * h);
        let bound = bounds.acceleration_at(point.coords.norm());
        assert!(acceleration <= bound * (1.0 + 1e-12) + 1e-6 * size.powi(3), "{acceleration} {bound}");
        if let Some(axis) = bounds.axis {
            let along = (velocity_at(t + h) - velocity_at(t - h)).dot(&axis) / (2.0 * h);
            assert!(along.abs() <= 1e-9 * size.powi(3), "{along}");
        }
        let n = bounds.axis.filter(|_| noise.next() > 0.0).unwrap_or_else(|| noise.direction());
        let until = t + (1.0 - t) * 0.5 * (1.0 + noise.next());
        let bound = motion.displacement_bound(&n, &center, radius, [t, until]);
        for i in 0..=20 {
            let s = t + (until - t) * f64::from(i) / 20.0;
            let got = n.dot(&(at(s) - at(t)));
            assert!(got <= bound + 1e-12 * size, "{got} {bound}");
        }
    }
}
