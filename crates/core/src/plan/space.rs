//! The space of a plan: ranges to sample, and the metric.
//!
//! The metric is the object norm [Tang14 §6.3]: σ from a sample to every node of a tree, with the weights of the sample.
//! A revolute joint is embedded as a point of a circle, whose squared distances are (2 sin(Δq/2))² [Tang14 eq. 26].

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};

use super::segment::Segment;
use super::types::{PlanError, PlanOptions};
use crate::geometry::random::SplitMix64;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::movable::Base;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::Metric;

/// The configuration space of a movable model, bounded for sampling.
pub(super) struct Space<'a> {
    pub(super) collision_world: &'a CollisionWorld,
    /// Lower and upper bound of each generalized coordinate for sampling.
    ranges: Vec<[f64; 2]>,
    /// Corners of the box of positions of a floating base [m].
    region: [Point3<f64>; 2],
    start: &'a Pose,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        collision_world: &'a CollisionWorld,
        [start, goal]: [&'a Pose; 2],
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        let movable = &collision_world.movables()[0];
        let region = options.region.unwrap_or_else(|| region_of(collision_world, [start, goal]));
        let span = (region[1] - region[0]).norm();
        let limits = movable.limits()?;
        let ranges = limits.iter().enumerate().map(|(at, &[lower, upper])| {
            let joint = movable.articulation().coordinates()[at];
            let is_revolute =
                matches!(movable.articulation().joints()[joint].kind, JointKind::Revolute { .. });
            // A joint without limits is sampled half a revolution, or the size of the region, around both ends.
            let free = if is_revolute { std::f64::consts::PI } else { span };
            let [from, to] = [start.joints[at], goal.joints[at]];
            if movable.fixed()[at] {
                return [from, from];
            }
            let (min, max) = (from.min(to) - free, from.max(to) + free);
            [if lower.is_finite() { lower } else { min }, if upper.is_finite() { upper } else { max }]
        });
        Ok(Self { collision_world, ranges: ranges.collect(), region, start })
    }

    /// A uniformly distributed pose.
    pub(super) fn sample(&self, numbers: &mut SplitMix64) -> Pose {
        let joints = self
            .ranges
            .iter()
            .map(|[lower, upper]| lower + (upper - lower) * numbers.unit_interval())
            .collect();
        if self.collision_world.movables()[0].base() == Base::Fixed {
            return Pose { base: self.start.base, joints };
        }
        let [low, high] = self.region;
        let place = nalgebra::Vector3::from_fn(|axis, _| {
            low[axis] + (high[axis] - low[axis]) * numbers.unit_interval()
        });
        Pose { base: Isometry3::from_parts(Translation3::from(place), rotation(numbers)), joints }
    }

    /// A sample near a pose: about a fraction of its joints are those of a sample of the whole space, and a floating base moves
    /// that fraction of the path to it.
    pub(super) fn sample_near(&self, node: &Pose, fraction: f64, numbers: &mut SplitMix64) -> Pose {
        let whole = self.sample(numbers);
        // At least one joint changes, else samples of small fractions would often equal the node.
        let chosen = (numbers.unit_interval() * node.joints.len() as f64) as usize;
        let pick = |(at, (new, old)): (usize, (&f64, &f64))| {
            let is_new = numbers.unit_interval() < fraction || at == chosen;
            if is_new { *new } else { *old }
        };
        let joints = whole.joints.iter().zip(&node.joints).enumerate().map(pick).collect();
        Pose { base: Motion::linear(&node.base, &whole.base).pose_at(fraction), joints }
    }

    /// The pose beyond the second of two by a multiple of the motion between them, within the ranges of samples.
    pub(super) fn beyond(&self, from: &Pose, to: &Pose, multiple: f64) -> Pose {
        let segment = Segment::new(from, to, self.collision_world.obstacles());
        let mut pose = segment.at(1.0 + multiple);
        for (joint, [lower, upper]) in pose.joints.iter_mut().zip(&self.ranges) {
            *joint = joint.clamp(*lower, *upper);
        }
        if self.collision_world.movables()[0].base() == Base::Fixed {
            pose.base = to.base;
        } else {
            let [low, high] = self.region.map(|corner| corner.coords);
            pose.base.translation.vector = pose.base.translation.vector.sup(&low).inf(&high);
        }
        pose
    }

    /// The object norm at a pose.
    pub(super) fn metric(&self, pose: &Pose) -> Result<Metric, PlanError> {
        Ok(self.collision_world.movables()[0]
            .norm()
            .at(&pose.joints, &pose.base)
            .map_err(crate::penetration::generalized::GeneralizedError::from)?)
    }

    /// √σ [m] between two poses, with the weights of the first.
    pub(super) fn distance(&self, from: &Pose, to: &Pose) -> Result<f64, PlanError> {
        Ok(self.metric(from)?.sigma(&to.joints, &to.base).sqrt())
    }
}

/// A box around the obstacles and both poses, with a margin for the movable model on all sides.
fn region_of(collision_world: &CollisionWorld, poses: [&Pose; 2]) -> [Point3<f64>; 2] {
    let mut low = poses[0].base.translation.vector.inf(&poses[1].base.translation.vector);
    let mut high = poses[0].base.translation.vector.sup(&poses[1].base.translation.vector);
    for obstacle in collision_world.obstacles() {
        let (center, radius) = obstacle.shape.ball();
        if radius.is_finite() {
            let center = (obstacle.pose * center).coords;
            low = low.inf(&center.add_scalar(-radius));
            high = high.sup(&center.add_scalar(radius));
        }
    }
    let reach = |shape: &crate::penetration::generalized::Shape| {
        let (center, radius) = shape.ball();
        center.coords.norm() + radius
    };
    let room = collision_world.movables()[0].shapes().iter().flatten().map(reach).fold(0.0, f64::max);
    [low.add_scalar(-room).into(), high.add_scalar(room).into()]
}

/// A uniformly distributed rotation [Shoemake 1992].
fn rotation(numbers: &mut SplitMix64) -> UnitQuaternion<f64> {
    let (u, v, w) = (numbers.unit_interval(), numbers.unit_interval(), numbers.unit_interval());
    let (v, w) = ((std::f64::consts::TAU * v).sin_cos(), (std::f64::consts::TAU * w).sin_cos());
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    UnitQuaternion::from_quaternion(Quaternion::new(b * w.1, a * v.0, a * v.1, b * w.0))
}
