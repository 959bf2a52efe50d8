//! The descent to the closest pair of triangles of two models whose surfaces do not intersect.
//!
//! Two bounds do the pruning. A pair of boxes is at least as far apart as the first box is from the other one's hull
//! in either frame. And once a good pair is known, the slab across its direction is a certificate: whatever lies
//! beyond it is farther, so that almost every pair of triangles costs a few products instead of a distance.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::triangles::{PreparedTriangle, closest_points, distances_squared, is_slab_open};
use super::{Distance, DistanceOptions, Model};
use crate::bvh::lanes::{Isa, Single};
use crate::bvh::node::{Bounds, NONE, Node, PACKET, Packet, Volume, WIDTH, above};
use crate::bvh::tandem::{self, Tandem};
use crate::proximity::placement::{MovedBox, Placement, RoundedPlacement};
use crate::proximity::time_of_contact::triangles_in_b;

/// Rounding of a squared gap in single precision, relative: a subtraction, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;

/// Descent to the closest pair of triangles; everything in the frame of B's tree.
pub(super) struct Nearest {
    a_to_b: Placement,
    b_to_a: Placement,
    rounded_a_to_b: RoundedPlacement,
    rounded_b_to_a: RoundedPlacement,
    options: DistanceOptions,
    /// Least squared distance so far, or what the answer must not exceed [m²].
    best: f64,
    /// Squared distance below which a pair must be able to come to be looked at [m²]: less than the best by the
    /// tolerance.
    cutoff: f64,
    /// A squared distance that is good enough to stop [m²].
    enough: f64,
    pair: [u32; 2],
    /// From A to B between the closest points so far, or at first between the centres; a unit vector.
    direction: [f64; 3],
    /// The last leaf of A and its triangles: a descent meets the same leaf many times in a row.
    leaf: u32,
    triangles: [[[f64; 3]; 3]; PACKET],
}

impl Nearest {
    /// A descent to the closest pair within the limit of the options.
    pub(super) fn new(a_to_b: &Placement, options: &DistanceOptions) -> Self {
        let best = squared_limit(options.limit);
        let b_to_a = a_to_b.inverse();
        let between_centers = (-a_to_b.translation).try_normalize(0.0);
        Self {
            a_to_b: *a_to_b,
            b_to_a,
            rounded_a_to_b: RoundedPlacement::new(a_to_b, 0.0),
            rounded_b_to_a: RoundedPlacement::new(&b_to_a, 0.0),
            options: *options,
            best,
            cutoff: best,
            enough: f64::NEG_INFINITY,
            pair: [NONE; 2],
            direction: between_centers.unwrap_or_else(Vector3::x).into(),
            leaf: NONE,
            triangles: [[[0.0; 3]; 3]; PACKET],
        }
    }

    /// Lets the descent stop at the first pair within the limit.
    pub(super) fn accept_any(&mut self) {
        self.enough = self.best;
    }

    /// Starts from the distance of a pair of triangles, where that is within the limit and better than what is known.
    pub(super) fn start(&mut self, a: &Model, b: &Model, pair: [u32; 2]) {
        let [p, q] = triangles_in_b(a, b, &self.a_to_b, pair);
        let (distance, witnesses) = closest_points(&p, &q);
        // In this order a distance that is NaN is kept where there is no other one.
        if self.pair[0] == NONE && !(distance * distance > self.best) || distance * distance < self.best {
            self.accept(distance * distance, pair);
            self.turn(distance, &witnesses);
        }
    }

    /// Descends; whether any pair is known then.
    pub(super) fn run(&mut self, a: &Model, b: &Model) -> bool {
        tandem::descend(a.bvh(), b.bvh(), self);
        self.pair[0] != NONE
    }

    /// The distance of the best pair.
    pub(super) fn outcome(&self, a: &Model, b: &Model) -> Distance {
        let [p, q] = triangles_in_b(a, b, &self.a_to_b, self.pair);
        let (value, witnesses) = closest_points(&p, &q);
        let lower_bound = self.options.lower_bound(value);
        Distance { value, lower_bound, witnesses, triangles: Some(self.pair) }
    }

