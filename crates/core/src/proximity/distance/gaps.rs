//! How far apart two subtrees are at least: the greatest of three gaps, for all children of a node at once.
//!
//! | gap | tells apart |
//! |-----|-------------|
//! | of the boxes along the axes of the resting one | what is beside it |
//! | along the normal of the resting one's layer | what hovers over a flat patch |
//! | along the line of the centres, of what the boxes share with their layers | patches that face one another |
//!
//! The last one does most of the work. A patch seen along its normal is as thin as its layer, and the closest points
//! of two surfaces look at one another along their normals; so that little is left to look at but what is as close as
//! the answer. All is in single precision, relative to the centres of the boxes, and rounded towards "closer".

use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::bvh::packet::Layer;
use crate::proximity::placement::{Placement, RoundedPlacement};

/// Rounding of a squared gap in single precision, relative: a subtraction, squares, sums and a quotient.
const GAP_ROUNDING: f32 = 1e-6;
/// Keeps the divisor of a gap between boxes with one centre away from zero.
const CONCENTRIC: f32 = 1e-37;

/// The motion from the frame of one tree to that of the other one, in single precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// What rounding may amount to in a length [m].
    slack: f32,
}

/// A box and a layer at rest, relative to the centre of the box.
struct Resting {
    center: [f32; 3],
    half: [f32; 3],
    normal: [f32; 3],
    /// Height of the middle of the layer over the centre, and half its thickness [m].
    middle: f32,
    thickness: f32,
}

/// The children of a node, relative to the centre of a box at rest.
struct Moved<S> {
    /// Half the sizes of their boxes, in the frame of the node [m].
    halves: [S; 3],
    /// From the centre of the resting box to theirs, in the frame of that box [m].
    offsets: [S; 3],
    /// Height of the middles of their layers over their centres, and half the thickness [m].
    middle: S,
    thickness: S,
}

impl Motion {
    pub(super) fn new(exact: &Placement) -> Self {
        let mut motion = Self {
            rotation: [[0.0; 3]; 3],
            translation: [0.0; 3],
            slack: RoundedPlacement::new(exact, 0.0).slack(),
        };
        for i in 0..3 {
            motion.translation[i] = exact.translation[i] as f32;
            for j in 0..3 {
                motion.rotation[i][j] = exact.rotation[(i, j)] as f32;
            }
        }
        motion
    }

    /// A resting direction in the frame from which things are moved.
    #[inline(always)]
    fn back(&self, n: &[f32; 3]) -> [f32; 3] {
        let r = &self.rotation;
        let mut turned = [0.0; 3];
        for k in 0..3 {
            turned[k] = r[0][k] * n[0] + r[1][k] * n[1] + r[2][k] * n[2];
        }
        turned
    }

    /// As [`Motion::back`], eight directions at once.
    #[inline(always)]
    fn lanes_back<S: Single>(&self, n: &[S; 3]) -> [S; 3] {
        let r = &self.rotation;
        let mut turned = *n;
        for k in 0..3 {
            turned[k] = S::splat(r[0][k]) * n[0] + S::splat(r[1][k]) * n[1] + S::splat(r[2][k]) * n[2];
        }
        turned
    }

    #[inline(always)]
    fn children<S: Single>(&self, node: &Node, resting: &Resting) -> Moved<S> {
        let half = S::splat(0.5);
        let (mut centers, mut halves) = ([half; 3], [half; 3]);
        for axis in 0..3 {
            let (min, max) = (S::load(&node.min[axis]), S::load(&node.max[axis]));
            centers[axis] = half * (min + max);
            halves[axis] = half * (max - min);
        }
        let mut offsets = centers;
        for axis in 0..3 {
            let r = &self.rotation[axis];
            let shift = S::splat(self.translation[axis] - resting.center[axis]);
            offsets[axis] = S::splat(r[0]) * centers[0]
                + S::splat(r[1]) * centers[1]
                + S::splat(r[2]) * centers[2]
                + shift;
        }
        let (low, high) = (S::load(&node.layers.low), S::load(&node.layers.high));
        let middle = half * (low + high) - dot(&normals(node), &centers);
        Moved { halves, offsets, middle, thickness: half * (high - low) }
    }
}

impl Resting {
    #[inline(always)]
    fn new(volume: &Volume) -> Self {
        let (bounds, layer) = (&volume.bounds, &volume.layer);
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            center[k] = 0.5 * (bounds.min[k] + bounds.max[k]);
            half[k] = 0.5 * (bounds.max[k] - bounds.min[k]);
        }
        let n = layer.normal;
        let height = n[0] * center[0] + n[1] * center[1] + n[2] * center[2];
        let (middle, thickness) = (0.5 * (layer.low + layer.high) - height, 0.5 * (layer.high - layer.low));
        Self { center, half, normal: n, middle, thickness }
    }

    /// How far the part of the box within the layer reaches from the centre along `v`, times the length of that.
    #[inline(always)]
    fn reach<S: Single>(&self, v: &[S; 3]) -> S {
        let normal = [S::splat(self.normal[0]), S::splat(self.normal[1]), S::splat(self.normal[2])];
        let half = [S::splat(self.half[0]), S::splat(self.half[1]), S::splat(self.half[2])];
        reach(v, &half, &normal, S::splat(self.middle), S::splat(self.thickness))
    }
}

