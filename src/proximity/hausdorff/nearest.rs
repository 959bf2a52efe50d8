//! The two questions to the other model's tree: what is closest to a point, and what is close to a whole triangle.

use std::ops::ControlFlow;

use nalgebra::Point3;

use crate::bvh::TriangleBvh;
use crate::bvh::lanes::{Double as _, Isa, Single as _};
use crate::bvh::node::{NONE, Node, Packet, WIDTH, above};
use crate::bvh::single::{self, Single};
use crate::proximity::distance::triangles::squared_distances;

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;
/// Leaves room for the rounding of a ceiling.
const ROOM: f64 = 1.0 + 1e-9;

/// A point in single precision, rounded down and up.
#[derive(Debug, Clone, Copy)]
struct Rounded([[f32; 3]; 2]);

impl Rounded {
    fn new(point: &Point3<f64>) -> Self {
        Self([point.map(|x| -above(-x)).into(), point.map(above).into()])
    }

    /// Squared gaps to the boxes of the children [m²], rounded down.
    #[inline(always)]
    fn gaps<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let single = I::Single::splat;
        let mut sum = single(0.0);
        for axis in 0..3 {
            let behind = I::Single::load(&children.min[axis]) - single(self.0[1][axis]);
            let before = single(self.0[0][axis]) - I::Single::load(&children.max[axis]);
            // In this order NaN stays NaN, and what costs NaN is skipped.
            let gap = single(0.0).max(behind.max(before));
            sum = sum + gap * gap;
        }
        (sum * single(1.0 - GAP_ROUNDING)).store()
    }
}

/// A triangle that is near a point, and its distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) triangle: u32,
    /// [m]
    pub(super) distance: f64,
}

/// The triangle of `tree` closest to `point` [m, frame of the tree], or the first one found that is at most `floor`
/// [m] away; `known` is a triangle with its distance, and the answer where there is nothing closer.
pub(super) fn closest(tree: &TriangleBvh, point: &Point3<f64>, floor: f64, known: Near) -> Near {
    let mut query = Closest {
        point: point.coords.into(),
        rounded: Rounded::new(point),
        best: (ROOM * known.distance).powi(2),
        floor: floor * floor,
        triangle: NONE,
    };
    single::descend(tree, &mut query);
    if query.triangle == NONE || query.best >= known.distance * known.distance {
        return known;
    }
    Near { triangle: query.triangle, distance: query.best.sqrt() }
}

struct Closest {
    point: [f64; 3],
    rounded: Rounded,
    /// Least squared distance so far [m²].
    best: f64,
    /// Squared distance at which the descent ends [m²].
    floor: f64,
    triangle: u32,
}

impl Single for Closest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.rounded.gaps::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.best).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        let squared = squared_distances::<I::Double>(&self.point, packet).store();
        for (lane, triangle) in packet.lanes() {
            if squared[lane] < self.best {
                (self.best, self.triangle) = (squared[lane], triangle);
            }
        }
        if self.best <= self.floor { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What is near a triangle of the first model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covering {
    /// What is closest to the triangle's middle; only some close triangle where the cover is good enough.
    pub(super) middle: Near,
    /// The triangle whose greatest distance from the corners is the least found, and that distance.
    pub(super) cover: Near,
}

/// A triangle of `tree` that is at most `enough` [m] from all points of the triangle with the given `corners` and
/// `middle` [m, frame of the tree], or else the closest one to the middle; `known` as in [`closest`], for the middle.
pub(super) fn covering(
    tree: &TriangleBvh,
    corners: &[Point3<f64>; 3],
    middle: &Point3<f64>,
    enough: f64,
    known: Near,
) -> Covering {
    let mut query = Cover {
        middle: middle.coords.into(),
        rounded: Rounded::new(middle),
        corners: corners.map(|p| p.coords.into()),
        best: (ROOM * known.distance).powi(2),
        nearest: NONE,
        least: f64::INFINITY,
        cover: NONE,
        enough: enough * enough,
    };
    single::descend(tree, &mut query);
    let is_known = query.nearest == NONE || query.best >= known.distance * known.distance;
    let middle = if is_known { known } else { Near { triangle: query.nearest, distance: query.best.sqrt() } };
    Covering { middle, cover: Near { triangle: query.cover, distance: query.least.sqrt() } }
}

struct Cover {
    middle: [f64; 3],
    rounded: Rounded,
    corners: [[f64; 3]; 3],
    /// Least squared distance from the middle so far [m²].
    best: f64,
    nearest: u32,
    /// Least squared distance of the farthest corner so far [m²].
    least: f64,
    cover: u32,
    /// Squared distance at which the descent ends [m²].
    enough: f64,
}

impl Single for Cover {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.rounded.gaps::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.best).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        let lanes = squared_distances::<I::Double>(&self.middle, packet);
        let least = lanes.least();
        if !(least <= self.best || least <= self.enough) {
            return ControlFlow::Continue(());
        }
        let mut farthest = lanes;
        for corner in &self.corners {
            farthest = farthest.max(squared_distances::<I::Double>(corner, packet));
        }
        let (squared, farthest) = (lanes.store(), farthest.store());
        for (lane, triangle) in packet.lanes() {
            if squared[lane] < self.best {
                (self.best, self.nearest) = (squared[lane], triangle);
            }
            if farthest[lane] < self.least {
                (self.least, self.cover) = (farthest[lane], triangle);
            }
        }
        if self.least <= self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
