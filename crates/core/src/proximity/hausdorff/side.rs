//! One directed distance: the points of one model, transformed into the frame of the other one's tree.

use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::Side;
use super::nearest::{Near, closest};
use super::pruning_bound::{Deviation, PruningBound};
use super::triangle::{POINTS, Points, Triangle};
use crate::bvh::packet::Bounds;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Fraction for [`closest`] where a near triangle suffices: that of a box. Its squared distance may exceed the minimum
/// one by the reciprocal of this. A larger one visits more subtrees, a smaller one gives looser bounds.
const APPROXIMATION: f64 = 0.7;

/// A directed distance: from the points of one model to another model.
#[derive(Debug)]
pub(super) struct DirectedPair<'a> {
    pub(super) side: Side,
    pub(super) from: &'a Model,
    pub(super) to: &'a Model,
    pub(super) relative_pose: RelativePose,
    pub(super) pose_of_to: &'a Isometry3<f64>,
}

impl DirectedPair<'_> {
    /// A triangle of the other model.
    pub(super) fn triangle(&self, index: u32) -> Triangle {
        Triangle::of(self.to, index)
    }

    /// The closest triangle to `point`, of triangle `from`, if its distance exceeds the target; else some triangle
    /// within the target. `known` is a triangle with its distance.
    pub(super) fn near(
        &self,
        point: &Point3<f64>,
        from: u32,
        known: Near,
        pruning: &mut PruningBound,
    ) -> Near {
        if known.distance <= pruning.target {
            return known;
        }
        pruning.evaluations += 1;
        let nearest = closest(self.to.bvh(), point, pruning.target, known, 1.0);
        if nearest.distance > pruning.target {
            pruning.raise(Deviation { side: self.side, triangle: from, point: *point, nearest });
        }
        nearest
    }

    /// A triangle near a box of the first model's tree, with an upper bound of the distance of any point in the box
    /// from it [m]. `hints` are initial guesses.
    pub(super) fn near_box(&self, bounds: &Bounds, hints: [u32; 2], pruning: &mut PruningBound) -> Near {
        let middle = self.relative_pose.point(&Point3::from(bounds.center()));
        let radius = Vector3::from(bounds.half_extents()).norm();
        let mut known = Near { triangle: hints[0], distance: self.triangle(hints[0]).distance(&middle) };
        if hints[1] != hints[0] {
            let distance = self.triangle(hints[1]).distance(&middle);
            if distance < known.distance {
                known = Near { triangle: hints[1], distance };
            }
        }
        // A triangle this close to the centre is close enough to all of the box.
        let enough = pruning.target - radius;
        if known.distance > enough {
            pruning.evaluations += 1;
            known = closest(self.to.bvh(), &middle, enough.max(0.0), known, APPROXIMATION);
        }
        if known.distance <= enough {
            return Near { distance: known.distance + radius, ..known };
        }
        // The ball is too coarse: the bound of the corners is tighter and costs eight distances.
        let corners: [Point3<f64>; POINTS] = std::array::from_fn(|i| {
            let coordinate =
                |k: usize| f64::from(if i >> k & 1 == 0 { bounds.min[k] } else { bounds.max[k] });
            self.relative_pose.point(&Point3::new(coordinate(0), coordinate(1), coordinate(2)))
        });
        Near { distance: self.triangle(known.triangle).reach(&Points::of(&corners)), ..known }
    }
}
