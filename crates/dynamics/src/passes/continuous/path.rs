//! Path of a body through a step: its centre of mass moves along a straight line while it rotates at a constant angular
//! velocity, the motion of a free body. The motion in the solver's substeps is not known; a contact that it resolved is at
//! one end of the path.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use extricate_core::kinematics::{Motion, RigidMotion};

/// The motion of a body from the time `begin` of a step to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Path {
    /// Time at which the motion begins; it is not evaluated before.
    pub(super) begin: f64,
    /// Pose at that time, body → world.
    pub(super) from: Isometry3<f64>,
    /// The point that moves along a straight line [m, body frame].
    pub(super) center: Point3<f64>,
    /// Velocity of that point [m per step, world].
    pub(super) linear: Vector3<f64>,
    /// Angular velocity [rad per step, world].
    pub(super) angular: Vector3<f64>,
}

impl Path {
    /// Path of a body at rest.
    pub(super) fn resting(pose: &Isometry3<f64>) -> Self {
        let (linear, angular) = (Vector3::zeros(), Vector3::zeros());
        Self { begin: 0.0, from: *pose, center: Point3::origin(), linear, angular }
    }

    /// Path from one pose to another, about a centre [m, body frame], with as many revolutions as the rotation vector
    /// `expected` [rad, world].
    pub(super) fn between(
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
        center: &Point3<f64>,
        expected: &Vector3<f64>,
    ) -> Self {
        let linear = to * center - from * center;
        let angular = rotation_vector(from, to, expected);
        Self { begin: 0.0, from: *from, center: *center, linear, angular }
    }

    /// Pose at a time of the step, not before the motion begins.
    pub(super) fn pose_at(&self, time: f64) -> Isometry3<f64> {
        if self.rests() { self.from } else { self.motion(self.begin, 1.0).pose_at(self.fraction(time)) }
    }

    /// Fraction of the motion that has passed at a time of the step.
    fn fraction(&self, time: f64) -> f64 {
        if self.begin < 1.0 { (time - self.begin) / (1.0 - self.begin) } else { 0.0 }
    }

    pub(super) fn rests(&self) -> bool {
        self.linear == Vector3::zeros() && self.angular == Vector3::zeros()
    }

    /// Motion between two times of the step.
    pub(super) fn motion(&self, start: f64, end: f64) -> Motion {
        let pose = if start > self.begin { self.pose_at(start) } else { self.from };
        let duration = end - start;
        Motion::about(&pose, &self.center, &(self.linear * duration), &(self.angular * duration))
    }

    /// Position of the centre at a time [m, world].
    pub(super) fn center_at(&self, time: f64) -> Point3<f64> {
        self.from * self.center + self.linear * (time - self.begin)
    }

    /// Velocity [m per step] of the point of the body that is at `point` [m, world] at a time.
    pub(super) fn velocity_at(&self, time: f64, point: &Point3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point - self.center_at(time)))
    }

    /// Stops the body at a time.
    pub(super) fn stop(&mut self, time: f64) {
        *self = Self { begin: time, ..Self::resting(&self.pose_at(time)) };
    }

    /// Moves the body as if it were fixed to another one from a time on.
    pub(super) fn follow(&mut self, carrier: &Self, time: f64) {
        let from = self.pose_at(time);
        let center = from.inverse_transform_point(&carrier.center_at(time));
        let (linear, angular) = (carrier.linear, carrier.angular);
        *self = Self { begin: time, from, center, linear, angular };
    }
}

/// Upper bound of the displacement [m] of any point of one of two bodies relative to the other in a step, whose motions begin with it; the reaches are the
/// maximum distances of their points from the centres [m]. The motion that both have in common does not count: links of a robot that falls and rotates
/// hardly move relative to each other.
pub(super) fn relative_motion([a, b]: [&Path; 2], [reach_a, reach_b]: [f64; 2]) -> f64 {
    let linear = b.linear - a.linear;
    let (speed, spins) = (linear.norm(), [a.angular.norm(), b.angular.norm()]);
    let apart = speed + spins[0] * reach_a + spins[1] * reach_b;
    let spin = (b.angular - a.angular).norm();
    let between = b.from * b.center - a.from * a.center;
    // In the frame of one body: the velocity there of the centre of the other, as the line between the centres changes by their motion.
    let within = |of: &Path, spin_of: f64, reach: f64| {
        (linear - of.angular.cross(&between)).norm() + spin_of * speed + spin * reach
    };
    apart.min(within(a, spins[0], reach_b)).min(within(b, spins[1], reach_a))
}

