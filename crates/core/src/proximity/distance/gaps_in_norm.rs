//! Lower bounds in the norm L1 or L∞ of the distance of a subtree and all children of a node at once: the maximum of the gaps along some
//! directions over their dual norms.
//!
//! | direction | separates |
//! |-----------|-----------|
//! | the normals of the facets of the unit ball | subtrees of which one is in front of a facet around the other |
//! | the direction that separates the nearest pair so far | subtrees that are farther along it, most of all |
//! | the normal of the resting one's layer | subtrees above a flat patch |
//! | the line of the centres, of the intersections of boxes and layers | patches that face one another |
//!
//! All is in single precision, relative to the centres of the boxes, and rounded down.

use nalgebra::{Matrix3, Vector3};

use super::gaps::{Motion, Moved, Resting, box_reach, dot, normals, reach};
use crate::bvh::lanes::isa::{Isa, Single};
use crate::bvh::node::{Node, Volume, WIDTH};
use crate::bvh::packet::Layer;
use crate::geometry::Norm;

/// Rounding of a gap in single precision, relative: of a direction and its dual norm, of a difference and a quotient.
const GAP_ROUNDING: f32 = 4e-6;
/// Minimum dual norm as a divisor, for concentric boxes.
const CONCENTRIC: f32 = 1e-37;

/// The resting tree as seen along the axes of the world.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// From the frame of the other tree to that of the resting one.
    motion: Motion,
    /// The rotation from the frame of the resting tree to the world.
    to_world: [[f32; 3]; 3],
    norm: Norm,
    /// Directions of dual norm one in the frame of the resting tree; the last one is that of the nearest pair so far.
    directions: Vec<[f32; 3]>,
}

impl View {
    /// A view with the directions [world], of dual norm one, of which the last one may be replaced.
    pub(super) fn new(
        motion: Motion,
        to_world: &Matrix3<f64>,
        norm: Norm,
        directions: &[Vector3<f64>],
    ) -> Self {
        let mut view = Self {
            motion,
            to_world: std::array::from_fn(|i| std::array::from_fn(|j| to_world[(i, j)] as f32)),
            norm,
            directions: vec![[0.0; 3]; directions.len()],
        };
        for (place, direction) in view.directions.iter_mut().zip(directions) {
            *place = narrowed(&to_world.tr_mul(direction));
        }
        view
    }

    /// Replaces the last direction [world].
    pub(super) fn look_along(&mut self, to_world: &Matrix3<f64>, direction: &Vector3<f64>) {
        if let Some(last) = self.directions.last_mut() {
            *last = narrowed(&to_world.tr_mul(direction));
        }
    }

    /// Gaps between a subtree of the resting tree and the children of a node of the other one [m], rounded down.
    #[inline(always)]
    pub(super) fn gaps<I: Isa>(&self, children: &Node, other: &Volume) -> [f32; WIDTH] {
        let resting = Resting::new(other);
        let moved = self.motion.children::<I::Single>(children, &resting);
        let layers = normals(children);
        let certain = I::Single::splat(1.0 - GAP_ROUNDING);
        let mut gap = I::Single::splat(0.0);
        for n in &self.directions {
            gap = gap.max(self.gap_along(&moved, &layers, &resting, n));
        }
        if other.layer != Layer::EVERYWHERE {
            let n = resting.normal;
            let per_dual = I::Single::splat(1.0 / self.dual_norm(&n).max(CONCENTRIC));
            gap = gap.max(self.gap_along(&moved, &layers, &resting, &n) * per_dual);
        }
        gap = gap.max(self.central_gaps(&moved, &layers, &resting));
        (gap * certain).store()
    }

    /// The gaps along a direction, on whichever side the children are.
    #[inline(always)]
    fn gap_along<S: Single>(&self, moved: &Moved<S>, layers: &[S; 3], resting: &Resting, n: &[f32; 3]) -> S {
        let splat = |n: &[f32; 3]| [S::splat(n[0]), S::splat(n[1]), S::splat(n[2])];
        let (ahead, back) = (splat(n), splat(&n.map(|x| -x)));
        let rotated = self.motion.back(n);
        let (ahead_there, back_there) = (splat(&rotated), splat(&rotated.map(|x| -x)));
        let offset = dot(&ahead, &moved.offsets);
        let theirs = |v: &[S; 3]| reach(v, &moved.halves, layers, moved.middle, moved.thickness);
        let beyond = offset - resting.reach(&ahead) - theirs(&back_there);
        let before = S::splat(0.0) - offset - resting.reach(&back) - theirs(&ahead_there);
        // Twice, since the direction is rounded, too.
        let slack = 2.0 * self.motion.slack * (n[0].abs() + n[1].abs() + n[2].abs());
        beyond.max(before) - S::splat(slack)
    }

    /// The gaps along the lines of the centres.
    #[inline(always)]
    fn central_gaps<S: Single>(&self, moved: &Moved<S>, layers: &[S; 3], resting: &Resting) -> S {
        let v = &moved.offsets;
        let rotated = self.motion.lanes_back(v);
        let zero = S::splat(0.0);
        let backwards = [zero - rotated[0], zero - rotated[1], zero - rotated[2]];
        let theirs = reach(&backwards, &moved.halves, layers, moved.middle, moved.thickness);
        let one = S::splat(1.0);
        let slack = S::splat(2.0 * self.motion.slack) * box_reach(v, &[one; 3]);
        let gap = dot(v, v) - resting.reach(v) - theirs - slack;
        let r = &self.to_world;
        let row = |k: usize| S::splat(r[k][0]) * v[0] + S::splat(r[k][1]) * v[1] + S::splat(r[k][2]) * v[2];
        let [x, y, z] = [row(0).abs(), row(1).abs(), row(2).abs()];
        let dual = if self.norm == Norm::L1 { x.max(y).max(z) } else { x + y + z };
        gap * dual.away_from_zero(CONCENTRIC).recip()
    }

    /// The dual norm of a direction in the frame of the resting tree.
    #[inline(always)]
    fn dual_norm(&self, n: &[f32; 3]) -> f32 {
        let r = &self.to_world;
        let row = |k: usize| (r[k][0] * n[0] + r[k][1] * n[1] + r[k][2] * n[2]).abs();
        let [x, y, z] = [row(0), row(1), row(2)];
        if self.norm == Norm::L1 { x.max(y).max(z) } else { x + y + z }
    }
}

fn narrowed(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
