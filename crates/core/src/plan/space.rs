//! The space that a plan is searched in: what may be sampled, and how far its poses are apart.
//!
//! The metric is the object norm [Tang14 §6.3]: σ from a sample to every node of a tree, with the weights of the sample.
//! A joint that turns is embedded as a point of a circle, whose squared distances are (2 sin(Δq/2))².

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};

use super::types::{PlanError, PlanOptions};
use crate::geometry::random::SplitMix64;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::mover::Base;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::Metric;

/// Where a mover may be.
pub(super) struct Space<'a> {
    pub(super) arrangement: &'a Arrangement,
    /// Least and greatest value of each number that is sampled.
    ranges: Vec<[f64; 2]>,
    /// Corners of the box of positions of a floating base [m].
    region: [Point3<f64>; 2],
    start: &'a Pose,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        arrangement: &'a Arrangement,
        [start, goal]: [&'a Pose; 2],
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        let mover = &arrangement.movers()[0];
        let region = options.region.unwrap_or_else(|| region_of(arrangement, [start, goal]));
        let span = (region[1] - region[0]).norm();
        let limits = mover.limits()?;
        let ranges = limits.iter().enumerate().map(|(at, &[lower, upper])| {
            let joint = mover.articulation().coordinates()[at];
            let turns = matches!(mover.articulation().joints()[joint].kind, JointKind::Revolute { .. });
            let free = if turns { std::f64::consts::PI } else { span };
            let [from, to] = [start.joints[at], goal.joints[at]];
            if mover.fixed()[at] {
                return [from, from];
            }
            let (least, most) = (from.min(to) - free, from.max(to) + free);
            [if lower.is_finite() { lower } else { least }, if upper.is_finite() { upper } else { most }]
        });
        Ok(Self { arrangement, ranges: ranges.collect(), region, start })
    }

    /// A pose of the space, evenly spread.
    pub(super) fn sample(&self, numbers: &mut SplitMix64) -> Pose {
        let joints = self
            .ranges
            .iter()
            .map(|[lower, upper]| lower + (upper - lower) * numbers.unit_interval())
            .collect();
        if self.arrangement.movers()[0].base() == Base::Fixed {
            return Pose { base: self.start.base, joints };
        }
        let [low, high] = self.region;
        let place = nalgebra::Vector3::from_fn(|axis, _| {
            low[axis] + (high[axis] - low[axis]) * numbers.unit_interval()
        });
        Pose { base: Isometry3::from_parts(Translation3::from(place), rotation(numbers)), joints }
    }

    /// A sample near a pose: about a share of its joints are those of a sample of the whole space, and a floating base goes
    /// that share of the way.
    pub(super) fn sample_near(&self, node: &Pose, share: f64, numbers: &mut SplitMix64) -> Pose {
        let whole = self.sample(numbers);
        let chosen = (numbers.unit_interval() * node.joints.len() as f64) as usize;
        let pick = |(at, (new, old)): (usize, (&f64, &f64))| {
            let is_new = numbers.unit_interval() < share || at == chosen;
            if is_new { *new } else { *old }
        };
        let joints = whole.joints.iter().zip(&node.joints).enumerate().map(pick).collect();
        Pose { base: Motion::linear(&node.base, &whole.base).pose_at(share), joints }
    }

    /// The object norm at a pose.
    pub(super) fn metric(&self, pose: &Pose) -> Result<Metric, PlanError> {
        Ok(self.arrangement.movers()[0]
            .norm()
            .at(&pose.joints, &pose.base)
            .map_err(crate::penetration::generalized::GeneralizedError::from)?)
    }

    /// √σ [m] between two poses, by the weights of the first.
    pub(super) fn distance(&self, from: &Pose, to: &Pose) -> Result<f64, PlanError> {
        Ok(self.metric(from)?.sigma(&to.joints, &to.base).sqrt())
    }
}

/// A box around the obstacles and both poses, with room for the mover on all sides.
fn region_of(arrangement: &Arrangement, poses: [&Pose; 2]) -> [Point3<f64>; 2] {
    let mut low = poses[0].base.translation.vector.inf(&poses[1].base.translation.vector);
    let mut high = poses[0].base.translation.vector.sup(&poses[1].base.translation.vector);
    for obstacle in arrangement.obstacles() {
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
    let room = arrangement.movers()[0].shapes().iter().flatten().map(reach).fold(0.0, f64::max);
    [low.add_scalar(-room).into(), high.add_scalar(room).into()]
}

/// A rotation, evenly spread [Shoemake 1992].
fn rotation(numbers: &mut SplitMix64) -> UnitQuaternion<f64> {
    let (u, v, w) = (numbers.unit_interval(), numbers.unit_interval(), numbers.unit_interval());
    let (v, w) = ((std::f64::consts::TAU * v).sin_cos(), (std::f64::consts::TAU * w).sin_cos());
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    UnitQuaternion::from_quaternion(Quaternion::new(b * w.1, a * v.0, a * v.1, b * w.0))
}
