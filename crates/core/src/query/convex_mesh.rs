//! Distance of a convex shape and the triangles of a mesh, exact for every convex shape: one ordered traversal of the tree
//! minimises the signed distance of the shape and each triangle; no tessellation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};

use super::shape::used_vertices;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{Packet, above, below};
use crate::bvh::single::{self, TreeQuery};
use crate::geometry::convex::{ConvexHull, ConvexShape, Core};
use crate::geometry::{Aabb, Solidity};
use crate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use crate::proximity::triangle_distance::closest_on_triangle;
use crate::proximity::work_limit::WorkLimit;
use crate::proximity::{DistanceOptions, Model, ProximityError};

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;

/// The part of a mesh that is nearest to a convex shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// Distance of the shape and the surface [m]; zero or below where they intersect, or where one contains the other.
    pub(super) value: f64,
    /// A point of the convex shape and one of the mesh [m, world].
    pub(super) points: [Point3<f64>; 2],
}

/// The nearest points of a convex shape and a mesh; `None` where they are farther apart than the limit.
///
/// # Errors
/// [`ProximityError::OutOfTime`] where the time budget passes before that is known.
pub(super) fn nearest(
    shape: &ConvexShape,
    pose: &Isometry3<f64>,
    model: &Model,
    pose_of_model: &Isometry3<f64>,
    wanted: DistanceOptions,
) -> Result<Option<Nearest>, ProximityError> {
    if matches!(shape.core(), Core::HalfSpace) {
        let found = above_plane(shape, pose, model, pose_of_model);
        return Ok((found.value <= wanted.limit).then_some(found));
    }
    let mut in_tree = pose_of_model.inv_mul(pose);
    in_tree.translation.vector -= model.center().coords;
    let bounds = shape.aabb(&in_tree);
    let deadline = wanted.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    let mut query = NearestTriangle {
        shape,
        pose: in_tree,
        bounds,
        rounded: [bounds.min.map(below).into(), bounds.max.map(above).into()],
        best: wanted.limit,
        wanted,
        found: None,
        work: WorkLimit::new(u64::MAX, deadline),
        cache: ConvexCache::default(),
    };
    // Without a limit the first leaf provides one, which prunes most of the tree.
    if wanted.limit.is_infinite() {
        query.look_at(&model.bvh().packets()[0]);
    }
    single::descend(model.bvh(), &mut query);
    if query.work.is_spent() {
        return Err(ProximityError::OutOfTime { budget: wanted.time_budget.unwrap_or_default() });
    }
    let to_world = |point: Point3<f64>| pose_of_model * (point + model.center().coords);
    // A solid that contains the shape has no near triangle: a point inside decides.
    if !query.found.is_some_and(|found| found.value <= 0.0) && model.solidity() == Solidity::Solid {
        let center = in_tree * center_of(shape);
        if model.contains_in_tree(&center.coords) {
            let point = to_world(center);
            return Ok(Some(Nearest { value: 0.0, points: [point; 2] }));
        }
    }
    Ok(query.found.map(|found| Nearest { points: found.points.map(to_world), ..found }))
}

/// A point of the core.
pub(super) fn center_of(shape: &ConvexShape) -> Point3<f64> {
    match shape.core() {
        Core::Hull(hull) => hull.center(),
        _ => Point3::origin(),
    }
}

/// The lowest vertex of a mesh over a half-space.
fn above_plane(
    shape: &ConvexShape,
    pose: &Isometry3<f64>,
    model: &Model,
    pose_of_model: &Isometry3<f64>,
) -> Nearest {
    let local = pose.inv_mul(pose_of_model);
    let heights = used_vertices(model).map(|vertex| (local * vertex, vertex));
    let lowest = heights.min_by(|(p, _), (q, _)| p.z.total_cmp(&q.z));
    let (in_shape, vertex) = lowest.expect("a mesh has triangles");
    let below = Point3::new(in_shape.x, in_shape.y, shape.radius());
    Nearest { value: in_shape.z - shape.radius(), points: [pose * below, pose_of_model * vertex] }
}

/// Traversal to the nearest triangle; everything in the frame of the tree.
struct NearestTriangle<'a> {
    shape: &'a ConvexShape,
    pose: Isometry3<f64>,
    bounds: Aabb,
    /// The box around the shape in single precision, rounded outwards.
    rounded: [[f32; 3]; 2],
    /// Minimum distance so far, or the limit of the query before the first one [m].
    best: f64,
    wanted: DistanceOptions,
    found: Option<Nearest>,
    /// Triangles that are measured count, and the deadline.
    work: WorkLimit,
    cache: ConvexCache,
}

impl NearestTriangle<'_> {
    /// Distance above which triangles are skipped [m].
    fn cutoff(&self) -> f64 {
        if self.found.is_some() { self.wanted.lower_bound(self.best) } else { self.best }
    }

    fn look_at(&mut self, packet: &Packet) {
        for (lane, _) in packet.lanes() {
            let corners = packet.triangle(lane).map(Point3::from);
            let around = Aabb::of_points(&corners);
            let gap = (self.bounds.min - around.max).sup(&(around.min - self.bounds.max));
            // The boxes of shape and triangle cost less than their distance.
            if gap.sup(&Vector3::zeros()).norm() > self.cutoff() {
                continue;
            }
            if self.work.spend() {
                return;
            }
            let found = self.nearest_on_triangle(&corners);
            if found.value < self.best || (found.value <= self.best && self.found.is_none()) {
                self.best = found.value;
                self.found = Some(found);
            }
        }
    }

    fn nearest_on_triangle(&mut self, corners: &[Point3<f64>; 3]) -> Nearest {
        let radius = self.shape.radius();
        // A point or ball needs no distance algorithm of convex shapes.
        if matches!(self.shape.core(), Core::Point) {
            let center = Point3::from(self.pose.translation.vector);
            let on_mesh = closest_on_triangle(&center, corners);
            let apart = nalgebra::distance(&center, &on_mesh);
            let fraction = if apart > radius { radius / apart } else { 1.0 };
            let on_shape = center + (on_mesh - center) * fraction;
            return Nearest { value: apart - radius, points: [on_shape, on_mesh] };
        }
        let hull = ConvexHull::new(corners).expect("three finite points have a hull");
        let triangle = ConvexShape::hull(Arc::new(hull));
        let (options, here) = (ConvexOptions::default(), Isometry3::identity());
        // A warm start from another triangle would make the result depend on the order of the traversal.
        self.cache.forget();
        let found = signed_distance(self.shape, &self.pose, &triangle, &here, &options, &mut self.cache);
        let found = found.expect("the shape and its pose were checked");
        Nearest { value: found.value, points: found.witnesses }
    }
}

impl TreeQuery for NearestTriangle<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        std::array::from_fn(|lane| {
            let mut sum = 0.0;
            for axis in 0..3 {
                let behind = children.min[axis][lane] - self.rounded[1][axis];
                let before = self.rounded[0][axis] - children.max[axis][lane];
                let gap = behind.max(before).max(0.0);
                sum += gap * gap;
            }
            // Rounded downwards, so that no node with a nearer triangle is pruned.
            sum * (1.0 - GAP_ROUNDING)
        })
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.cutoff().powi(2)).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.look_at(packet);
        // An overlap needs no nearer triangle.
        if self.work.is_spent() || self.best <= 0.0 && self.found.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