/// Rotation vector [rad, world] from one orientation to another: of all that differ by full revolutions the one nearest to
/// `expected`.
fn rotation_vector(from: &Isometry3<f64>, to: &Isometry3<f64>, expected: &Vector3<f64>) -> Vector3<f64> {
    let rotation = to.rotation * from.rotation.inverse();
    let rotation =
        if rotation.w < 0.0 { UnitQuaternion::new_unchecked(-rotation.into_inner()) } else { rotation };
    let short = rotation.scaled_axis();
    // After full revolutions the short rotation vanishes, and only the expected one has an axis.
    let Some(axis) = short.try_normalize(0.0).or_else(|| expected.try_normalize(0.0)) else { return short };
    let revolutions = ((expected.dot(&axis) - short.dot(&axis)) / TAU).round();
    short + axis * (revolutions * TAU)
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_test_support::Noise;

    #[test]
    fn a_path_ends_at_the_second_pose_whatever_its_number_of_revolutions() {
        let from = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, 0.2, 0.1));
        let center = Point3::new(0.1, -0.2, 0.3);
        for revolutions in [0.0, 1.0, -2.0, 7.0] {
            let rotation = Vector3::z() * (0.7 + revolutions * TAU);
            let rotated = UnitQuaternion::new(rotation) * from.rotation;
            let middle = from * center + Vector3::new(0.5, 0.0, -1.0);
            let to = Isometry3::from_parts((middle - rotated * center).into(), rotated);
            let path = Path::between(&from, &to, &center, &(rotation * 1.01));
            assert!((path.angular - rotation).norm() < 1e-12, "{revolutions}: {}", path.angular);
            let end = path.pose_at(1.0);
            assert!((end.translation.vector - to.translation.vector).norm() < 1e-12);
            assert!(end.rotation.angle_to(&to.rotation) < 1e-12);
        }
    }

    #[test]
    fn no_point_moves_farther_relative_to_another_body_than_the_bound() {
        let mut noise = Noise(1);
        let (mut closest, mut common) = (0.0_f64, f64::INFINITY);
        for case in 0..400 {
            let mut vector = |scale: f64| Vector3::from_fn(|_, _| scale * noise.signed());
            let mut path = || Path {
                begin: 0.0,
                from: Isometry3::new(vector(1.0), vector(1.0)),
                center: Point3::from(vector(0.3)),
                linear: vector(0.2),
                angular: vector(0.2),
            };
            let (a, mut b) = (path(), path());
            if case % 2 == 0 {
                // Almost the motion of the other body.
                b.follow(&a, 0.0);
                b.angular += vector(1e-3);
            }
            let point = |of: &Path, towards: Vector3<f64>| of.center + towards.normalize() * 0.4;
            let points = [point(&a, vector(1.0)), point(&b, vector(1.0))];
            let bound = relative_motion([&a, &b], [0.4; 2]);
            let distance = |time: f64| (a.pose_at(time) * points[0] - b.pose_at(time) * points[1]).norm();
            for step in 1..=8 {
                let change = (distance(f64::from(step) / 8.0) - distance(0.0)).abs();
                assert!(change <= bound * (1.0 + 1e-12), "{change} {bound}");
                closest = closest.max(change / bound);
            }
            if case % 2 == 0 {
                common = common.min(bound / (a.linear.norm() + a.angular.norm() * 0.4));
            }
        }
        assert!(closest > 0.3 && common < 0.1, "{closest} {common}");
    }

    #[test]
    fn a_body_that_follows_another_one_keeps_its_place_on_it() {
        let carrier = Path {
            begin: 0.0,
            from: Isometry3::translation(1.0, 0.0, 0.0),
            center: Point3::new(0.0, 0.3, 0.0),
            linear: Vector3::new(0.2, 0.1, 0.0),
            angular: Vector3::new(0.0, 0.4, 1.5),
        };
        let mut rider =
            Path { linear: Vector3::z(), ..Path::resting(&Isometry3::translation(0.0, 1.0, 0.0)) };
        rider.follow(&carrier, 0.25);
        let place = |time| carrier.pose_at(time).inv_mul(&rider.pose_at(time));
        let (start, end) = (place(0.25), place(1.0));
        assert!((start.translation.vector - end.translation.vector).norm() < 1e-12);
        assert!(start.rotation.angle_to(&end.rotation) < 1e-12);
    }
}
