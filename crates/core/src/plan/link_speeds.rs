//! Bounds of the speed of a link in a straight motion: of all its points, and of their approach to a half-space.
//!
//! | bound                              | of the speed of any point of a link                                             |
//! |------------------------------------|----------------------------------------------------------------------------------|
//! | a revolute joint with q̇            | \|q̇\| times the maximum distance of the point from the joint, along the chain     |
//! | a prismatic joint with q̇           | \|q̇\|                                                                            |
//! | the base, with velocities v and ω  | \|v\| + \|ω\| times the maximum distance of the point from the base                 |
//!
//! Two links of one movable model count the joints from their nearest common ancestor on.
//!
//! Towards a half-space with the normal n only the component along n counts: a rotation about an axis a contributes
//! n·(a × r) = r·(n × a), at most \|n × a\| of the above, and a translation along d contributes \|n·d\|. An axis that joints
//! further up rotate inclines against n by at most the angles of these, each weighted by its own \|n × a\|: a cart that slides
//! and rotates on a floor does not approach it at all.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::segment::Segment;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::rigid_motion::RigidMotion;

/// Bounds of the speed of the points of a link.
#[derive(Debug, Default)]
pub(super) struct LinkSpeeds {
    /// Contribution of each joint from the link upwards, at last of the base [m per motion].
    levels: Vec<f64>,
    /// Change of each joint from the link upwards [rad or m].
    changes: Vec<f64>,
    /// Maximum distance of a point of the link from the base [m].
    reach: f64,
}

impl LinkSpeeds {
    /// Bounds of a link, by its index and a bounding sphere, in a segment.
    pub(super) fn new(
        articulation: &Articulation,
        (link, ball): (usize, (Point3<f64>, f64)),
        segment: &Segment<'_>,
    ) -> Self {
        let (mut levels, mut changes, mut at) = (Vec::new(), Vec::new(), link);
        // Maximum distance of a point of the body from each joint's origin, whatever the joints between do.
        let mut reach = ball.0.coords.norm() + ball.1;
        while let (Some(index), Some(parent)) = (articulation.parent_joint(at), articulation.parent(at)) {
            let joint = &articulation.joints()[index];
            let dependence = articulation.dependence(index);
            let ends = dependence.map_or([0.0; 2], |(coordinate, factor, offset)| {
                [segment.from, segment.to].map(|pose| factor * pose.joints[coordinate] + offset)
            });
            let change = (ends[1] - ends[0]).abs();
            // Fixed joints count as a level of speed zero, so that levels and speeds correspond.
            levels.push(match joint.kind {
                JointKind::Fixed => 0.0,
                JointKind::Revolute { .. } => arc(change, reach),
                JointKind::Prismatic { .. } => {
                    // Beyond this joint the point can be farther away by the longest extension of the slider.
                    reach += ends[0].abs().max(ends[1].abs());
                    change
                }
            });
            changes.push(change);
            reach += joint.origin.translation.vector.norm();
            at = parent;
        }
        let base = segment.base.bounds();
        levels.push(base.speed + arc(base.angular_speed, reach));
        Self { levels, changes, reach }
    }

    /// Bound of the speed of the points relative to the link a number of joints further up; of the absolute one for
    /// `usize::MAX` [m per motion].
    pub(super) fn below(&self, levels: usize) -> f64 {
        self.levels[..levels.min(self.levels.len())].iter().sum()
    }

    /// Bound of the speed along a fixed direction, with the poses of the links at the start of the segment [m per motion].
    pub(super) fn along(
        &self,
        normal: &Unit<Vector3<f64>>,
        (articulation, link): (&Articulation, usize),
        starts: &[Isometry3<f64>],
        segment: &Segment<'_>,
    ) -> f64 {
        let twist = segment.base.twist_at(0.0);
        let across = normal.cross(&twist.angular).norm();
        let mut speed = normal.dot(&twist.linear).abs() + arc(across, self.reach);
        // Angle by which the links so far incline against the direction.
        let mut inclined = across;
        let up = |&link: &usize| articulation.parent(link);
        let chain: Vec<usize> = std::iter::successors(Some(link), up).collect();
        for (level, &at) in chain.iter().enumerate().rev() {
            let (Some(index), Some(parent)) = (articulation.parent_joint(at), articulation.parent(at)) else {
                continue;
            };
            let joint = &articulation.joints()[index];
            let world = |axis: &Vector3<f64>| starts[parent].rotation * (joint.origin.rotation * axis);
            match &joint.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { axis } => {
                    let across = (normal.cross(&world(axis)).norm() + inclined).min(1.0);
                    speed += across * self.levels[level];
                    inclined += across * self.changes[level];
                }
                JointKind::Prismatic { axis } => {
                    let along = (normal.dot(&world(axis)).abs() + inclined).min(1.0);
                    speed += along * self.levels[level];
                }
            }
        }
        speed
    }
}

/// An angle [rad] times a radius [m], which may be infinite where nothing rotates.
fn arc(angle: f64, radius: f64) -> f64 {
    if angle > 0.0 { angle * radius } else { 0.0 }
}
