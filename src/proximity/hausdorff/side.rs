//! One side of the question: the parts of one model, moved into the frame of the other one's tree.

use nalgebra::{Isometry3, Point3, Vector3};

use super::Side;
use super::nearest::{Near, closest};
use super::triangle::{POINTS, Points, Triangle};
use crate::bvh::node::Bounds;
use crate::proximity::Model;
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

/// A point of one model with its distance from the other one: a lower bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub(super) side: Side,
    /// Of the model that holds the point.
    pub(super) triangle: u32,
    /// [m, frame of the other model's tree]
    pub(super) point: Point3<f64>,
    pub(super) nearest: Near,
}

/// What the parts of a model are held against while they are divided.
#[derive(Debug)]
pub(super) struct Bar {
    /// The greatest deviation found so far.
    pub(super) best: Option<Deviation>,
    /// Lower bound that it gives [m].
    pub(super) lower: f64,
    /// Upper bounds up to this one are good enough [m].
    pub(super) target: f64,
    /// The greatest upper bound of a part that needs no more work [m].
    pub(super) settled: f64,
    pub(super) evaluations: u64,
    allowed: Allowed,
}

/// The errors that are allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// Relative to the lower bound.
    pub(super) relative: f64,
    /// [m]
    pub(super) absolute: f64,
}

impl Bar {
    pub(super) fn new(allowed: Allowed) -> Self {
        Self { best: None, lower: 0.0, target: allowed.absolute, settled: 0.0, evaluations: 0, allowed }
    }

    /// The same bar, with nothing done yet.
    pub(super) fn fresh(&self) -> Self {
        Self { evaluations: 0, ..*self }
    }

    pub(super) fn raise(&mut self, found: Deviation) {
        if self.best.is_none() || found.nearest.distance > self.lower {
            self.lower = found.nearest.distance;
            self.target = self.lower + (self.allowed.relative * self.lower).max(self.allowed.absolute);
            self.best = Some(found);
        }
    }

    /// Whether a part with this upper bound needs no more work; remembers the bound of one that does not.
    pub(super) fn settles(&mut self, upper: f64) -> bool {
        let is_settled = upper <= self.target;
        if is_settled {
            self.settled = self.settled.max(upper);
        }
        is_settled
    }

    /// Takes over what another bar has learnt.
    pub(super) fn merge(&mut self, other: &Self) {
        self.settled = self.settled.max(other.settled);
        self.evaluations += other.evaluations;
        if let Some(best) = other.best {
            self.raise(best);
        }
    }
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
