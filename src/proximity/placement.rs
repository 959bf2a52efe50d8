//! Where one tree lies in the frame of another.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::Model;
use crate::bvh::lanes::{Isa, Single};
use crate::bvh::node::{Bounds, Node, above, below};

/// Rounding of a transformed box, relative to the sizes that enter it.
const BOX_ROUNDING: f64 = 1e-14;
/// Rounding of a box that was moved in single precision, relative to the sizes that enter it.
const SINGLE_ROUNDING: f64 = 2e-6;

/// A rigid motion from the coordinates of one tree to those of another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    absolute: Matrix3<f64>,
    slack: f64,
}

/// A box in single precision around a moved box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedBox {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Placement {
    /// The motion x ↦ `rotation` x + `translation` of things of size `size` [m].
    pub(crate) fn new(rotation: Matrix3<f64>, translation: Vector3<f64>, size: f64) -> Self {
        let slack = BOX_ROUNDING * (size + translation.norm());
        Self { rotation, translation, absolute: rotation.abs(), slack }
    }

    /// From the tree of `a` to the tree of `b`.
    pub(crate) fn between(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Self {
        let to_b = pose_b.rotation.inverse();
        let rotation = (to_b * pose_a.rotation).to_rotation_matrix().into_inner();
        let between_origins = to_b * (pose_a.translation.vector - pose_b.translation.vector);
        let translation = rotation * a.bvh().center().coords + between_origins - b.bvh().center().coords;
        Self::new(rotation, translation, a.radius() + b.radius())
    }

    /// The opposite motion.
    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            translation: -(rotation * self.translation),
            absolute: self.absolute.transpose(),
            slack: self.slack,
        }
    }

    /// This motion followed by a translation [m].
    pub(crate) fn shifted(&self, by: &Vector3<f64>) -> Self {
        Self { translation: self.translation + by, ..*self }
    }

    pub(crate) fn point(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * p.coords + self.translation)
    }

    /// Corners of a triangle after the motion.
    #[inline(always)]
    pub(crate) fn triangle(&self, corners: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let (r, t) = (&self.rotation, &self.translation);
        corners
            .map(|p| std::array::from_fn(|k| r[(k, 0)] * p[0] + r[(k, 1)] * p[1] + r[(k, 2)] * p[2] + t[k]))
    }

    /// A box around the moved box, a margin [m] wider on every side.
    #[inline(always)]
    pub(crate) fn bounds(&self, bounds: &Bounds, margin: f64) -> MovedBox {
        let (center, half) = (bounds.center(), bounds.half_extents());
        let (r, absolute) = (&self.rotation, &self.absolute);
        let wider = margin + self.slack;
        let mut moved = MovedBox { min: [0.0; 3], max: [0.0; 3] };
        for k in 0..3 {
            let at =
                r[(k, 0)] * center[0] + r[(k, 1)] * center[1] + r[(k, 2)] * center[2] + self.translation[k];
            let reach = absolute[(k, 0)] * half[0] + absolute[(k, 1)] * half[1] + absolute[(k, 2)] * half[2];
            moved.min[k] = below(at - reach - wider);
            moved.max[k] = above(at + reach + wider);
        }
        moved
    }
}

/// A motion in single precision, for all children of a node at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedPlacement {
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// What its rounding may amount to, and the margin [m].
    slack: f32,
}

/// Where a node's moved children lie relative to a box: they overlap on an axis where |offset| ≤ reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedChildren<S> {
    /// From the middle of the box to the middles of the children [m].
    pub(crate) offsets: [S; 3],
    /// Half the sizes of the box and of the hulls of the moved children, rounded up [m].
    pub(crate) reaches: [S; 3],
}

impl RoundedPlacement {
    /// The motion `exact`, a margin [m] wider on every side.
    pub(crate) fn new(exact: &Placement, margin: f64) -> Self {
        let sizes = exact.slack / BOX_ROUNDING + margin;
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| exact.rotation[(i, j)] as f32)),
            translation: std::array::from_fn(|i| exact.translation[i] as f32),
            slack: above(SINGLE_ROUNDING * sizes + margin),
        }
    }

    /// The children after the motion, relative to `own`.
    #[inline(always)]
    pub(crate) fn children<I: Isa>(&self, children: &Node, own: &Bounds) -> MovedChildren<I::Single> {
        let (single, load) = (I::Single::splat, I::Single::load);
        let half = single(0.5);
        let mut centers = [half; 3];
        let mut extents = [half; 3];
        for axis in 0..3 {
            let (min, max) = (load(&children.min[axis]), load(&children.max[axis]));
            centers[axis] = half * (min + max);
            extents[axis] = half * (max - min);
        }
        let mut moved = MovedChildren { offsets: centers, reaches: extents };
        for axis in 0..3 {
            let r = &self.rotation[axis];
            let shift = single(self.translation[axis] - 0.5 * (own.min[axis] + own.max[axis]));
            let reach = single(0.5 * (own.max[axis] - own.min[axis]) + self.slack);
            moved.offsets[axis] =
                single(r[0]) * centers[0] + single(r[1]) * centers[1] + single(r[2]) * centers[2] + shift;
            moved.reaches[axis] = single(r[0].abs()) * extents[0]
                + single(r[1].abs()) * extents[1]
                + single(r[2].abs()) * extents[2]
                + reach;
        }
        moved
    }
}
