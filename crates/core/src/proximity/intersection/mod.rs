//! The curves in which the surfaces of two models intersect, as segments [Lin17 §40.6].
//!
//! Two triangles whose planes cross share a segment of the intersection line of the planes. Its ends are where an edge
//! of one crosses the plane of the other one, computed from that edge and that plane alone: neighbours that share the
//! edge get the same bits, so that the segments of closed surfaces in general position chain into closed curves.
//!
//! Where the planes nearly coincide that line is dominated by rounding, and one triangle is clipped by the sides of the
//! other one instead: to a segment where it still crosses the plane, to a polygon where it lies in it.

use std::cell::Cell;

use nalgebra::{Isometry3, Point3, Vector3};

use super::collision::pairs_within_at;
use super::model::Model;
use super::relative_pose::{RelativePose, triangles_in_b};
use super::triangle_distance::common_point;

/// Squared sine of the angle between two planes below which their intersection line is too uncertain to order points
/// along it.
const PARALLEL_PLANES: f64 = 1e-8;

/// A segment of the intersection of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntersectionSegment {
    /// The triangles of A and of B that share the segment.
    pub triangles: [u32; 2],
    /// End points, on both triangles up to rounding [m, world]: the same point twice where the triangles only touch.
    /// Where they cross, the direction from the first to the second end is that of n_A × n_B, so that the curve of two
    /// closed surfaces with outward normals is consistently oriented.
    pub points: [Point3<f64>; 2],
    /// Whether the triangles are coplanar: the segment is then a side of their common polygon.
    pub coplanar: bool,
}

thread_local! {
    /// The pairs of this thread's last query, reused so that a warm one allocates nothing.
    static PAIRS: Cell<Vec<[u32; 2]>> = const { Cell::new(Vec::new()) };
}

/// Appends the segments of the intersection of the surfaces of `a` and `b`, ordered by triangles; poses map body to
/// world coordinates.
///
/// Every pair of triangles that intersect (touching counts) is listed. Most have one segment. A coplanar pair has the
/// sides of its common polygon in order. Where an edge lies in a triangle of the other model, each of the triangles at
/// that edge has the segment.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, intersection_segments};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.6, 0.1, 0.2));
/// let mut segments = Vec::new();
/// intersection_segments(&cube, &here, &cube, &there, &mut segments);
/// let length = segments.iter().map(|s| nalgebra::distance(&s.points[0], &s.points[1])).sum::<f64>();
/// // Around the box of 0.4 × 0.9 × 0.8 common to both, along the six edges that both surfaces have part in.
/// assert!((length - 2.0 * (0.4 + 0.9 + 0.8)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersection_segments(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    segments: &mut Vec<IntersectionSegment>,
) {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let mut pairs = PAIRS.take();
    pairs.clear();
    pairs_within_at(a, b, &a_to_b, 0.0, &mut pairs);
    let to_world = |point: &Point3<f64>| pose_b * (b.center() + point.coords);
    for &triangles in &pairs {
        let [p, q] = triangles_in_b(a, b, &a_to_b, triangles);
        let shared = shared(&p, &q, a_to_b.slack());
        let coplanar = shared.coplanar;
        shared.each_side(|x, y| {
            segments.push(IntersectionSegment { triangles, points: [to_world(x), to_world(y)], coplanar });
        });
    }
    PAIRS.set(pairs);
}

type Triangle = [Point3<f64>; 3];

/// Intersection of two triangles: a point, a segment or a convex polygon.
struct Shared {
    points: [Point3<f64>; CORNERS],
    count: usize,
    coplanar: bool,
}

/// Maximum number of corners of a triangle after it was clipped by the three sides of another one.
const CORNERS: usize = 6;

impl Shared {
    fn segment(points: [Point3<f64>; 2]) -> Self {
        let mut shared = Self { points: [points[0]; CORNERS], count: 2, coplanar: false };
        shared.points[1] = points[1];
        shared
    }

    /// Adds a corner; rounding may offer one too many, next to the last one.
    fn push(&mut self, corner: Point3<f64>) {
        if self.count < CORNERS {
            self.points[self.count] = corner;
            self.count += 1;
        }
    }

    /// The segment, or the sides of the polygon in order.
    fn each_side(&self, mut visit: impl FnMut(&Point3<f64>, &Point3<f64>)) {
        let corners = &self.points[..self.count];
        let closing = if self.coplanar { self.count } else { self.count - 1 };
        (0..closing).for_each(|k| visit(&corners[k], &corners[(k + 1) % self.count]));
    }
}

fn normal(t: &Triangle) -> Vector3<f64> {
    (t[1] - t[0]).cross(&(t[2] - t[0]))
}

