//! One side of the question: the parts of one model, moved into the frame of the other one's tree.

use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::Side;
use super::bar::{Bar, Deviation};
use super::nearest::{Near, closest};
use super::triangle::{POINTS, Points, Triangle};
use crate::bvh::packet::Bounds;
use crate::proximity::model::Model;
use crate::proximity::placement::Placement;

/// A triangle near a box need not be the closest one: its squared distance may be greater by the reciprocal of this.
const ROUGHLY: f64 = 0.7;

/// The model whose points are asked about, and the one they are far from.
#[derive(Debug)]
pub(super) struct OneSide<'a> {
    pub(super) side: Side,
    pub(super) from: &'a Model,
    pub(super) to: &'a Model,
    pub(super) placement: Placement,
    pub(super) pose_of_to: &'a Isometry3<f64>,
}

impl OneSide<'_> {
    /// A triangle of the other model.
    pub(super) fn triangle(&self, index: u32) -> Triangle {
        Triangle::of(self.to, index)
    }

    /// The distance of `point`, of triangle `from`, where it is beyond the bar's target; else that of a triangle
    /// within the target. `known` is a triangle with its distance.
    pub(super) fn near(&self, point: &Point3<f64>, from: u32, known: Near, bar: &mut Bar) -> Near {
        if known.distance <= bar.target {
            return known;
        }
        bar.evaluations += 1;
        let nearest = closest(self.to.bvh(), point, bar.target, known, 1.0);
        if nearest.distance > bar.target {
            bar.raise(Deviation { side: self.side, triangle: from, point: *point, nearest });
        }
        nearest
    }

    /// A triangle near a box of the first model's tree, and an upper bound of the distance of any point in the box from
    /// it [m]. `hints` are triangles to start from.
    pub(super) fn near_box(&self, bounds: &Bounds, hints: [u32; 2], bar: &mut Bar) -> Near {
        let middle = self.placement.point(&Point3::from(bounds.center()));
        let radius = Vector3::from(bounds.half_extents()).norm();
        let mut known = Near { triangle: hints[0], distance: self.triangle(hints[0]).distance(&middle) };
        if hints[1] != hints[0] {
            let distance = self.triangle(hints[1]).distance(&middle);
            if distance < known.distance {
                known = Near { triangle: hints[1], distance };
            }
        }
        // A triangle this close to the middle is close enough to all of the box.
        let enough = bar.target - radius;
        if known.distance > enough {
            bar.evaluations += 1;
            known = closest(self.to.bvh(), &middle, enough.max(0.0), known, ROUGHLY);
        }
        if known.distance <= enough {
            return Near { distance: known.distance + radius, ..known };
        }
        let corners: [Point3<f64>; POINTS] = std::array::from_fn(|i| {
            let coordinate =
                |k: usize| f64::from(if i >> k & 1 == 0 { bounds.min[k] } else { bounds.max[k] });
            self.placement.point(&Point3::new(coordinate(0), coordinate(1), coordinate(2)))
        });
        Near { distance: self.triangle(known.triangle).reach(&Points::of(&corners)), ..known }
    }
}
