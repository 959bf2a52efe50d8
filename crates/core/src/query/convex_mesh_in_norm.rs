//! Distance of a convex shape and a mesh in the norms L1 and L∞: a traversal of the tree to the triangle that is nearest in the norm,
//! with cutting planes for each triangle that may be nearer than the best one. The nearest points in L2 are the first ones.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use super::error::QueryError;
use super::gap_in_norm::gap_apart_in_norm;
use super::pair::{ConvexMeshPair, ConvexPair};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{Packet, above, below};
use crate::bvh::single::{self, TreeQuery};
use crate::geometry::Norm;
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::{ConvexShape, START_ANYWHERE};
use crate::proximity::work_limit::WorkLimit;
use crate::proximity::{Distance, DistanceOptions, ProximityError};

/// Rounding of a gap, relative to the sizes that enter it.
const ROUNDING: f64 = 1e-14;

/// The distance of a convex shape and a mesh in L1 or L∞, zero where they collide; `None` where it is proved to exceed the limit.
pub(super) fn mixed_gap_in_norm(
    mixed: &ConvexMeshPair,
    norm: Norm,
    options: &DistanceOptions,
) -> Result<Option<Distance>, QueryError> {
    if mixed.is_half_space() {
        let found = above_plane(mixed, norm);
        return Ok((found.value <= options.limit).then_some(found));
    }
    let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    let wanted = DistanceOptions { time_budget: options.time_budget, ..DistanceOptions::default() };
    let Some(euclidean) = mixed.gap(wanted)? else { return Ok(None) };
    if euclidean.value <= 0.0 {
        return Ok(Some(euclidean));
    }
    let mut query = NearestInNorm::new(mixed, norm, options);
    query.work = WorkLimit::new(u64::MAX, deadline);
    query.start(&euclidean);
    single::descend(mixed.mesh.0.bvh(), &mut query);
    if query.work.is_spent() {
        let budget = options.time_budget.unwrap_or_default();
        return Err(ProximityError::OutOfTime { budget }.into());
    }
    if let Some(error) = query.error {
        return Err(error);
    }
    let lower_bound = query.lower_bound.min(query.cutoff()).max(0.0);
    let found = Distance { value: query.best, lower_bound, witnesses: query.points, triangles: None };
    Ok((found.value <= options.limit).then_some(found))
}

/// The height of the lowest vertex over the dual norm of the plane's normal.
fn above_plane(mixed: &ConvexMeshPair, norm: Norm) -> Distance {
    let (height, points) = mixed.height();
    let [_, vertex] = mixed.in_order(points);
    let normal = mixed.convex.1.rotation * Vector3::z();
    let along = |v: &Vector3<f64>| v.dot(&normal);
    let ball = norm.ball_vertices();
    let farthest = ball.iter().max_by(|v, w| along(v).total_cmp(&along(w))).copied().unwrap_or(normal);
    let value = (height / norm.dual().of(&normal)).max(0.0);
    let witnesses = mixed.in_order([vertex - farthest * value, vertex]);
    Distance { value, lower_bound: value, witnesses, triangles: None }
}

/// Traversal to the triangle that is nearest in the norm. Directions and points are along the axes of the world, around the centre of
/// the tree.
struct NearestInNorm<'a> {
    mixed: &'a ConvexMeshPair<'a>,
    norm: Norm,
    pose: Isometry3<f64>,
    to_world: Matrix3<f64>,
    center: Point3<f64>,
    /// Directions of dual norm one, and the minimum and maximum height of the shape along each.
    directions: Vec<(Vector3<f64>, [f64; 2])>,
    slack: f64,
    options: DistanceOptions,
    best: f64,
    /// Minimum of the lower bounds of the triangles that were measured.
    lower_bound: f64,
    points: [Point3<f64>; 2],
    work: WorkLimit,
    error: Option<QueryError>,
}

