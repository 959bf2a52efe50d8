//! Motions of one rigid body between two poses: interpolated linearly, along a screw, or about its centre.
//!
//! Both rotate at a constant angular velocity ω. In a *linear* motion the origin of the body's frame moves along a
//! straight line while the rotation is slerped; in a *screw* motion every point moves along a helix about one axis, the
//! motion of a constant twist (Chasles). One formula covers both:
//!
//! o(t) = o(0) + d t + sin(θt)/θ w + (1 − cos θt)/θ ω̂ × w,  R(t) = exp(tω) R(0),  θ = |ω|.
//!
//! | here | meaning                                                                                           |
//! |------|---------------------------------------------------------------------------------------------------|
//! | d    | `drift`: the part of o's velocity that is constant; along ω in a screw motion                     |
//! | w    | `rotating`: the part of o's velocity that rotates with the body, at time 0; zero in a linear motion |
//!
//! A body that rotates about another of its points, its centre of mass, is a third case: its centre c moves along a
//! straight line, d = ċ, and w = ω × (o − c).

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

use super::rigid_motion::{MotionBounds, RigidMotion, Twist};

/// Below this angle [rad] sin θ/θ and (1 − cos θ)/θ are taken from their series, as 1 − cos θ cancels there. At this angle
/// the omitted terms, relatively θ⁴/120 and θ⁴/360, are below rounding, while cancellation would cost half of the digits.
const SMALL_ANGLE: f64 = 1e-4;

/// A motion of a rigid body over the time from 0 to 1.
///
/// ```
/// use extricate_core::kinematics::{Motion, RigidMotion};
/// use nalgebra::{Isometry3, Vector3};
///
/// let (from, to) = (Isometry3::identity(), Isometry3::new(Vector3::x() * 2.0, Vector3::z()));
/// let halfway = Motion::linear(&from, &to).pose_at(0.5);
/// assert!((halfway.translation.vector - Vector3::x()).norm() < 1e-15);
/// assert!((halfway.rotation.angle() - 0.5).abs() < 1e-15);
/// // The screw takes the origin along an arc to the same place.
/// assert!(Motion::screw(&from, &to).pose_at(0.5).translation.y < -0.1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    from: Isometry3<f64>,
    drift: Vector3<f64>,
    rotating: Vector3<f64>,
    /// ω [rad per motion].
    angular: Vector3<f64>,
}

impl Motion {
    /// No motion.
    #[must_use]
    pub fn still(pose: &Isometry3<f64>) -> Self {
        Self { from: *pose, drift: Vector3::zeros(), rotating: Vector3::zeros(), angular: Vector3::zeros() }
    }

