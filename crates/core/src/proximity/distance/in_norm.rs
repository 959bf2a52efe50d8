//! Distance of two models in the norm L1 or L∞: a best-first traversal of both trees to the nearest pair of triangles, whose distance
//! has a closed form.

use std::ops::ControlFlow;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::answer::Distance;
use super::gaps::Motion;
use super::gaps_in_norm::View;
use super::options::DistanceOptions;
use super::triangles_in_norm::{Corners, NormBall, range};
use super::zero::{some_pair, zero_at};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, Volume};
use crate::bvh::packet::{NONE, PACKET, Packet, above};
use crate::bvh::tandem;
use crate::bvh::tandem::{Costs, TreePairQuery};
use crate::bvh::tree::Subtree;
use crate::geometry::Norm;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::work_limit::WorkLimit;

/// Relative difference below which distances count as equal, so that among parallel faces at one distance one pair suffices.
const TIE: f64 = 1e-14;
/// Maximum number of directions: the normals of four pairs of facets, and one more.
const DIRECTIONS: usize = 5;

/// The distance of two models in L1 or L∞, zero where they collide, within limits of the collision test and of the traversal; `None` where it
/// is proved to exceed the limit of the options, and where one of them is spent before a pair is known.
pub(super) fn distance_in_norm_at(
    [a, b]: [&Model; 2],
    poses: [&Isometry3<f64>; 2],
    norm: Norm,
    options: &DistanceOptions,
    [of_collision, of_traversal]: &mut [WorkLimit; 2],
) -> Option<Distance> {
    let a_to_b = RelativePose::between(a, poses[0], b, poses[1]);
    if let Some(zero) = zero_at([a, b], &a_to_b, of_collision) {
        let witnesses = zero.witnesses.map(|point| poses[1] * (point + b.center().coords));
        return Some(Distance { witnesses, ..zero });
    }
    if of_collision.is_spent() {
        return None;
    }
    let mut query = NearestInNorm::new(poses, &a_to_b, norm, options);
    query.work = *of_traversal;
    query.run(a, b);
    *of_traversal = query.work;
    query.outcome(poses[1] * b.center())
}

/// Query for the nearest pair of triangles; lengths are in the norm, and triangles are measured along the axes of the world around the
/// centre of B's tree.
struct NearestInNorm {
    ball: NormBall,
    /// Rotations from the frames of the trees to the world.
    to_world: [Matrix3<f64>; 2],
    /// The centre of A's tree.
    center_of_a: Vector3<f64>,
    /// Both trees at rest.
    views: [View; 2],
    options: DistanceOptions,
    /// Minimum distance so far, or the limit at first [m].
    best: f64,
    /// Distance above which pairs are skipped: the best one less the tolerance [m].
    cutoff: f64,
    pair: [u32; 2],
    points: [Vector3<f64>; 2],
    /// Directions of dual norm one: the normals of the ball's facets, and one that separates the nearest pair.
    directions: Vec<Vector3<f64>>,
    work: WorkLimit,
    /// Lower bound of the distances of pairs that were not visited when the limit was spent [m].
    unvisited: f64,
}

impl NearestInNorm {
    fn new(
        poses: [&Isometry3<f64>; 2],
        a_to_b: &RelativePose,
        norm: Norm,
        options: &DistanceOptions,
    ) -> Self {
        let ball = NormBall::new(norm);
        let to_world = poses.map(|pose| pose.rotation.to_rotation_matrix().into_inner());
        let center_of_a = to_world[1] * a_to_b.translation;
        let mut directions = ball.facets.clone();
        directions.push(ball.scaled(&center_of_a).unwrap_or(ball.facets[0]));
        let motions = [Motion::new(&a_to_b.inverse()), Motion::new(a_to_b)];
        let views = std::array::from_fn(|side| View::new(motions[side], &to_world[side], norm, &directions));
        Self {
            ball,
            to_world,
            center_of_a,
            views,
            options: *options,
            best: options.limit,
            cutoff: options.limit,
            pair: [NONE; 2],
            points: [Vector3::zeros(); 2],
            directions,
            work: WorkLimit::NONE,
            unvisited: f64::INFINITY,
        }
    }

