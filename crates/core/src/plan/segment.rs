//! A straight motion of a movable model: joint values and the position of the base run linearly, and the rotation of the base
//! is slerped the short way at constant speed.

use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::penetration::generalized::movable::Obstacle;
use crate::penetration::generalized::pose::Pose;

/// A straight motion of a movable model among obstacles.
pub(super) struct Segment<'a> {
    pub(super) from: &'a Pose,
    pub(super) to: &'a Pose,
    pub(super) base: Motion,
    pub(super) obstacles: &'a [Obstacle],
}

impl<'a> Segment<'a> {
    pub(super) fn new(from: &'a Pose, to: &'a Pose, obstacles: &'a [Obstacle]) -> Self {
        Self { from, to, base: Motion::linear(&from.base, &to.base), obstacles }
    }

    /// The pose at a time in [0, 1].
    pub(super) fn at(&self, time: f64) -> Pose {
        let joints = self.from.joints.iter().zip(&self.to.joints);
        let joints = joints.map(|(from, to)| from + (to - from) * time).collect();
        Pose { base: self.base.pose_at(time), joints }
    }
}