    #[inline(always)]
    fn accept(&mut self, squared: f64, pair: [u32; 2]) {
        (self.best, self.pair) = (squared, pair);
        self.cutoff = self.options.lower_bound(squared.sqrt()).powi(2).min(squared);
    }

    fn turn(&mut self, distance: f64, [x, y]: &[Point3<f64>; 2]) {
        if distance > 0.0 {
            self.direction = ((y - x) / distance).into();
        }
    }
}

/// The square of a limit. Nothing is within a negative one, and everything within one that is not a number.
fn squared_limit(limit: f64) -> f64 {
    match limit {
        limit if limit >= 0.0 => limit * limit,
        limit if limit.is_nan() => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    }
}

impl Tandem for Nearest {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, children_of_b: &Node, of_a: &Volume) -> [f32; WIDTH] {
        let moved = self.a_to_b.bounds(&of_a.bounds, 0.0);
        gaps_squared::<I>(children_of_b, &moved, &of_a.bounds, &self.rounded_b_to_a)
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, children_of_a: &Node, of_b: &Volume) -> [f32; WIDTH] {
        let moved = self.b_to_a.bounds(&of_b.bounds, 0.0);
        gaps_squared::<I>(children_of_a, &moved, &of_b.bounds, &self.rounded_a_to_b)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.cutoff).min(f32::MAX)
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        if self.leaf != a.0 {
            self.leaf = a.0;
            for lane in 0..PACKET {
                self.triangles[lane] = self.a_to_b.triangle(&a.1.triangle(lane));
            }
        }
        let mut closer = None;
        for (lane_a, triangle_a) in a.1.lanes() {
            let corners = &self.triangles[lane_a];
            if !is_slab_open::<I::Double>(corners, b.1, &self.direction, self.cutoff) {
                continue;
            }
            let squared = distances_squared::<I::Double>(&PreparedTriangle::new(corners), b.1, self.cutoff);
            for (lane_b, triangle_b) in b.1.lanes() {
                if squared[lane_b] < self.best || (squared[lane_b] <= self.best && self.pair[0] == NONE) {
                    self.accept(squared[lane_b], [triangle_a, triangle_b]);
                    closer = Some([lane_a, lane_b]);
                }
            }
        }
        if let Some([lane_a, lane_b]) = closer {
            if self.best <= self.enough {
                return ControlFlow::Break(());
            }
            let [p, q] =
                [self.triangles[lane_a], b.1.triangle(lane_b)].map(|corners| corners.map(Point3::from));
            let (distance, witnesses) = closest_points(&p, &q);
            self.turn(distance, &witnesses);
        }
        ControlFlow::Continue(())
    }
}

/// Squared gap between a box and each child's box [m²], rounded down: the greater one of the gap to the hull of the
/// moved box in the frame of the children, and of the gap to the children's hulls in the frame of the box.
#[inline(always)]
fn gaps_squared<I: Isa>(
    children: &Node,
    moved: &MovedBox,
    own: &Bounds,
    to_own: &RoundedPlacement,
) -> [f32; WIDTH] {
    let (single, load) = (I::Single::splat, I::Single::load);
    let zero = single(0.0);
    let (mut here, mut there) = (zero, zero);
    for axis in 0..3 {
        let behind = load(&children.min[axis]) - single(moved.max[axis]);
        let before = single(moved.min[axis]) - load(&children.max[axis]);
        // In this order NaN stays NaN, and what costs NaN is skipped.
        let gap = zero.max(behind.max(before));
        here = here + gap * gap;
    }
    let hulls = to_own.children::<I>(children, own);
    for axis in 0..3 {
        let gap = zero.max(hulls.offsets[axis].abs() - hulls.reaches[axis]);
        there = there + gap * gap;
    }
    (here.max(there) * single(1.0 - GAP_ROUNDING)).store()
}
