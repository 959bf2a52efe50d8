//! Portals of a ray: the point at which a ray from the origin leaves a convex set [Gao23 §II-C, Algorithm 1].
//!
//! A portal is a triangle of extreme points that the ray passes. The extreme point along the portal's normal is beyond
//! it; together with the portal it makes three triangles, of which the ray passes one, the next portal.

use nalgebra::Vector3;

use super::obstacle::{Extreme, NotInside, Obstacle};

/// Sine of the angle below which an extreme point counts as one on the ray: the plane through both is lost in
/// rounding. A larger value only costs a support more where the ray is nearly hit.
const ON_THE_RAY: f64 = 1e-12;

/// Iterations that search along the normal of the wedge between the ray and two extreme points; they reach a near portal
/// sooner, but need not terminate where the origin is close to the boundary. After these, directions across the ray are
/// searched, which terminate.
const WEDGES: u32 = 4;

/// Extreme points tried beside a portal before those across the ray: the next ray is near the last one, so its portal
/// mostly differs in one corner only. The first is `FIRST_ASIDE` of the edge's width to the side, seen from the origin, and
/// each following one `WIDER` times as far; the last are across the ray. Without them pairs of spheres take twice the
/// supports.
const NEARBY: u32 = 6;
const FIRST_ASIDE: f64 = 0.125;
const WIDER: f64 = 4.0;

/// A triangle of extreme points that the line of the ray passes, counter-clockwise seen against the ray.
pub(super) struct Portal {
    corners: [Vector3<f64>; 3],
}

/// The portal's plane, and the supporting plane parallel to it.
pub(super) struct Planes {
    /// The extreme point along the portal's normal, v in the paper; `supporting.value` is the depth along the normal.
    pub(super) supporting: Extreme,
    /// Distance of the portal's plane from the origin [m].
    pub(super) offset: f64,
    /// Distance from the origin to the portal along the ray [m]: the ray leaves the set no nearer than here. Below
    /// zero where the portal is behind the origin.
    pub(super) reach: f64,
}

impl Portal {
    /// A portal of `ray`, found from the extreme point along it [Gao23 Algorithm 1, `find_portal`].
    pub(super) fn find(
        obstacle: &mut Obstacle<'_>,
        ray: &Vector3<f64>,
        first: &Extreme,
        limit: u32,
    ) -> Result<Self, NotInside> {
        let beside = obstacle.extreme_inside(&beside(&first.point, ray))?.point;
        let has_ray_on_left = first.point.cross(&beside).dot(ray) >= 0.0;
        let edge = if has_ray_on_left { [first.point, beside] } else { [beside, first.point] };
        Self::close(obstacle, ray, edge, limit)
    }

    /// A portal of the normal of this one, from its corners and the extreme point along its normal.
    pub(super) fn reused(
        mut self,
        obstacle: &mut Obstacle<'_>,
        first: &Extreme,
        limit: u32,
    ) -> Result<Self, NotInside> {
        let ray = &first.direction;
        let [a, b, c] = self.corners;
        // The ray has left the portal across an edge: the new portal lies on the other side of that edge.
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if from.cross(&to).dot(ray) < 0.0 {
                return Self::close_nearby(obstacle, ray, [to, from], first.point, limit);
            }
        }
        self.update(&first.point, ray);
        Ok(self)
    }

    /// A portal of a ray on the left of an edge, by extreme points farther and farther to the left.
    fn close_nearby(
        obstacle: &mut Obstacle<'_>,
        ray: &Vector3<f64>,
        mut edge: [Vector3<f64>; 2],
        mut point: Vector3<f64>,
        limit: u32,
    ) -> Result<Self, NotInside> {
        let [from, to] = edge;
        let mut aside = FIRST_ASIDE * (to - from).norm() / from.norm();
        for _ in 0..NEARBY {
            edge = match Self::closed(ray, edge, point) {
                Ok(portal) => return Ok(portal),
                Err(nearer) => nearer,
            };
            let left = edge[0].cross(&edge[1]).try_normalize(0.0).ok_or(NotInside::Unknown)?;
            point = obstacle.extreme_inside(&(ray + aside * left))?.point;
            aside *= WIDER;
        }
        Self::closed(ray, edge, point).or_else(|nearer| Self::close(obstacle, ray, nearer, limit))
    }

    /// A portal of a ray on the left of an edge, by extreme points to the left of it.
    fn close(
        obstacle: &mut Obstacle<'_>,
        ray: &Vector3<f64>,
        mut edge: [Vector3<f64>; 2],
        limit: u32,
    ) -> Result<Self, NotInside> {
        for iteration in 0..limit {
            let [a, b] = edge;
            // The ray is on the left of the edge, and so is a × b seen from the origin.
            let left = if iteration < WEDGES { a.cross(&b) } else { ray.cross(&(b - a)) };
            let point = obstacle.extreme_inside(&left)?.point;
            edge = match Self::closed(ray, edge, point) {
                Ok(portal) => return Ok(portal),
                Err(nearer) => nearer,
            };
        }
        Err(NotInside::Unknown)
    }

    /// The portal of a ray from an edge with the ray on its left and a point farther to the left; `Err` with the edge nearer to
    /// the ray where the triangle misses it.
    fn closed(
        ray: &Vector3<f64>,
        [a, b]: [Vector3<f64>; 2],
        point: Vector3<f64>,
    ) -> Result<Self, [Vector3<f64>; 2]> {
        if point.cross(&a).dot(ray) < 0.0 {
            Err([a, point])
        } else if b.cross(&point).dot(ray) < 0.0 {
            Err([point, b])
        } else {
            Ok(Self { corners: [a, b, point] })
        }
    }

    /// The planes of the portal, or none where its corners lie on a line.
    pub(super) fn planes(
        &self,
        obstacle: &mut Obstacle<'_>,
        ray: &Vector3<f64>,
    ) -> Result<Option<Planes>, NotInside> {
        let [a, b, c] = &self.corners;
        let normal = (b - a).cross(&(c - a));
        let along = normal.dot(ray);
        if !(along > 0.0) {
            return Ok(None);
        }
        let supporting = obstacle.extreme_inside(&normal)?;
        let reach = normal.dot(a) / along;
        let offset = supporting.direction.dot(a);
        Ok(Some(Planes { supporting, offset, reach }))
    }

    /// Replaces the corner opposite to the edge that makes the next portal with a point beyond [Gao23 Algorithm 1,
    /// `update_portal`].
    pub(super) fn update(&mut self, beyond: &Vector3<f64>, ray: &Vector3<f64>) {
        let across = beyond.cross(ray);
        // On which side of the plane of the ray and the new point each corner is.
        let [a, b, c] = self.corners.map(|corner| across.dot(&corner));
        let replaced = if a <= 0.0 && b >= 0.0 {
            2
        } else if b <= 0.0 && c >= 0.0 {
            0
        } else {
            1
        };
        self.corners[replaced] = *beyond;
    }
}

/// A direction across the ray, out of the plane of the ray and a point, or any across it for a point on the ray.
fn beside(point: &Vector3<f64>, ray: &Vector3<f64>) -> Vector3<f64> {
    let normal = point.cross(ray);
    if normal.norm_squared() > ON_THE_RAY * ON_THE_RAY * point.norm_squared() {
        normal
    } else {
        ray.cross(&Vector3::ith(ray.iamin(), 1.0))
    }
}