/// Intersection of two triangles that are known to intersect; `slack` bounds the rounding of their coordinates [m].
fn shared(p: &Triangle, q: &Triangle, slack: f64) -> Shared {
    let (n_p, n_q) = (normal(p), normal(q));
    let heights = [p.map(|x| (x - q[0]).dot(&n_q)), q.map(|x| (x - p[0]).dot(&n_p))];
    let is_flat = |heights: &[f64; 3], normal: &Vector3<f64>| {
        heights.iter().all(|height| height.abs() <= slack * normal.norm())
    };
    let found = if is_flat(&heights[0], &n_q) && is_flat(&heights[1], &n_p) {
        polygon(p, q, &n_q)
    } else {
        let along = n_p.cross(&n_q);
        // Points can be ordered along the intersection line only where the planes are not nearly parallel.
        let is_sure = along.norm_squared() > PARALLEL_PLANES * n_p.norm_squared() * n_q.norm_squared();
        chord(p, &heights[0], &along).and_then(|of_p| {
            if is_sure {
                chord(q, &heights[1], &along).and_then(|of_q| overlap(&of_p, &of_q, &along))
            } else {
                cut_segment(&of_p, q, &n_q)
            }
        })
    };
    // Triangles that touch may be disjoint by rounding.
    found.unwrap_or_else(|| Shared::segment([common_point(p, q); 2]))
}

/// Intersection of a triangle with a plane over which its corners have these heights, ordered along a direction.
///
/// A crossing is computed from the end below the plane to the one above: the same bits for both triangles at an edge.
fn chord(triangle: &Triangle, heights: &[f64; 3], along: &Vector3<f64>) -> Option<[Point3<f64>; 2]> {
    let place = |x: &Point3<f64>| (x - triangle[0]).dot(along);
    let mut ends: Option<[Point3<f64>; 2]> = None;
    let mut include = |x: Point3<f64>| {
        let [first, last] = ends.get_or_insert([x; 2]);
        if place(&x) < place(first) {
            *first = x;
        }
        if place(&x) > place(last) {
            *last = x;
        }
    };
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let (low, high) = if heights[i] < heights[j] { (i, j) } else { (j, i) };
        if heights[low] < 0.0 && heights[high] > 0.0 {
            let fraction = heights[low] / (heights[low] - heights[high]);
            include(triangle[low] + (triangle[high] - triangle[low]) * fraction);
        }
        // A corner in the plane: the edges at it do not cross strictly.
        if heights[i] == 0.0 {
            include(triangle[i]);
        }
    }
    ends
}

/// The common part of two segments of one line, both ordered along it.
fn overlap(p: &[Point3<f64>; 2], q: &[Point3<f64>; 2], along: &Vector3<f64>) -> Option<Shared> {
    let is_behind = |x: &Point3<f64>, y: &Point3<f64>| (x - y).dot(along) > 0.0;
    let start = if is_behind(&q[0], &p[0]) { q[0] } else { p[0] };
    let end = if is_behind(&p[1], &q[1]) { q[1] } else { p[1] };
    (!is_behind(&start, &end)).then(|| Shared::segment([start, end]))
}

/// Signed distance of a point from the line of one side of a triangle, positive inwards, times a positive factor of
/// that side.
fn inward(triangle: &Triangle, normal: &Vector3<f64>, side: usize, x: &Point3<f64>) -> f64 {
    let (from, to) = (triangle[side], triangle[(side + 1) % 3]);
    normal.cross(&(to - from)).dot(&(x - from))
}

/// Clips a segment in the plane of a triangle to the triangle.
fn cut_segment(&[mut x, mut y]: &[Point3<f64>; 2], q: &Triangle, n_q: &Vector3<f64>) -> Option<Shared> {
    for side in 0..3 {
        let [of_x, of_y] = [x, y].map(|point| inward(q, n_q, side, &point));
        let crossing = x + (y - x) * (of_x / (of_x - of_y));
        match (of_x < 0.0, of_y < 0.0) {
            // All of it is beyond one side.
            (true, true) => return None,
            (true, false) => x = crossing,
            (false, true) => y = crossing,
            (false, false) => {}
        }
    }
    Some(Shared::segment([x, y]))
}

/// Common polygon of two coplanar triangles: P clipped by the sides of Q one after another (Sutherland–Hodgman).
fn polygon(p: &Triangle, q: &Triangle, n_q: &Vector3<f64>) -> Option<Shared> {
    let mut shared = Shared { points: [p[0], p[1], p[2], p[0], p[0], p[0]], count: 3, coplanar: true };
    for side in 0..3 {
        let (before, count) = (shared.points, shared.count);
        shared.count = 0;
        for k in 0..count {
            let (x, y) = (before[k], before[(k + 1) % count]);
            let [of_x, of_y] = [x, y].map(|point| inward(q, n_q, side, &point));
            if !(of_x < 0.0) {
                shared.push(x);
            }
            if (of_x < 0.0) != (of_y < 0.0) {
                shared.push(x + (y - x) * (of_x / (of_x - of_y)));
            }
        }
    }
    (shared.count > 0).then_some(shared)
}

#[cfg(test)]
mod tests;
