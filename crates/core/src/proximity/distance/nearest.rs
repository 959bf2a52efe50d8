//! Traversal to the closest pair of triangles of two models whose surfaces do not intersect.
//!
//! Best first: hardly any pair is visited that could not have been the closest, and no initial guess is needed.
//! Triangles of two leaves that are separated by a plane, across the direction of the best pair or across the line of
//! their centres, cost a few products instead of a distance.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::answer::Distance;
use super::gaps::{Motion, gaps_squared};
use super::options::DistanceOptions;
use crate::bvh::lanes::isa::{Double as _, Isa, load};
use crate::bvh::node::{Node, Volume};
use crate::bvh::packet::{NONE, PACKET, Packet, above};
use crate::bvh::tandem;
use crate::bvh::tandem::{Costs, TreePairQuery};
use crate::bvh::tree::Subtree;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::{RelativePose, triangles_in_b};
use crate::proximity::triangle_distance::{
    PreparedTriangle, SeparationTest, closest_points, distances_squared,
};
use crate::proximity::work_limit::WorkLimit;

/// Query for the closest pair of triangles; everything in the frame of B's tree.
pub(super) struct Nearest {
    a_to_b: RelativePose,
    into_a: Motion,
    into_b: Motion,
    options: DistanceOptions,
    /// Minimum squared distance so far, or the squared limit at first [m²].
    best: f64,
    /// Pruning bound [m²]: a pair is visited only if its squared distance may be below it, the best one less the
    /// tolerance.
    cutoff: f64,
    /// The same rounded up.
    bound: f32,
    /// Squared distance at which the traversal ends [m²].
    enough: f64,
    pair: [u32; 2],
    /// Limit of the pairs of leaves that are visited.
    pub(super) work: WorkLimit,
    /// Squared lower bound of the distances of pairs that were not visited when the limit was spent [m²].
    unvisited: f64,
    /// Unit vector from A to B between the closest points so far, at first between the centres.
    direction: [f64; 3],
}

impl Nearest {
    /// A query for the closest pair within the limit of the options.
    pub(super) fn new(a_to_b: &RelativePose, options: &DistanceOptions) -> Self {
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
            work: WorkLimit::NONE,
            unvisited: f64::INFINITY,
            direction: between_centers.unwrap_or_else(Vector3::x).into(),
        }
    }

    /// Ends the traversal at the first pair within the limit.
    pub(super) fn accept_any(&mut self) {
        self.enough = self.best;
    }

    /// Starts from a pair of triangles if its distance is within the limit and less than the best one. Returns whether
    /// any pair is known then.
    pub(super) fn start(&mut self, a: &Model, b: &Model, pair: [u32; 2]) -> bool {
        let [p, q] = triangles_in_b(a, b, &self.a_to_b, pair);
        let (distance, witnesses) = closest_points(&p, &q);
        // In this form a distance that is NaN is accepted when there is no other one.
        if self.pair[0] == NONE && !(distance * distance > self.best) || distance * distance < self.best {
            self.accept(distance * distance, pair);
            self.set_direction(distance, &witnesses);
        }
        self.pair[0] != NONE
    }

    /// Traverses both trees and returns whether any pair is known then.
    pub(super) fn run(&mut self, a: &Model, b: &Model) -> bool {
        let unvisited = tandem::descend_cheapest_first(a.bvh(), b.bvh(), self);
        self.unvisited = unvisited.map_or(f64::INFINITY, f64::from);
        self.pair[0] != NONE
    }

    /// The distance of the best pair; pairs that were not visited may be nearer, which its lower bound says.
    pub(super) fn outcome(&self, a: &Model, b: &Model) -> Distance {
        let [p, q] = triangles_in_b(a, b, &self.a_to_b, self.pair);
        let (value, witnesses) = closest_points(&p, &q);
        let lower_bound = self.options.lower_bound(value).min(self.unvisited.sqrt());
        Distance { value, lower_bound, witnesses, triangles: Some(self.pair) }
    }

    #[inline(always)]
    fn accept(&mut self, squared: f64, pair: [u32; 2]) {
        (self.best, self.pair) = (squared, pair);
        self.cutoff = self.options.lower_bound(squared.sqrt()).powi(2).min(squared);
        self.bound = rounded(self.cutoff);
    }

    /// Updates the direction of the separation test; points that coincide leave it.
    fn set_direction(&mut self, distance: f64, [x, y]: &[Point3<f64>; 2]) {
        if distance > 0.0 {
            self.direction = ((y - x) / distance).into();
        }
    }
}

/// The square of a limit that is not negative; infinite for NaN, which does not limit.
fn squared_limit(limit: f64) -> f64 {
    if limit.is_nan() { f64::INFINITY } else { limit * limit }
}

/// A squared distance rounded up, and finite: a pair of infinite cost is never visited.
fn rounded(squared: f64) -> f32 {
    above(squared).min(f32::MAX)
}

impl TreePairQuery for Nearest {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, (_, children_of_b): (u32, &Node), (_, of_a): (Subtree, &Volume)) -> Costs {
        Costs::Each(gaps_squared::<I>(children_of_b, of_a, &self.into_a, self.bound))
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, (_, children_of_a): (u32, &Node), (_, of_b): (Subtree, &Volume)) -> Costs {
        Costs::Each(gaps_squared::<I>(children_of_a, of_b, &self.into_b, self.bound))
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, (_, a): (u32, &Packet), (_, b): (u32, &Packet)) -> ControlFlow<()> {
        if self.work.spend() {
            return ControlFlow::Break(());
        }
        let corners = corners_in_b::<I>(a, &self.a_to_b);
        let separation = SeparationTest::<I::Double>::new(b, &self.direction);
        let mut closer = None;
        for (lane_a, triangle_a) in a.lanes() {
            if !separation.may_be_within(&corners[lane_a], self.cutoff) {
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
            self.set_direction(distance, &witnesses);
        }
        ControlFlow::Continue(())
    }
}

/// The corners of a leaf's triangles in the frame of B.
#[inline(always)]
fn corners_in_b<I: Isa>(a: &Packet, a_to_b: &RelativePose) -> [[[f64; 3]; 3]; PACKET] {
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
