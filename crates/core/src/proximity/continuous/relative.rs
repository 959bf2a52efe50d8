//! Motion of A relative to B, in the frame of B: pose, velocity, and a bound of the acceleration.
//!
//! With x a point of A, o the origins of the bodies' frames, z = x − o_b, R the orientation of B and y = Rᵀz the position of
//! x in the frame of B:
//!
//! ẏ = Rᵀ(ż − ω_b × z),  |ÿ| ≤ |z̈| + 2 |ω_b| |ż| + (|ω_b|² + |ω̇_b|) |z|.
//!
//! If both bodies rotate about one common direction only, the acceleration is perpendicular to it.
//!
//! For a point at distance ρ from A's origin the right side is at most α₀ + α₁ ρ throughout the motion. It vanishes for
//! translations, and for a B at rest it is A's own acceleration: B should therefore be the body that rotates less.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::kinematics::rigid_motion::{MotionBounds, RigidMotion, Twist};
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Rounding of poses and velocities in double precision, relative to the positions and speeds that enter them.
const ROUNDING: f64 = 1e-15;
/// Inflation that covers the rounding of the bounds themselves.
const INFLATION: f64 = 1.0 + 1e-12;

/// Model with its motion.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub(crate) model: &'a Model,
    pub(crate) motion: &'a dyn RigidMotion,
}

/// Motion of A relative to B, in the frame of B's tree.
pub(crate) struct Relative<'a> {
    pub(crate) a: Moving<'a>,
    pub(crate) b: Moving<'a>,
    /// Bound of the acceleration of a point of A: α₀ [m] and α₁ [1], see the module's documentation.
    acceleration: [f64; 2],
    /// Direction in the world along which no point of A accelerates relative to B, if there is one.
    axis: Option<Unit<Vector3<f64>>>,
    /// Rounding of velocities [m per motion].
    speed_slack: f64,
    /// Rounding of positions [m], which grows with the distance of the poses from the origin.
    position_slack: f64,
    /// Length scale [m]: upper bound of the speed and of the acceleration of any point of A, and of both radii together.
    pub(crate) scale: f64,
}

/// Relative motion at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant {
    /// Pose of A's tree in the frame of B's tree.
    pub(crate) a_to_b: RelativePose,
    /// Velocity of the centre of A's tree [m per motion].
    pub(crate) linear: Vector3<f64>,
    /// Angular velocity of A [rad per motion].
    pub(crate) angular: Vector3<f64>,
    /// Direction along which no point of A ever accelerates, if there is one.
    pub(crate) axis: Option<Unit<Vector3<f64>>>,
}

impl<'a> Relative<'a> {
    pub(crate) fn new(a: Moving<'a>, b: Moving<'a>) -> Self {
        let [of_a, of_b] = [a.motion.bounds(), b.motion.bounds()];
        let farthest = max_distance(a.motion, b.motion, of_a.speed + of_b.speed);
        let acceleration = accelerations(&of_a, &of_b, farthest);
        let reach = |moving: &Moving<'_>| moving.model.center().coords.norm() + moving.model.radius();
        let [reach_a, reach_b] = [reach(&a), reach(&b)];
        let speed = of_a.speed
            + of_b.speed
            + of_a.angular_speed * reach_a
            + of_b.angular_speed * (farthest + reach_a + reach_b);
        let position = |moving: &Moving<'_>, bounds: &MotionBounds| {
            moving.motion.pose_at(0.0).translation.vector.norm() + bounds.speed
        };
        let positions = position(&a, &of_a) + position(&b, &of_b) + reach_a + reach_b;
        let rotations = 1.0 + of_a.angular_speed + of_b.angular_speed;
        let fastest = speed + acceleration[0] + acceleration[1] * reach_a;
        Self {
            a,
            b,
            acceleration,
            axis: of_a.common_axis(&of_b),
            speed_slack: 8.0 * ROUNDING * speed * rotations,
            position_slack: 4.0 * ROUNDING * (positions + rotations * (reach_a + reach_b)),
            scale: fastest + a.model.radius() + b.model.radius(),
        }
    }

    /// Bound of the acceleration, relative to B, of any point of A within `distance` [m] of the origin of A's frame.
    pub(crate) fn acceleration_within(&self, distance: f64) -> f64 {
        (self.acceleration[0] + self.acceleration[1] * distance) * INFLATION
    }

    /// Bound of the acceleration of any point of A relative to B.
    pub(crate) fn max_acceleration(&self) -> f64 {
        self.acceleration_within(self.a.model.center().coords.norm() + self.a.model.radius())
    }

    /// Minimum tolerance [m]: the smallest gap that is distinguishable from contact in spite of rounding.
    pub(crate) fn min_tolerance(&self) -> f64 {
        8.0 * (self.position_slack + self.at(0.0).a_to_b.slack())
    }

    pub(crate) fn is_finite(&self) -> bool {
        let poses = [0.0, 1.0].iter().all(|&t| {
            self.poses_at(t).iter().all(|pose| {
                pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite())
            })
        });
        // Squares of the scale enter the free times.
        poses && (self.scale * self.scale).is_finite()
    }

    /// Bound of the rounding of a speed [m per motion].
    pub(crate) fn speed_slack(&self) -> f64 {
        self.speed_slack
    }

    /// Bound of the rounding of positions [m].
    pub(crate) fn position_slack(&self) -> f64 {
        self.position_slack
    }

    pub(crate) fn poses_at(&self, t: f64) -> [Isometry3<f64>; 2] {
        [self.a.motion.pose_at(t), self.b.motion.pose_at(t)]
    }

    pub(crate) fn at(&self, t: f64) -> Instant {
        let ((pose_a, of_a), (pose_b, of_b)) = (self.a.motion.state_at(t), self.b.motion.state_at(t));
        let to_b = pose_b.rotation.inverse();
        let arm = pose_a.rotation * self.a.model.center().coords;
        let from_b = pose_a.translation.vector - pose_b.translation.vector + arm;
        // B's frame rotates with B: the velocity of B at the same point is subtracted.
        let velocity = velocity_at(&of_a, &arm) - velocity_at(&of_b, &from_b);
        Instant {
            a_to_b: RelativePose::between(self.a.model, &pose_a, self.b.model, &pose_b),
            linear: to_b * velocity,
            angular: to_b * (of_a.angular - of_b.angular),
            // B rotates about it too, if at all, so that the direction is constant in the frame of B.
            axis: self.axis.map(|axis| to_b * axis),
        }
    }
}

