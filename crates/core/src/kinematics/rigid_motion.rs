//! What is asked of a rigid motion: where the body is, how fast, and bounds of that which hold for the whole motion.
//!
//! From these follow bounds for every point of the body, of the speed [Lin17 §40.3, conservative advancement; Mir96]
//! and, along a direction, of the displacement [TKM09 §IV].
//!
//! | here | meaning                                                                  |
//! |------|--------------------------------------------------------------------------|
//! | o    | origin of the body's frame, in the world [m]                             |
//! | v, ω | velocity of o [m] and angular velocity [rad], per motion, in the world   |
//! | x    | a point of the body; r = x − o                                           |
//! | n    | a unit vector                                                            |

use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// Velocities of a rigid body at one time, in the world frame, for a motion that lasts one unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Velocity of the origin of the body's frame [m per motion].
    pub linear: Vector3<f64>,
    /// Angular velocity [rad per motion].
    pub angular: Vector3<f64>,
}

/// Upper bounds that hold at every time of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionBounds {
    /// Of |v| [m per motion].
    pub speed: f64,
    /// Of |ω| [rad per motion].
    pub angular_speed: f64,
    /// Of |dv/dt| [m per motion²].
    pub acceleration: f64,
    /// Of |dω/dt| [rad per motion²].
    pub angular_acceleration: f64,
    /// A direction in the world about which all turning goes on, and along which nothing ever accelerates, if there is
    /// one: that of a screw, or of the joints of a planar arm.
    pub axis: Option<Unit<Vector3<f64>>>,
}

/// Sine of the angle by which directions may differ and still be taken for parallel: rounding along a chain of joints.
const PARALLEL: f64 = 1e-13;
/// Share of an acceleration that may lie along an axis for all its rounding.
const ALONG_AXIS: f64 = 1e-12;

impl MotionBounds {
    /// Bounds of what rests.
    pub const STILL: Self =
        Self { speed: 0.0, angular_speed: 0.0, acceleration: 0.0, angular_acceleration: 0.0, axis: None };

    /// Whether no point ever accelerates.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.acceleration <= 0.0 && self.angular_speed <= 0.0 && self.angular_acceleration <= 0.0
    }

    /// The axis of this motion and of another one together, if they have one: also that of either body as the other
    /// one sees it.
    #[must_use]
    pub fn common_axis(&self, other: &Self) -> Option<Unit<Vector3<f64>>> {
        match (self.axis, other.axis) {
            (axis, _) if other.is_uniform() => axis,
            (_, axis) if self.is_uniform() => axis,
            (Some(axis), Some(other)) => Some(axis).filter(|axis| axis.cross(&other).norm() <= PARALLEL),
            _ => None,
        }
    }

    /// Bound of the acceleration of a point `distance` [m] from the body's origin [m per motion²].
    ///
    /// d²x/dt² = dv/dt + dω/dt × r + ω × (ω × r).
    #[must_use]
    pub fn acceleration_at(&self, distance: f64) -> f64 {
        self.acceleration + (self.angular_acceleration + self.angular_speed * self.angular_speed) * distance
    }
}

/// The greatest share of an acceleration that may lie along a unit vector, when none of it lies along the axis.
///
/// With a across the axis u, n·a = (n − (n·u) u)·a, and n − (n·u) u is as long as n × u.
pub(crate) fn share_along(direction: &Vector3<f64>, axis: Option<Unit<Vector3<f64>>>) -> f64 {
    axis.map_or(1.0, |axis| (axis.cross(direction).norm() + ALONG_AXIS).min(1.0))
}

/// A rigid motion over the time from 0 to 1 with proved bounds.
///
/// Whoever implements it vouches for the bounds: a query that says "free of contact" is as true as they are.
pub trait RigidMotion: Sync {
    /// The pose at time `t`, body to world.
    fn pose_at(&self, t: f64) -> Isometry3<f64>;

    /// The velocities at time `t`.
    fn twist_at(&self, t: f64) -> Twist;

    /// Bounds that hold from 0 to 1.
    fn bounds(&self) -> MotionBounds;

    /// The pose and the velocities at time `t`.
    fn state_at(&self, t: f64) -> (Isometry3<f64>, Twist) {
        (self.pose_at(t), self.twist_at(t))
    }

    /// Upper bound of the speed that any point within `radius` [m] of `center` [m, body frame] ever has [m per motion].
    fn speed_bound(&self, center: &Point3<f64>, radius: f64) -> f64 {
        let bounds = self.bounds();
        bounds.speed + bounds.angular_speed * (center.coords.norm() + radius)
    }

    /// Upper bound of how far along `direction` (world) any point within `radius` [m] of `center` [m, body frame] gets
    /// from where it is at the first of `times`, until any time up to the second one [m]; never negative.
    ///
    /// Of two bounds the lesser one. By the mean value theorem the speed bounds it. And with the velocity at the first
    /// time, Taylor: n·Δx ≤ Δt (n·ẋ(c) + |n × ω| r) + ½ Δt² sup|ẍ|, where n·(ω × r) = r·(n × ω).
    ///
    /// ```
    /// use extricate_core::kinematics::{Motion, RigidMotion};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// // A quarter turn about z: a point on the x axis first moves along y, and hardly along x.
    /// let quarter = Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
    /// let motion = Motion::linear(&Isometry3::identity(), &quarter);
    /// let bound = |n: Vector3<f64>| {
    ///     motion.displacement_bound(&nalgebra::Unit::new_normalize(n), &Point3::new(1.0, 0.0, 0.0), 0.0, [0.0, 0.1])
    /// };
    /// assert!(bound(Vector3::y()) >= (0.1 * std::f64::consts::FRAC_PI_2).sin());
    /// assert!(bound(Vector3::x()) < 0.013);
    /// ```
    fn displacement_bound(
        &self,
        direction: &Unit<Vector3<f64>>,
        center: &Point3<f64>,
        radius: f64,
        times: [f64; 2],
    ) -> f64 {
        let (pose, twist) = self.state_at(times[0]);
        let duration = times[1] - times[0];
        let arm = pose.rotation * center.coords;
        let along = direction.dot(&(twist.linear + twist.angular.cross(&arm)));
        let fastest = along + direction.cross(&twist.angular).norm() * radius;
        let bounds = self.bounds();
        let curved = bounds.acceleration_at(arm.norm() + radius) * share_along(direction, bounds.axis);
        let by_taylor = duration * fastest.max(0.0) + 0.5 * duration * duration * curved;
        by_taylor.min(duration * self.speed_bound(center, radius))
    }
}
