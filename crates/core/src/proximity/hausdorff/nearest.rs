//! The two queries of the other model's tree: the triangle closest to a point, and one close to a whole triangle.

use std::ops::ControlFlow;

use nalgebra::Point3;

use crate::bvh::lanes::isa::{Double as _, Isa, Single as _};
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{NONE, PACKET, Packet, above};
use crate::bvh::single;
use crate::bvh::single::TreeQuery;
use crate::bvh::tree::TriangleBvh;
use crate::proximity::triangle_distance::squared_distances;

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;
/// Safety factor for the rounding of a ceiling.
const ROOM: f64 = 1.0 + 1e-9;

/// A point, or the corners of a box, in single precision, rounded down and up.
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
            // In this order of operands NaN propagates, and a subtree whose cost is NaN is pruned.
            let gap = single(0.0).max(behind.max(before));
            sum = sum + gap * gap;
        }
        (sum * single(1.0 - GAP_ROUNDING)).store()
    }
}

/// A triangle near a point or a set of points, with its distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) triangle: u32,
    /// Distance [m].
    pub(super) distance: f64,
}

/// The triangle of `tree` closest to `point` [m, frame of the tree], or the first one found that is at most `floor` [m]
/// away; `known`, a triangle with its distance, if none is closer.
///
/// A `fraction` of one gives the closest. With a smaller one, a subtree is visited only if its squared distance is less
/// than that fraction of the minimum one so far, which finds a triangle nearly as close sooner.
pub(super) fn closest(
    tree: &TriangleBvh,
    point: &Point3<f64>,
    floor: f64,
    known: Near,
    fraction: f64,
) -> Near {
    let mut query = Closest {
        point: point.coords.into(),
        rounded: Rounded::new(point),
        best: (ROOM * known.distance).powi(2),
        floor: floor * floor,
        triangle: NONE,
        fraction,
    };
    single::descend(tree, &mut query);
    if query.triangle == NONE || query.best >= known.distance * known.distance {
        return known;
    }
    Near { triangle: query.triangle, distance: query.best.sqrt() }
}

/// Traversal query for the closest triangle to a point.
struct Closest {
    point: [f64; 3],
    rounded: Rounded,
    /// Minimum squared distance so far [m²].
    best: f64,
    /// Squared distance at which the traversal ends [m²].
    floor: f64,
    triangle: u32,
    /// Fraction of the minimum squared distance so far that a subtree must be able to beat.
    fraction: f64,
}

impl TreeQuery for Closest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.rounded.gaps::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.fraction * self.best).min(f32::MAX)
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

/// A triangle of the first model with the triangles of the other model found near it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covered {
    pub(super) corners: [[f64; 3]; 3],
    pub(super) middle: [f64; 3],
    /// The closest triangle to the centroid; only some near one if the cover is good enough.
    pub(super) nearest: Near,
    /// The triangle whose maximum distance from the corners is the minimum found (the cover), with that distance, an
    /// upper bound.
    pub(super) cover: Near,
}

/// Finds for each triangle a cover that is at most `enough` [m] away from all of its points, or else the triangle
/// closest to its centroid; everything in the frame of `tree`. The initial distances must be those of triangles of
/// `tree`, or larger.
pub(super) fn find_covers(tree: &TriangleBvh, triangles: &mut [Covered], enough: f64) {
    let mut query = Covers::new(triangles, enough);
    if query.open.iter().any(|&is_open| is_open) {
        single::descend(tree, &mut query);
    }
    let found = query.found;
    for (triangle, found) in triangles.iter_mut().zip(found) {
        for (known, (index, squared)) in
            [(&mut triangle.nearest, found.nearest), (&mut triangle.cover, found.cover)]
        {
            if index != NONE && squared < known.distance * known.distance {
                *known = Near { triangle: index, distance: squared.sqrt() };
            }
        }
    }
}

/// A triangle, and its minimum squared distance found so far [m²].
type Min = (u32, f64);

/// Triangles found near one triangle.
#[derive(Debug, Clone, Copy)]
struct FoundNear {
    nearest: Min,
    cover: Min,
}

/// Traversal query for the triangles of one leaf of the first model at once.
struct Covers<'a> {
    triangles: &'a [Covered],
    found: [FoundNear; PACKET],
    /// Whether a triangle still has no cover that is good enough.
    open: [bool; PACKET],
    /// The box around the centroids.
    middles: Rounded,
    /// Pruning bound: maximum squared distance from a centroid that is still of interest [m²].
    bound: f32,
    /// Squared distance that is good enough [m²].
    enough: f64,
}

impl<'a> Covers<'a> {
    fn new(triangles: &'a [Covered], enough: f64) -> Self {
        let nothing = (NONE, f64::INFINITY);
        let mut query = Self {
            triangles,
            found: [FoundNear { nearest: nothing, cover: nothing }; PACKET],
            open: [false; PACKET],
            middles: Rounded([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]]),
            bound: 0.0,
            enough: enough * enough,
        };
        for (i, triangle) in triangles.iter().enumerate() {
            query.open[i] = triangle.cover.distance > enough;
            if query.open[i] {
                // A known distance prunes from the start, with room to find that triangle again.
                query.found[i].nearest.1 = (ROOM * triangle.nearest.distance).powi(2);
                let Rounded([down, up]) = Rounded::new(&triangle.middle.into());
                for axis in 0..3 {
                    query.middles.0[0][axis] = query.middles.0[0][axis].min(down[axis]);
                    query.middles.0[1][axis] = query.middles.0[1][axis].max(up[axis]);
                }
            }
        }
        query.update_bound();
        query
    }

    #[inline(always)]
    fn update_bound(&mut self) {
        let mut max = 0.0;
        for i in 0..PACKET {
            let best = self.found[i].nearest.1;
            max = if self.open[i] && best > max { best } else { max };
        }
        self.bound = above(max).min(f32::MAX);
    }
}

impl TreeQuery for Covers<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.middles.gaps::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        let (mut is_changed, mut is_open) = (false, false);
        for i in 0..self.triangles.len() {
            if !self.open[i] {
                continue;
            }
            let (triangle, found) = (&self.triangles[i], &mut self.found[i]);
            let lanes = squared_distances::<I::Double>(&triangle.middle, packet);
            // The empty lanes repeat the first triangle, so they do not change the minimum.
            let min = lanes.reduce_min();
            if min < found.nearest.1 {
                let squared = lanes.store();
                for lane in 0..PACKET {
                    if squared[lane] < found.nearest.1 && packet.triangles[lane] != NONE {
                        found.nearest = (packet.triangles[lane], squared[lane]);
                    }
                }
                is_changed = true;
            }
            // A triangle farther from the centroid than `enough` cannot be a cover that is good enough.
            if min <= self.enough {
                let mut farthest = lanes;
                for corner in 0..3 {
                    let to_corner = squared_distances::<I::Double>(&triangle.corners[corner], packet);
                    farthest = farthest.max(to_corner);
                }
                let farthest = farthest.store();
                for lane in 0..PACKET {
                    if farthest[lane] < found.cover.1 && packet.triangles[lane] != NONE {
                        found.cover = (packet.triangles[lane], farthest[lane]);
                    }
                }
                self.open[i] = !(found.cover.1 <= self.enough);
                is_changed = true;
            }
            is_open |= self.open[i];
        }
        if is_changed {
            self.update_bound();
        }
        if is_open { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