fn velocity_at(twist: &Twist, arm: &Vector3<f64>) -> Vector3<f64> {
    twist.linear + twist.angular.cross(arm)
}

/// Bound of the distance of the bodies' origins at any time [m], which travel at most `travelled` [m] in total: an
/// excursion beyond the distances at both ends has to fit into a path of that length.
fn max_distance(a: &dyn RigidMotion, b: &dyn RigidMotion, travelled: f64) -> f64 {
    let between = |t: f64| {
        let [p, q] = [a.pose_at(t), b.pose_at(t)].map(|pose| Point3::from(pose.translation.vector));
        nalgebra::distance(&p, &q)
    };
    0.5 * (between(0.0) + between(1.0) + travelled)
}

/// Coefficients α₀ and α₁ of the bound of the acceleration, see the module's documentation.
fn accelerations(a: &MotionBounds, b: &MotionBounds, farthest: f64) -> [f64; 2] {
    let centrifugal =
        |bounds: &MotionBounds| bounds.angular_acceleration + bounds.angular_speed * bounds.angular_speed;
    let at_origin = a.acceleration
        + b.acceleration
        // Coriolis acceleration.
        + 2.0 * b.angular_speed * (a.speed + b.speed)
        + centrifugal(b) * farthest;
    let per_distance = centrifugal(a) + 2.0 * b.angular_speed * a.angular_speed + centrifugal(b);
    [at_origin, per_distance]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Solidity;
    use crate::kinematics::Motion;
    use crate::proximity::shapes;
    use crate::proximity::tests::Noise;

    /// Checks velocities and the bound of accelerations against finite differences of the position of a point of A in the
    /// frame of B; returns the maximum ratio of the acceleration to its bound.
    fn check(of_a: &Motion, of_b: &Motion, point: &Vector3<f64>) -> f64 {
        let model = Model::new(shapes::cuboid(Vector3::new(1.0, 2.0, 3.0)), Solidity::Solid);
        let relative =
            Relative::new(Moving { model: &model, motion: of_a }, Moving { model: &model, motion: of_b });
        let seen = |t: f64| of_b.pose_at(t).inverse() * (of_a.pose_at(t) * Point3::from(*point));
        let bound = relative.acceleration_within(point.norm());
        let (h, mut ratio) = (1e-4, 0.0_f64);
        for i in 1..10 {
            let t = 0.1 * f64::from(i);
            let now = relative.at(t);
            let velocity = now.linear + now.angular.cross(&(now.a_to_b.rotation * point));
            let rounding = 1e-5 * (1.0 + relative.scale);
            assert!(((seen(t + h) - seen(t - h)) / (2.0 * h) - velocity).norm() <= rounding);
            let acceleration = ((seen(t + h) - seen(t)) - (seen(t) - seen(t - h))) / (h * h);
            assert!(acceleration.norm() <= bound + rounding, "{} {bound}", acceleration.norm());
            if let Some(axis) = now.axis {
                assert!(acceleration.dot(&axis).abs() <= rounding);
            }
            ratio = ratio.max(acceleration.norm() / bound);
        }
        ratio
    }

    #[test]
    fn relative_accelerations_never_exceed_the_bound() {
        let mut noise = Noise(80);
        for _ in 0..50 {
            let mut motion = || {
                let from = Isometry3::new(noise.vector(), noise.vector());
                Motion::steady(&from, &noise.vector(), &(3.0 * noise.vector()))
            };
            let (of_a, of_b) = (motion(), motion());
            check(&of_a, &of_b, &noise.vector());
        }
    }

    #[test]
    fn bodies_that_rotate_against_one_another_reach_the_bound() {
        let rotating =
            |w: f64| Motion::steady(&Isometry3::identity(), &Vector3::zeros(), &(Vector3::z() * w));
        for (a, b) in [(3.0, -3.0), (5.0, -1.0), (0.0, 2.0), (2.0, 0.0)] {
            // Relative to B the point rotates at a − b.
            assert!(check(&rotating(a), &rotating(b), &Vector3::new(0.3, 0.4, 0.0)) > 0.99, "{a} {b}");
        }
    }

    #[test]
    fn a_body_that_passes_a_rotating_one_has_the_coriolis_acceleration_relative_to_it() {
        // 2 ω v, beside which the centrifugal part of the bound, ω² times the distance, is small.
        let rotating = Motion::steady(&Isometry3::identity(), &Vector3::zeros(), &Vector3::z());
        let passing = Motion::steady(&Isometry3::identity(), &(10.0 * Vector3::x()), &Vector3::zeros());
        let ratio = check(&passing, &rotating, &Vector3::zeros());
        assert!(ratio > 0.6, "{ratio}");
    }
}