    /// From one pose to another: the position of the body's origin interpolated, the rotation slerped along the shortest arc,
    /// by at most π.
    #[must_use]
    pub fn linear(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Self {
        let drift = to.translation.vector - from.translation.vector;
        Self { from: *from, drift, rotating: Vector3::zeros(), angular: rotation_between(from, to) }
    }

    /// From one pose to another along a screw: a rotation about one axis in space by at most π while sliding along it.
    ///
    /// With w = w∥ + w⊥ the velocity of the origin at time 0, its displacement is w∥ + s w⊥ + c ω̂ × w⊥ where
    /// s = sin θ/θ and c = (1 − cos θ)/θ; solved for w⊥, since s² + c² is positive for θ ≤ π.
    #[must_use]
    pub fn screw(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Self {
        let angular = rotation_between(from, to);
        let displacement = to.translation.vector - from.translation.vector;
        // Without rotation the screw is a translation, and θ = 0 has no axis.
        let Some(axis) = angular.try_normalize(0.0) else { return Self::linear(from, to) };
        let drift = axis * axis.dot(&displacement);
        let across = displacement - drift;
        let (s, c) = chord(angular.norm(), 1.0);
        let rotating = (s * across - c * axis.cross(&across)) / (s * s + c * c);
        Self { from: *from, drift, rotating, angular }
    }

    /// At constant velocities: `linear` \[m\] of the body's origin and `angular` [rad, which may exceed 2π], both in
    /// the world frame and for the whole motion.
    #[must_use]
    pub fn steady(from: &Isometry3<f64>, linear: &Vector3<f64>, angular: &Vector3<f64>) -> Self {
        Self { from: *from, drift: *linear, rotating: Vector3::zeros(), angular: *angular }
    }

    /// At constant velocities of a point of the body: `linear` [m, world] of `center` [m, body frame], the motion of a
    /// free body about its centre of mass, and `angular` [rad, world, may exceed 2π], for the whole motion.
    ///
    /// ```
    /// use extricate_core::kinematics::{Motion, RigidMotion};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// let center = Point3::new(1.0, 0.0, 0.0);
    /// let motion = Motion::about(&Isometry3::identity(), &center, &Vector3::x(), &Vector3::z());
    /// assert!((motion.pose_at(0.5) * center - Point3::new(1.5, 0.0, 0.0)).norm() < 1e-15);
    /// ```
    #[must_use]
    pub fn about(
        from: &Isometry3<f64>,
        center: &Point3<f64>,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
    ) -> Self {
        let rotating = angular.cross(&-(from.rotation * center.coords));
        Self { from: *from, drift: *linear, rotating, angular: *angular }
    }

    /// The pose at time 0.
    #[must_use]
    pub fn start(&self) -> &Isometry3<f64> {
        &self.from
    }

    /// The pose at time 1.
    #[must_use]
    pub fn end(&self) -> Isometry3<f64> {
        self.pose_at(1.0)
    }

    fn axis(&self) -> Vector3<f64> {
        self.angular.try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    }
}

impl RigidMotion for Motion {
    fn pose_at(&self, t: f64) -> Isometry3<f64> {
        let (s, c) = chord(self.angular.norm(), t);
        let moved = self.drift * t + self.rotating * s + self.axis().cross(&self.rotating) * c;
        let rotation = UnitQuaternion::new(self.angular * t) * self.from.rotation;
        Isometry3::from_parts(Translation3::from(self.from.translation.vector + moved), rotation)
    }

    fn twist_at(&self, t: f64) -> Twist {
        let (sin, cos) = (self.angular.norm() * t).sin_cos();
        let linear = self.drift + self.rotating * cos + self.axis().cross(&self.rotating) * sin;
        Twist { linear, angular: self.angular }
    }

    fn bounds(&self) -> MotionBounds {
        let angular_speed = self.angular.norm();
        // The rotating part stays perpendicular to ω; in the worst case it is parallel to the drift's part across ω.
        let along = self.axis().dot(&self.drift);
        let across = (self.drift - self.axis() * along).norm();
        MotionBounds {
            speed: along.hypot(across + self.rotating.norm()),
            angular_speed,
            acceleration: angular_speed * self.rotating.norm(),
            angular_acceleration: 0.0,
            // The rotating part of the velocity is perpendicular to ω, and so is its derivative.
            axis: Unit::try_new(self.angular, 0.0),
        }
    }
}

/// The rotation vector [rad, world] of the shortest rotation from the orientation of one pose to that of another.
fn rotation_between(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Vector3<f64> {
    let rotation = to.rotation * from.rotation.inverse();
    // Of the two quaternions of a rotation the one with w ≥ 0 has an angle of at most π.
    let rotation =
        if rotation.w < 0.0 { UnitQuaternion::new_unchecked(-rotation.into_inner()) } else { rotation };
    rotation.scaled_axis()
}

/// sin(θt)/θ and (1 − cos θt)/θ.
fn chord(theta: f64, t: f64) -> (f64, f64) {
    let angle = theta * t;
    if angle.abs() < SMALL_ANGLE {
        return (t * (1.0 - angle * angle / 6.0), t * angle * (0.5 - angle * angle / 24.0));
    }
    let (sin, cos) = angle.sin_cos();
    (sin / theta, (1.0 - cos) / theta)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::kinematics::tests::{Noise, assert_bounds_hold, distance_of};

    #[test]
    fn a_motion_begins_and_ends_at_the_given_poses() {
        let mut noise = Noise(1);
        for angle in [0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, PI] {
            for scale in [1e-6, 1.0, 1e6] {
                let from = noise.pose(scale, 3.0);
                let rotation = UnitQuaternion::from_axis_angle(&noise.direction(), angle);
                let to = Isometry3::from_parts((scale * noise.vector()).into(), rotation * from.rotation);
                for motion in [Motion::linear(&from, &to), Motion::screw(&from, &to)] {
                    assert!(distance_of(&motion.pose_at(0.0), &from, scale) <= 1e-15);
                    assert!(distance_of(&motion.end(), &to, scale) <= 2e-14, "{angle} {scale}");
                    assert!((motion.bounds().angular_speed - angle).abs() <= 1e-14);
                }
            }
        }
    }

    #[test]
    fn a_screw_keeps_every_point_at_its_distance_from_the_axis_and_slides_evenly() {
        // A rotation by 90° about the vertical line through (1, 0), with a rise of 0.3.
        let to = Isometry3::new(Vector3::new(1.0, -1.0, 0.3), Vector3::z() * FRAC_PI_2);
        let motion = Motion::screw(&Isometry3::identity(), &to);
        for i in 0..=10 {
            let t = 0.1 * f64::from(i);
            let p = motion.pose_at(t) * Point3::new(0.5, 0.7, 2.0);
            let expected = 0.5_f64.hypot(0.7);
            assert!(((p.x - 1.0).hypot(p.y) - expected).abs() < 1e-14);
            assert!((p.z - 2.0 - 0.3 * t).abs() < 1e-14);
        }
    }

    #[test]
    fn a_steady_rotation_may_exceed_a_full_revolution() {
        let motion = Motion::steady(&Isometry3::identity(), &Vector3::x(), &(Vector3::z() * 4.5 * PI));
        let end = motion.end();
        assert!((end * Point3::new(1.0, 0.0, 0.0) - Point3::new(1.0, 1.0, 0.0)).norm() < 1e-14);
    }

    #[test]
    fn no_point_is_faster_or_gets_farther_than_the_bounds_say() {
        let mut noise = Noise(2);
        for _ in 0..60 {
            let (from, to) = (noise.pose(1.0, 3.0), noise.pose(1.0, 3.0));
            assert_bounds_hold(&Motion::linear(&from, &to), &mut noise);
            assert_bounds_hold(&Motion::screw(&from, &to), &mut noise);
            assert_bounds_hold(&Motion::steady(&from, &noise.vector(), &(10.0 * noise.vector())), &mut noise);
            let (center, linear) = (noise.vector().into(), noise.vector());
            assert_bounds_hold(&Motion::about(&from, &center, &linear, &(10.0 * noise.vector())), &mut noise);
        }
    }

    #[test]
    fn along_a_direction_across_the_velocity_the_bound_is_of_second_order() {
        let motion = Motion::steady(&Isometry3::identity(), &Vector3::zeros(), &Vector3::z());
        let bound = |t: f64| {
            motion.displacement_bound(
                &Unit::new_normalize(-Vector3::x()),
                &Point3::new(1.0, 0.0, 0.0),
                0.0,
                [0.0, t],
            )
        };
        assert!((bound(0.01) / (1.0 - 0.01_f64.cos()) - 1.0).abs() < 1e-4);
    }
}
