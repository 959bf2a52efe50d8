//! The descent to the closest pair of triangles of two models whose surfaces do not intersect.
//!
//! The cheapest pairs come first: little is looked at beyond what could have been the closest, and nothing has to be
//! guessed at the start. Triangles of two leaves that are told apart by a plane, across the direction of the best pair
//! or across the line of their centres, cost a few products instead of a distance.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::answer::Distance;
use super::gaps::{Motion, gaps_squared};
use super::options::DistanceOptions;
use crate::bvh::lanes::isa::{Double as _, Isa, load};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::bvh::packet::{NONE, PACKET, Packet, above};
use crate::bvh::tandem;
use crate::bvh::tandem::Tandem;
use crate::proximity::model::Model;
use crate::proximity::placement::{Placement, triangles_in_b};
use crate::proximity::triangle_distance::{PreparedTriangle, Sides, closest_points, distances_squared};

/// Descent to the closest pair of triangles; everything in the frame of B's tree.
pub(super) struct Nearest {
    a_to_b: Placement,
    into_a: Motion,
    into_b: Motion,
    options: DistanceOptions,
    /// Least squared distance so far, or what the answer must not exceed [m²].
    best: f64,
    /// Squared distance below which a pair must be able to come to be looked at [m²]: less than the best by the
    /// tolerance.
    cutoff: f64,
    /// The same rounded up.
    bound: f32,
    /// A squared distance that is good enough to stop [m²].
    enough: f64,
    pair: [u32; 2],
    /// From A to B between the closest points so far, or at first between the centres; a unit vector.
    direction: [f64; 3],
}

impl Nearest {
    /// A descent to the closest pair within the limit of the options.
    pub(super) fn new(a_to_b: &Placement, options: &DistanceOptions) -> Self {
        let best = squared_limit(options.limit);
        let between_centers = (-a_to_b.translation).try_normalize(0.0);
        Self {
            a_to_b: *a_to_b,
            into_a: Motion::new(&a_to_b.inverse()),
            into_b: Motion::new(a_to_b),
            options: *options,
            best,
            cutoff: best,
            bound: rounded(best),
            enough: f64::NEG_INFINITY,
            pair: [NONE; 2],
            direction: between_centers.unwrap_or_else(Vector3::x).into(),
        }
    }

    /// Lets the descent stop at the first pair within the limit.
    pub(super) fn accept_any(&mut self) {
        self.enough = self.best;
    }

    /// Starts from the distance of a pair of triangles, where that is within the limit and better than what is known;
    /// whether any pair is known then.
    pub(super) fn start(&mut self, a: &Model, b: &Model, pair: [u32; 2]) -> bool {
        let [p, q] = triangles_in_b(a, b, &self.a_to_b, pair);
        let (distance, witnesses) = closest_points(&p, &q);
        // In this order a distance that is NaN is kept where there is no other one.
        if self.pair[0] == NONE && !(distance * distance > self.best) || distance * distance < self.best {
            self.accept(distance * distance, pair);
            self.turn(distance, &witnesses);
        }
        self.pair[0] != NONE
    }

    /// Descends; whether any pair is known then.
    pub(super) fn run(&mut self, a: &Model, b: &Model) -> bool {
        tandem::descend_cheapest_first(a.bvh(), b.bvh(), self);
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
        self.bound = rounded(self.cutoff);
    }

    fn turn(&mut self, distance: f64, [x, y]: &[Point3<f64>; 2]) {
        if distance > 0.0 {
            self.direction = ((y - x) / distance).into();
        }
    }
}

/// The square of a limit that is not negative. Everything is within one that is not a number.
fn squared_limit(limit: f64) -> f64 {
    if limit.is_nan() { f64::INFINITY } else { limit * limit }
}

/// A squared distance rounded up, and finite: what is infinitely dear is never wanted.
fn rounded(squared: f64) -> f32 {
    above(squared).min(f32::MAX)
}

impl Tandem for Nearest {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, children_of_b: &Node, of_a: &Volume) -> [f32; WIDTH] {
        gaps_squared::<I>(children_of_b, of_a, &self.into_a, self.bound)
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, children_of_a: &Node, of_b: &Volume) -> [f32; WIDTH] {
        gaps_squared::<I>(children_of_a, of_b, &self.into_b, self.bound)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, (_, a): (u32, &Packet), (_, b): (u32, &Packet)) -> ControlFlow<()> {
        let corners = corners_in_b::<I>(a, &self.a_to_b);
        let sides = Sides::<I::Double>::new(b, &self.direction);
        let mut closer = None;
        for (lane_a, triangle_a) in a.lanes() {
            if !sides.may_be_within(&corners[lane_a], self.cutoff) {
                continue;
            }
            let prepared = PreparedTriangle::new(&corners[lane_a]);
            let squared = distances_squared::<I::Double>(&prepared, b, self.cutoff);
            for (lane_b, triangle_b) in b.lanes() {
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
            let [p, q] = [corners[lane_a], b.triangle(lane_b)].map(|corners| corners.map(Point3::from));
            let (distance, witnesses) = closest_points(&p, &q);
            self.turn(distance, &witnesses);
        }
        ControlFlow::Continue(())
    }
}

/// The corners of a leaf's triangles after the motion.
#[inline(always)]
fn corners_in_b<I: Isa>(a: &Packet, a_to_b: &Placement) -> [[[f64; 3]; 3]; PACKET] {
    let mut corners = [[[0.0; 3]; 3]; PACKET];
    for corner in 0..3 {
        let moved = a_to_b.lanes(&load::<I::Double>(&a.corners[corner]));
        for axis in 0..3 {
            let stored = moved[axis].store();
            for lane in 0..PACKET {
                corners[lane][corner][axis] = stored[lane];
            }
        }
    }
    corners
}
