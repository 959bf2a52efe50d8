//! Closest point of a BVH of triangles.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::triangle_distance::{closest_on_triangle, squared_distances};
use crate::bvh::lanes::isa::{Double as _, Isa, Single as _};
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{NONE, Packet, above};
use crate::bvh::single;
use crate::bvh::single::TreeQuery;
use crate::bvh::tree::TriangleBvh;

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;

/// The closest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// The point [m, body frame].
    pub point: Point3<f64>,
    /// A triangle that contains it.
    pub triangle: u32,
    /// Distance from the query point \[m\], never negative.
    pub distance: f64,
}

/// Closest point of the triangles of `tree` to `point` with its distance if that exceeds `floor` [m, frame of the
/// tree], else `None`. `ceiling` is a known upper bound of the distance, up to rounding.
///
/// A point within the floor costs little: the first triangle that is as near ends the query. The distance may exceed
/// the minimum one by up to `excess`, relative, which prunes the subtrees that are about as far away.
pub(crate) fn closest_beyond(
    tree: &TriangleBvh,
    point: &Point3<f64>,
    floor: f64,
    ceiling: f64,
    excess: f64,
) -> Option<(Point3<f64>, f64)> {
    /// Safety factor for the rounding of the ceiling.
    const ROOM: f64 = 1.0 + 1e-9;
    let mut query = Nearest::new(*point, ROOM * ceiling);
    query.floor = floor.max(0.0).powi(2);
    query.fraction = (1.0 + excess).powi(-2);
    single::descend(tree, &mut query);
    (query.triangle != NONE && query.best > query.floor).then(|| (query.closest(), query.best.sqrt()))
}

/// Maximum overestimate by rounding of the distance of a point in the box from the triangles of `tree` [m].
///
/// The plane of a triangle of height h and length l is off by rounding · l / h, which moves it by so much times the
/// distance; but the edges are more accurate, and no point of the triangle is farther than h from them.
pub(super) fn rounding_of(tree: &TriangleBvh) -> f64 {
    /// Rounding of a distance from a triangle of ordinary shape, relative to the size.
    const ROUNDING: f64 = 1e-14;
    let size = 2.0 * tree.half_diagonal();
    let of_triangle = |corners: [[f64; 3]; 3]| {
        let [a, b, c] = corners.map(Vector3::from);
        let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared()).sqrt();
        let height = (b - a).cross(&(c - a)).norm() / longest;
        (ROUNDING * size * (size / height)).min(height)
    };
    let packets = tree.packets().iter();
    let triangles = packets.flat_map(|packet| packet.lanes().map(|(lane, _)| packet.triangle(lane)));
    triangles.map(of_triangle).fold(ROUNDING * size, f64::max)
}

/// Traversal query for the closest triangle; everything in the frame of the tree.
pub(super) struct Nearest {
    point: Point3<f64>,
    /// The point in single precision, rounded down and up.
    rounded: [[f32; 3]; 2],
    /// Minimum squared distance so far, or the squared limit at first [m²].
    best: f64,
    /// Squared distance at which the traversal ends [m²].
    floor: f64,
    /// Fraction of the minimum squared distance so far below which that of a subtree must be: less than 1 with an
    /// excess.
    fraction: f64,
    pub(super) triangle: u32,
    corners: [[f64; 3]; 3],
}

impl Nearest {
    pub(super) fn new(point: Point3<f64>, limit: f64) -> Self {
        let rounded = [point.map(|x| -above(-x)).into(), point.map(above).into()];
        let best = limit * limit;
        Self { point, rounded, best, floor: -1.0, fraction: 1.0, triangle: NONE, corners: [[0.0; 3]; 3] }
    }

    #[inline(always)]
    pub(super) fn visit<I: Isa>(&mut self, packet: &Packet) {
        self.visit_if::<I>(packet, |_| true);
    }

    /// Visits the triangles of a leaf that the filter admits.
    #[inline(always)]
    pub(super) fn visit_if<I: Isa>(&mut self, packet: &Packet, admits: impl Fn(u32) -> bool) {
        let squared = squared_distances::<I::Double>(&self.point.coords.into(), packet).store();
        for (lane, triangle) in packet.lanes() {
            // The limit itself is within: at first an equal distance is accepted.
            let is_nearer =
                squared[lane] < self.best || (squared[lane] <= self.best && self.triangle == NONE);
            if is_nearer && admits(triangle) {
                (self.best, self.triangle) = (squared[lane], triangle);
                self.corners = packet.triangle(lane);
            }
        }
    }

    /// Minimum distance so far, or the limit at first [m].
    pub(super) fn distance(&self) -> f64 {
        self.best.sqrt()
    }

    fn closest(&self) -> Point3<f64> {
        closest_on_triangle(&self.point, &self.corners.map(Point3::from))
    }

    pub(super) fn outcome(&self, center: &Point3<f64>) -> ClosestPoint {
        let closest = self.closest();
        let distance = nalgebra::distance(&self.point, &closest);
        ClosestPoint { point: closest + center.coords, triangle: self.triangle, distance }
    }
}

impl TreeQuery for Nearest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let single = I::Single::splat;
        let mut sum = single(0.0);
        for axis in 0..3 {
            let behind = I::Single::load(&children.min[axis]) - single(self.rounded[1][axis]);
            let before = single(self.rounded[0][axis]) - I::Single::load(&children.max[axis]);
            // In this order of operands NaN propagates, and a subtree whose cost is NaN is pruned.
            let gap = single(0.0).max(behind.max(before));
            sum = sum + gap * gap;
        }
        (sum * single(1.0 - GAP_ROUNDING)).store()
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        let fraction = if self.triangle == NONE { 1.0 } else { self.fraction };
        above(fraction * self.best).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.visit::<I>(packet);
        if self.best <= self.floor { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
