//! Lower bounds of the distance of two subtrees: the maximum of three gaps, for all children of a node at once.
//!
//! | gap | separates |
//! |-----|-------------|
//! | of the boxes along the axes of the resting one | subtrees beside it |
//! | along the normal of the resting one's layer | subtrees above a flat patch |
//! | along the line of the centres, of the intersections of boxes and layers | patches that face one another |
//!
//! The last one prunes most. A patch is as thin as its layer along its normal, and the line between the closest points
//! of two smooth surfaces is normal to both; so that hardly anything is visited but pairs about as close as the closest
//! one. All is in single precision, relative to the centres of the boxes, and rounded down.

use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::bvh::packet::Layer;
use crate::proximity::relative_pose::{RelativePose, RoundedPose};

/// Rounding of a squared gap in single precision, relative: a subtraction, squares, sums and a quotient.
const GAP_ROUNDING: f32 = 1e-6;
/// Minimum squared distance of centres as a divisor, for concentric boxes.
const CONCENTRIC: f32 = 1e-37;

/// The rigid transformation from the frame of one tree to that of the other one, in single precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// Bound of the rounding of a length [m].
    pub(super) slack: f32,
}

/// A box and a layer in their own frame, the resting one, relative to the centre of the box.
pub(super) struct Resting {
    center: [f32; 3],
    pub(super) half: [f32; 3],
    pub(super) normal: [f32; 3],
    /// Height of the middle of the layer over the centre, and half its thickness [m].
    pub(super) middle: f32,
    pub(super) thickness: f32,
}

/// The children of a node relative to the centre of a resting box.
pub(super) struct Moved<S> {
    /// Half extents of their boxes in the frame of the node [m].
    pub(super) halves: [S; 3],
    /// From the centre of the resting box to theirs, in the frame of that box [m].
    pub(super) offsets: [S; 3],
    /// Height of the middles of their layers over their centres, and half the thickness [m].
    pub(super) middle: S,
    pub(super) thickness: S,
}

impl Motion {
    pub(super) fn new(exact: &RelativePose) -> Self {
        let mut motion = Self {
            rotation: [[0.0; 3]; 3],
            translation: [0.0; 3],
            slack: RoundedPose::new(exact, 0.0).slack(),
        };
        for i in 0..3 {
            motion.translation[i] = exact.translation[i] as f32;
            for j in 0..3 {
                motion.rotation[i][j] = exact.rotation[(i, j)] as f32;
            }
        }
        motion
    }

    /// Rotates a direction of the resting frame into the frame of the node.
    #[inline(always)]
    pub(super) fn back(&self, n: &[f32; 3]) -> [f32; 3] {
        let r = &self.rotation;
        let mut rotated = [0.0; 3];
        for k in 0..3 {
            rotated[k] = r[0][k] * n[0] + r[1][k] * n[1] + r[2][k] * n[2];
        }
        rotated
    }

    /// As [`Motion::back`], eight directions at once.
    #[inline(always)]
    pub(super) fn lanes_back<S: Single>(&self, n: &[S; 3]) -> [S; 3] {
        let r = &self.rotation;
        let mut rotated = *n;
        for k in 0..3 {
            rotated[k] = S::splat(r[0][k]) * n[0] + S::splat(r[1][k]) * n[1] + S::splat(r[2][k]) * n[2];
        }
        rotated
    }

    #[inline(always)]
    pub(super) fn children<S: Single>(&self, node: &Node, resting: &Resting) -> Moved<S> {
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
        // Layers are stored as heights over the tree's origin and used relative to the centres of the boxes.
        let middle = half * (low + high) - dot(&normals(node), &centers);
        Moved { halves, offsets, middle, thickness: half * (high - low) }
    }
}