#[inline(always)]
fn dot<S: Single>(a: &[S; 3], b: &[S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn normals<S: Single>(node: &Node) -> [S; 3] {
    let normal = &node.layers.normal;
    [S::load(&normal[0]), S::load(&normal[1]), S::load(&normal[2])]
}

/// Half the width along `v` of a box of these half sizes, times the length of `v`.
#[inline(always)]
fn box_reach<S: Single>(v: &[S; 3], half: &[S; 3]) -> S {
    v[0].abs() * half[0] + v[1].abs() * half[1] + v[2].abs() * half[2]
}

/// How far the part of a box within a layer reaches from the box's centre along `v`, times the length of `v`.
///
/// v = (v·n) n + w for any n: the layer bounds the first part and the box the second one.
#[inline(always)]
fn reach<S: Single>(v: &[S; 3], half: &[S; 3], normal: &[S; 3], middle: S, thickness: S) -> S {
    let along = dot(v, normal);
    let rest = [v[0] - along * normal[0], v[1] - along * normal[1], v[2] - along * normal[2]];
    let of_layer = along * middle + along.abs() * thickness + box_reach(&rest, half);
    box_reach(v, half).min(of_layer)
}

/// Squared gaps between a subtree and the children of a node [m²], rounded down; `motion` is from the frame of the
/// node to that of the subtree. Where all are greater than `cutoff` [m²] they may be lesser than need be.
#[inline(always)]
pub(super) fn gaps_squared<I: Isa>(
    children: &Node,
    other: &Volume,
    motion: &Motion,
    cutoff: f32,
) -> [f32; WIDTH] {
    let resting = Resting::new(other);
    let moved = motion.children::<I::Single>(children, &resting);
    let certain = I::Single::splat(1.0 - GAP_ROUNDING);
    let mut squared = hull_gaps_squared(&moved, &resting, motion);
    if other.layer != Layer::EVERYWHERE {
        let gap = layer_gaps(&moved, &resting, motion);
        squared = squared.max(gap * gap);
    }
    squared = squared * certain;
    if squared.less_or_equal(I::Single::splat(cutoff)).bits() != 0 {
        squared = squared.max(central_gaps_squared(children, &moved, &resting, motion) * certain);
    }
    squared.store()
}

/// Along the axes of the resting box. In this order NaN stays NaN, and what costs NaN is skipped; so below.
#[inline(always)]
fn hull_gaps_squared<S: Single>(moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let zero = S::splat(0.0);
    let mut squared = zero;
    for axis in 0..3 {
        let r = &motion.rotation[axis];
        let turned = [S::splat(r[0]), S::splat(r[1]), S::splat(r[2])];
        let reach = box_reach(&turned, &moved.halves) + S::splat(resting.half[axis] + motion.slack);
        let gap = zero.max(moved.offsets[axis].abs() - reach);
        squared = squared + gap * gap;
    }
    squared
}

/// Along the normal of the resting layer.
#[inline(always)]
fn layer_gaps<S: Single>(moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let (n, m) = (&resting.normal, motion.back(&resting.normal));
    let resting_normal = [S::splat(n[0]), S::splat(n[1]), S::splat(n[2])];
    let turned = [S::splat(m[0]), S::splat(m[1]), S::splat(m[2])];
    let offset = dot(&resting_normal, &moved.offsets) - S::splat(resting.middle);
    let reach = box_reach(&turned, &moved.halves) + S::splat(resting.thickness + motion.slack);
    S::splat(0.0).max(offset.abs() - reach)
}

/// Along the lines of the centres.
#[inline(always)]
fn central_gaps_squared<S: Single>(node: &Node, moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let v = &moved.offsets;
    let length_squared = dot(v, v);
    let turned = motion.lanes_back(v);
    let backwards = [S::splat(0.0) - turned[0], S::splat(0.0) - turned[1], S::splat(0.0) - turned[2]];
    let theirs = reach(&backwards, &moved.halves, &normals(node), moved.middle, moved.thickness);
    // Twice: the direction is rounded, too.
    let slack = S::splat(2.0 * motion.slack) * (v[0].abs() + v[1].abs() + v[2].abs());
    let gap = S::splat(0.0).max(length_squared - resting.reach(v) - theirs - slack);
    gap * (gap * length_squared.away_from_zero(CONCENTRIC).recip())
}
