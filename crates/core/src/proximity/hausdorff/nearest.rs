//! The two questions to the other model's tree: what is closest to a point, and what is close to a whole triangle.

use std::ops::ControlFlow;

use nalgebra::Point3;

use crate::bvh::lanes::isa::{Double as _, Isa, Single as _};
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{NONE, PACKET, Packet, above};
use crate::bvh::single;
use crate::bvh::single::Single;
use crate::bvh::tree::TriangleBvh;
use crate::proximity::triangle_distance::squared_distances;

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;
/// Leaves room for the rounding of a ceiling.
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
///
/// A `share` of one gives the closest. With a lesser one, a subtree is looked at only where its squared distance is less
/// than that share of the least one so far: a triangle nearly as close is found sooner.
pub(super) fn closest(tree: &TriangleBvh, point: &Point3<f64>, floor: f64, known: Near, share: f64) -> Near {
    let mut query = Closest {
        point: point.coords.into(),
        rounded: Rounded::new(point),
        best: (ROOM * known.distance).powi(2),
        floor: floor * floor,
        triangle: NONE,
        share,
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
    /// Share of the least squared distance so far that a subtree must be able to beat.
    share: f64,
}

impl Single for Closest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        self.rounded.gaps::<I>(children)
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.share * self.best).min(f32::MAX)
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

/// A triangle of the first model and what has been found near it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covered {
    pub(super) corners: [[f64; 3]; 3],
    pub(super) middle: [f64; 3],
    /// The closest triangle to the middle; only some near one where the cover is good enough.
    pub(super) nearest: Near,
    /// The triangle whose greatest distance from the corners is the least found, and that distance.
    pub(super) cover: Near,
}

/// Finds for each triangle a cover that is at most `enough` [m] away from all of its points, or else what is closest to
/// its middle; everything in the frame of `tree`. What is known at first must be no less than the distance of a
/// triangle of `tree`.
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

/// A triangle, and its least squared distance found so far [m²].
type Least = (u32, f64);

/// What has been found near one triangle.
#[derive(Debug, Clone, Copy)]
struct FoundNear {
    nearest: Least,
    cover: Least,
}

/// The descent for the triangles of one leaf of the first model at once.
struct Covers<'a> {
    triangles: &'a [Covered],
    found: [FoundNear; PACKET],
    /// Which triangles have no cover yet that is good enough.
    open: [bool; PACKET],
    /// The box around the middles.
    middles: Rounded,
    /// The greatest squared distance from a middle that is still of interest [m²].
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
        let mut greatest = 0.0;
        for i in 0..PACKET {
            let best = self.found[i].nearest.1;
            greatest = if self.open[i] && best > greatest { best } else { greatest };
        }
        self.bound = above(greatest).min(f32::MAX);
    }
}

impl Single for Covers<'_> {
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
            let least = lanes.least();
            if least < found.nearest.1 {
                let squared = lanes.store();
                for lane in 0..PACKET {
                    if squared[lane] < found.nearest.1 && packet.triangles[lane] != NONE {
                        found.nearest = (packet.triangles[lane], squared[lane]);
                    }
                }
                is_changed = true;
            }
            // What is farther from the middle than is good enough is no good cover.
            if least <= self.enough {
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