impl Resting {
    #[inline(always)]
    pub(super) fn new(volume: &Volume) -> Self {
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

    /// Support of the intersection of box and layer from the centre along `v`, times the length of `v`.
    #[inline(always)]
    pub(super) fn reach<S: Single>(&self, v: &[S; 3]) -> S {
        let normal = [S::splat(self.normal[0]), S::splat(self.normal[1]), S::splat(self.normal[2])];
        let half = [S::splat(self.half[0]), S::splat(self.half[1]), S::splat(self.half[2])];
        reach(v, &half, &normal, S::splat(self.middle), S::splat(self.thickness))
    }
}

#[inline(always)]
pub(super) fn dot<S: Single>(a: &[S; 3], b: &[S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn normals<S: Single>(node: &Node) -> [S; 3] {
    let normal = &node.layers.normal;
    [S::load(&normal[0]), S::load(&normal[1]), S::load(&normal[2])]
}

/// Half the width along `v` of a box of these half extents, times the length of `v`.
#[inline(always)]
pub(super) fn box_reach<S: Single>(v: &[S; 3], half: &[S; 3]) -> S {
    v[0].abs() * half[0] + v[1].abs() * half[1] + v[2].abs() * half[2]
}

/// Support of the intersection of a box and a layer from the box's centre along `v`, times the length of `v`.
///
/// v = (v·n) n + w for any n: the layer bounds the first part and the box the second one.
#[inline(always)]
pub(super) fn reach<S: Single>(v: &[S; 3], half: &[S; 3], normal: &[S; 3], middle: S, thickness: S) -> S {
    let along = dot(v, normal);
    let rest = [v[0] - along * normal[0], v[1] - along * normal[1], v[2] - along * normal[2]];
    let of_layer = along * middle + along.abs() * thickness + box_reach(&rest, half);
    box_reach(v, half).min(of_layer)
}

/// Squared gaps between a subtree and the children of a node [m²], rounded down; `motion` is from the frame of the node
/// to that of the subtree. Where all exceed `cutoff` [m²] they may be less tight.
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
    // The third gap costs most: it is computed only where the first two do not prune all children.
    if squared.less_or_equal(I::Single::splat(cutoff)).bits() != 0 {
        squared = squared.max(central_gaps_squared(children, &moved, &resting, motion) * certain);
    }
    squared.store()
}

/// Squared gaps along the axes of the resting box. In this order of operands NaN propagates, and a child whose cost is
/// NaN is pruned; so below.
#[inline(always)]
fn hull_gaps_squared<S: Single>(moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let zero = S::splat(0.0);
    let mut squared = zero;
    for axis in 0..3 {
        let r = &motion.rotation[axis];
        let rotated = [S::splat(r[0]), S::splat(r[1]), S::splat(r[2])];
        let reach = box_reach(&rotated, &moved.halves) + S::splat(resting.half[axis] + motion.slack);
        let gap = zero.max(moved.offsets[axis].abs() - reach);
        squared = squared + gap * gap;
    }
    squared
}

/// Gaps along the normal of the resting layer.
#[inline(always)]
fn layer_gaps<S: Single>(moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let (n, m) = (&resting.normal, motion.back(&resting.normal));
    let resting_normal = [S::splat(n[0]), S::splat(n[1]), S::splat(n[2])];
    let rotated = [S::splat(m[0]), S::splat(m[1]), S::splat(m[2])];
    let offset = dot(&resting_normal, &moved.offsets) - S::splat(resting.middle);
    let reach = box_reach(&rotated, &moved.halves) + S::splat(resting.thickness + motion.slack);
    S::splat(0.0).max(offset.abs() - reach)
}

/// Squared gaps along the lines of the centres.
#[inline(always)]
fn central_gaps_squared<S: Single>(node: &Node, moved: &Moved<S>, resting: &Resting, motion: &Motion) -> S {
    let v = &moved.offsets;
    let length_squared = dot(v, v);
    let rotated = motion.lanes_back(v);
    let backwards = [S::splat(0.0) - rotated[0], S::splat(0.0) - rotated[1], S::splat(0.0) - rotated[2]];
    let theirs = reach(&backwards, &moved.halves, &normals(node), moved.middle, moved.thickness);
    // Twice, since the direction is rounded, too.
    let slack = S::splat(2.0 * motion.slack) * (v[0].abs() + v[1].abs() + v[2].abs());
    // All terms are times |v|, so that no square root is needed: the gap is this over |v|.
    let gap = S::splat(0.0).max(length_squared - resting.reach(v) - theirs - slack);
    gap * (gap * length_squared.away_from_zero(CONCENTRIC).recip())
}