    fn run(&mut self, a: &Model, b: &Model) {
        let unvisited = tandem::descend_cheapest_first(a.bvh(), b.bvh(), self);
        self.unvisited = unvisited.map_or(f64::INFINITY, f64::from);
        // Models so far apart that sums overflow are not "farther than the limit": the distance of some pair is reported.
        if self.pair[0] == NONE && !self.work.is_spent() && self.options.limit.is_infinite() {
            let pair = some_pair(a, b);
            let [p, q] = [(a, 0), (b, 1)].map(|(model, side)| {
                let corners = model.mesh().triangle(pair[side] as usize);
                self.in_world(side, &corners.map(|corner| (corner - model.center()).into()))
            });
            self.measure(&p, &q, pair);
        }
    }

    /// The corners of a triangle along the axes of the world.
    fn in_world(&self, side: usize, corners: &[[f64; 3]; 3]) -> Corners {
        let shift = if side == 0 { self.center_of_a } else { Vector3::zeros() };
        corners.map(|corner| self.to_world[side] * Vector3::from(corner) + shift)
    }

    /// Minimum and maximum heights of a triangle along all directions; the last ones are zero where there are fewer.
    fn heights(&self, corners: &Corners) -> [[f64; 2]; DIRECTIONS] {
        let mut heights = [[0.0; 2]; DIRECTIONS];
        for (heights, n) in heights.iter_mut().zip(&self.directions) {
            *heights = range(n, corners);
        }
        heights
    }

    /// Whether the known directions leave open that triangles with these heights along them are nearer than the best pair.
    fn may_be_nearer(&self, p: &Corners, of_q: &[[f64; 2]; DIRECTIONS]) -> bool {
        self.directions.iter().zip(of_q).all(|(n, [min_q, max_q])| {
            let [min_p, max_p] = range(n, p);
            (min_q - max_p).max(min_p - max_q) <= self.cutoff
        })
    }

    /// Accepts a pair if it is nearer than the best one.
    fn measure(&mut self, p: &Corners, q: &Corners, pair: [u32; 2]) {
        let is_first = self.pair[0] == NONE;
        let enough = if is_first { self.cutoff } else { self.cutoff * (1.0 - TIE) };
        let (lower_bound, direction) = self.ball.separation(p, q, enough);
        if lower_bound > enough || lower_bound >= enough && !is_first {
            return;
        }
        let (value, points) = self.ball.nearest_points(p, q);
        if value < self.best || is_first && !(value > self.best) {
            (self.best, self.pair, self.points) = (value, pair, points);
            self.cutoff = self.options.lower_bound(value);
            self.look_along(direction);
        }
    }

    /// Replaces the direction of the nearest pair.
    fn look_along(&mut self, direction: Vector3<f64>) {
        if let Some(last) = self.directions.last_mut() {
            *last = direction;
        }
        for (view, to_world) in self.views.iter_mut().zip(&self.to_world) {
            view.look_along(to_world, &direction);
        }
    }

    /// The result, around a centre of B [m, world].
    fn outcome(&self, center: Point3<f64>) -> Option<Distance> {
        let value = self.best;
        (self.pair[0] != NONE).then(|| Distance {
            value,
            lower_bound: self.options.lower_bound(value).min(self.unvisited),
            witnesses: self.points.map(|point| center + point),
            triangles: Some(self.pair),
        })
    }
}

impl TreePairQuery for NearestInNorm {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, (_, children_of_b): (u32, &Node), (_, of_a): (Subtree, &Volume)) -> Costs {
        Costs::Each(self.views[0].gaps::<I>(children_of_b, of_a))
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, (_, children_of_a): (u32, &Node), (_, of_b): (Subtree, &Volume)) -> Costs {
        Costs::Each(self.views[1].gaps::<I>(children_of_a, of_b))
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.cutoff).min(f32::MAX)
    }

    fn leaves<I: Isa>(&mut self, (_, a): (u32, &Packet), (_, b): (u32, &Packet)) -> ControlFlow<()> {
        if self.work.spend() {
            return ControlFlow::Break(());
        }
        let of_b: [Corners; PACKET] = std::array::from_fn(|lane| self.in_world(1, &b.triangle(lane)));
        let mut heights = of_b.map(|q| self.heights(&q));
        for (lane_a, triangle_a) in a.lanes() {
            let p = self.in_world(0, &a.triangle(lane_a));
            for (lane_b, triangle_b) in b.lanes() {
                if !self.may_be_nearer(&p, &heights[lane_b]) {
                    continue;
                }
                let pair = [triangle_a, triangle_b];
                self.measure(&p, &of_b[lane_b], pair);
                // The last direction may have been replaced.
                if self.pair == pair {
                    heights = of_b.map(|q| self.heights(&q));
                }
            }
        }
        ControlFlow::Continue(())
    }
}