impl<'a> NearestInNorm<'a> {
    fn new(mixed: &'a ConvexMeshPair<'a>, norm: Norm, options: &DistanceOptions) -> Self {
        let (model, pose_of_model) = mixed.mesh;
        let center = pose_of_model * model.center();
        let mut pose = *mixed.convex.1;
        pose.translation.vector -= center.coords;
        let to_world = pose_of_model.rotation.to_rotation_matrix().into_inner();
        let (directions, lower_bound) = (Vec::new(), f64::INFINITY);
        let mut query = Self {
            mixed,
            norm,
            pose,
            to_world,
            center,
            directions,
            slack: ROUNDING * mixed.size(),
            options: *options,
            best: f64::INFINITY,
            lower_bound,
            points: [center; 2],
            work: WorkLimit::NONE,
            error: None,
        };
        for facet in norm.dual().ball_vertices() {
            query.look_along(&facet);
        }
        for axis in 0..3 {
            query.look_along(&to_world.column(axis).into_owned());
        }
        query
    }

    /// Starts from the nearest points in L2.
    fn start(&mut self, euclidean: &Distance) {
        let [on_a, on_b] = euclidean.witnesses;
        self.best = self.norm.of(&(on_b - on_a));
        self.points = euclidean.witnesses;
        self.look_along(&(on_b - on_a));
    }

    /// Adds a direction, unless it has no length.
    fn look_along(&mut self, direction: &Vector3<f64>) {
        let dual = self.norm.dual().of(direction);
        if dual > 0.0 {
            let n = direction / dual;
            let heights = heights_of(self.mixed.convex.0, &self.pose, &n);
            self.directions.push((n, heights));
        }
    }

    /// Distance above which triangles are skipped [m].
    fn cutoff(&self) -> f64 {
        self.options.lower_bound(self.best)
    }

    fn measure(&mut self, corners: &[Point3<f64>; 3]) {
        let hull = ConvexHull::new(corners).expect("three finite points have a hull");
        let (triangle, here) = (ConvexShape::hull(Arc::new(hull)), Isometry3::identity());
        let pair = ConvexPair { shapes: [self.mixed.convex.0, &triangle], poses: [&self.pose, &here] };
        let wanted = DistanceOptions { limit: self.cutoff(), ..self.options };
        match gap_apart_in_norm(&pair, self.norm, &wanted) {
            Ok(found) => {
                self.lower_bound = self.lower_bound.min(found.lower_bound);
                if found.value < self.best {
                    self.best = found.value;
                    self.points = self.mixed.in_order(found.witnesses.map(|p| p + self.center.coords));
                }
            }
            Err(error) => self.error = Some(error),
        }
    }
}

/// Minimum and maximum height of a convex shape along a direction.
fn heights_of(shape: &ConvexShape, pose: &Isometry3<f64>, n: &Vector3<f64>) -> [f64; 2] {
    [-1.0, 1.0].map(|sign| {
        let outward = Unit::new_normalize(*n * sign);
        let local = pose.rotation.inverse() * outward.into_inner();
        let point = pose * Point3::from(shape.core().support(&local, START_ANYWHERE).point);
        n.dot(&point.coords) + sign * shape.radius() * n.norm()
    })
}

impl TreeQuery for NearestInNorm<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let mut gaps = [0.0_f64; WIDTH];
        for (n, [low, high]) in &self.directions {
            let n = self.to_world.tr_mul(n);
            for (lane, gap) in gaps.iter_mut().enumerate() {
                let (mut min, mut max) = (0.0, 0.0);
                for axis in 0..3 {
                    let [first, last] = [children.min[axis][lane], children.max[axis][lane]]
                        .map(|end| n[axis] * f64::from(end));
                    min += first.min(last);
                    max += first.max(last);
                }
                *gap = gap.max(min - high).max(low - max);
            }
        }
        gaps.map(|gap| below((gap - self.slack).max(0.0)))
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.cutoff()).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        for (lane, _) in packet.lanes() {
            let corners = packet.triangle(lane).map(|x| Point3::from(self.to_world * Vector3::from(x)));
            let is_beyond = self.directions.iter().any(|(n, [low, high])| {
                let heights = corners.map(|corner| n.dot(&corner.coords));
                let [min, max] = heights
                    .iter()
                    .fold([f64::INFINITY, f64::NEG_INFINITY], |[min, max], h| [min.min(*h), max.max(*h)]);
                (min - high).max(low - max) - self.slack > self.cutoff()
            });
            if is_beyond {
                continue;
            }
            if self.work.spend() || self.error.is_some() {
                return ControlFlow::Break(());
            }
            self.measure(&corners);
        }
        ControlFlow::Continue(())
    }
}
