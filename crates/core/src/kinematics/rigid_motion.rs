//! Rigid motions: pose and twist at a time, and bounds of both that hold for the whole motion.
//!
//! They imply bounds for every point of the body: of its speed [Lin17 §40.3, conservative advancement; Mir96]
//! and of its displacement along a direction [TKM09 §IV].
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
    /// Direction in the world of every angular velocity, along which no point ever accelerates, if there is one: the
    /// axis of a screw, or of the joints of a planar arm.
    pub axis: Option<Unit<Vector3<f64>>>,
}

/// Sine of the angle below which two axes count as parallel: allows for rounding along a chain of joints. With a smaller
/// one planar arms lose their common axis; a larger one would neglect an acceleration along it.
const PARALLEL: f64 = 1e-13;
/// Fraction of an acceleration that may lie along the axis owing to rounding; above [`PARALLEL`], so that the bound holds
/// for axes that only count as parallel.
const ALONG_AXIS: f64 = 1e-12;

impl MotionBounds {
    /// Bounds of a body at rest.
    pub const STILL: Self =
        Self { speed: 0.0, angular_speed: 0.0, acceleration: 0.0, angular_acceleration: 0.0, axis: None };

    /// Whether no point ever accelerates.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.acceleration <= 0.0 && self.angular_speed <= 0.0 && self.angular_acceleration <= 0.0
    }

    /// The common axis of this motion and another one, if they have one; it is also the axis of their relative motion.
    #[must_use]
    pub fn common_axis(&self, other: &Self) -> Option<Unit<Vector3<f64>>> {
        match (self.axis, other.axis) {
            // A body that translates uniformly adds no acceleration, whatever its axis.
            (axis, _) if other.is_uniform() => axis,
            (_, axis) if self.is_uniform() => axis,
            (Some(axis), Some(other)) => Some(axis).filter(|axis| axis.cross(&other).norm() <= PARALLEL),
            _ => None,
        }
    }

    /// Bound of the acceleration of a point `distance` \[m\] from the body's origin [m per motion²].
    ///
    /// d²x/dt² = dv/dt + dω/dt × r + ω × (ω × r).
    #[must_use]
    pub fn acceleration_at(&self, distance: f64) -> f64 {
        self.acceleration + (self.angular_acceleration + self.angular_speed * self.angular_speed) * distance
    }
}

/// Upper bound of |n·a|/|a| for a unit vector n (`direction`) and an acceleration a across the axis.
///
/// With a across the axis u, n·a = (n − (n·u) u)·a, and n − (n·u) u is as long as n × u.
pub(crate) fn fraction_along(direction: &Vector3<f64>, axis: Option<Unit<Vector3<f64>>>) -> f64 {
    axis.map_or(1.0, |axis| (axis.cross(direction).norm() + ALONG_AXIS).min(1.0))
}

/// A rigid motion over the time from 0 to 1 with proved bounds.
///
/// Implementors guarantee the bounds: a query that proves freedom of contact is only as correct as they are.
pub trait RigidMotion: Sync {
    /// Pose at time `t`, body to world.
    fn pose_at(&self, t: f64) -> Isometry3<f64>;

    /// Velocities at time `t`.
    fn twist_at(&self, t: f64) -> Twist;

    /// Bounds that hold from 0 to 1.
    fn bounds(&self) -> MotionBounds;

    /// Pose and velocities at time `t`.
    fn state_at(&self, t: f64) -> (Isometry3<f64>, Twist) {
        (self.pose_at(t), self.twist_at(t))
    }

    /// Upper bound of the speed of any point within `radius` \[m\] of `center` [m, body frame] [m per motion] \[Mir96\].
    fn speed_bound(&self, center: &Point3<f64>, radius: f64) -> f64 {
        let bounds = self.bounds();
        bounds.speed + bounds.angular_speed * (center.coords.norm() + radius)
    }

    /// Upper bound of the displacement along `direction` (world) of any point within `radius` \[m\] of `center` [m, body
    /// frame], from the first of `times` to any time up to the second one \[m\]; never negative [TKM09 §IV].
    ///
    /// The smaller of two bounds: Δt times the maximum speed, by the mean value theorem; and by Taylor's theorem about
    /// the first time, n·Δx ≤ Δt (n·ẋ(c) + |n × ω| r) + ½ Δt² sup|ẍ|, where n·(ω × r) = r·(n × ω).
    ///
    /// ```
    /// use extricate_core::kinematics::{Motion, RigidMotion};
    /// use nalgebra::{Isometry3, Point3, Vector3};
    ///
    /// // A rotation by 90° about z: a point on the x axis first moves along y, and hardly along x.
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
        let max_velocity = along + direction.cross(&twist.angular).norm() * radius;
        let bounds = self.bounds();
        let max_acceleration =
            bounds.acceleration_at(arm.norm() + radius) * fraction_along(direction, bounds.axis);
        // A negative velocity must not reduce the bound: the maximum may be attained at the first time.
        let by_taylor = duration * max_velocity.max(0.0) + 0.5 * duration * duration * max_acceleration;
        by_taylor.min(duration * self.speed_bound(center, radius))
    }
}
