//! Closest point of a tree of triangles.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::triangle_distance::{closest_on_triangle, squared_distances};
use crate::bvh::lanes::isa::{Double as _, Isa, Single as _};
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{NONE, Packet, above};
use crate::bvh::single;
use crate::bvh::single::Single;
use crate::bvh::tree::TriangleBvh;

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;

/// The closest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// The point [m, body frame].
    pub point: Point3<f64>,
    /// A triangle that holds it.
    pub triangle: u32,
    /// Its distance from the point that was asked about [m], never negative.
    pub distance: f64,
}

/// The point of the triangles of `tree` that is closest to `point` when it is farther away than `floor` [m, frame of
/// the tree], with that distance; else `None`. `ceiling` is a length that the distance is known not to exceed,
/// rounding apart.
///
/// A point that is not farther than the floor costs little: the first triangle that shows it ends the query. The
/// distance may be up to `excess`, relative, more than the least one: that saves looking at much that is about as
/// far away.
pub(crate) fn closest_beyond(
    tree: &TriangleBvh,
    point: &Point3<f64>,
    floor: f64,
    ceiling: f64,
    excess: f64,
) -> Option<(Point3<f64>, f64)> {
    /// Leaves room for the rounding of the ceiling.
    const ROOM: f64 = 1.0 + 1e-9;
    let mut query = Nearest::new(*point, ROOM * ceiling);
    query.floor = floor.max(0.0).powi(2);
    query.share = (1.0 + excess).powi(-2);
    single::descend(tree, &mut query);
    (query.triangle != NONE && query.best > query.floor).then(|| (query.closest(), query.best.sqrt()))
}

/// Descent to the closest triangle; everything in the frame of the tree.
pub(super) struct Nearest {
    point: Point3<f64>,
    /// The point in single precision, rounded down and up.
    rounded: [[f32; 3]; 2],
    /// Least squared distance so far, or what the answer must not exceed [m²].
    best: f64,
    /// Squared distance at which the descent ends [m²].
    floor: f64,
    /// Share of the least squared distance so far that a subtree must be able to beat.
    share: f64,
    pub(super) triangle: u32,
    corners: [[f64; 3]; 3],
}

impl Nearest {
    pub(super) fn new(point: Point3<f64>, limit: f64) -> Self {
        let rounded = [point.map(|x| -above(-x)).into(), point.map(above).into()];
        let best = limit * limit;
        Self { point, rounded, best, floor: -1.0, share: 1.0, triangle: NONE, corners: [[0.0; 3]; 3] }
    }

    #[inline(always)]
    pub(super) fn look_at<I: Isa>(&mut self, packet: &Packet) {
        let squared = squared_distances::<I::Double>(&self.point.coords.into(), packet).store();
        for (lane, triangle) in packet.lanes() {
            if squared[lane] < self.best || (squared[lane] <= self.best && self.triangle == NONE) {
                (self.best, self.triangle) = (squared[lane], triangle);
                self.corners = packet.triangle(lane);
            }
        }
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

impl Single for Nearest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let single = I::Single::splat;
        let mut sum = single(0.0);
        for axis in 0..3 {
            let behind = I::Single::load(&children.min[axis]) - single(self.rounded[1][axis]);
            let before = single(self.rounded[0][axis]) - I::Single::load(&children.max[axis]);
            // In this order NaN stays NaN, and what costs NaN is skipped.
            let gap = single(0.0).max(behind.max(before));
            sum = sum + gap * gap;
        }
        (sum * single(1.0 - GAP_ROUNDING)).store()
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        let share = if self.triangle == NONE { 1.0 } else { self.share };
        above(share * self.best).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.look_at::<I>(packet);
        if self.best <= self.floor { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
