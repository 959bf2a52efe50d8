//! Relative pose of two trees, and boxes and layers transformed by it.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::model::Model;
use crate::bvh::lanes::isa::{Double, Isa, LaneVector, Mask, Single};
use crate::bvh::node::Node;
use crate::bvh::packet::{Bounds, Layer, above};

/// Rounding of a transformed box in double precision, relative to the sizes that enter it: some fifty units in the last
/// place, where the sums of a transformation round by fewer than ten.
const BOX_ROUNDING: f64 = 1e-14;
/// Rounding of a number that is stored in single precision, relative: one `f32::EPSILON`, twice the actual rounding.
const NARROWING: f64 = 1.2e-7;
/// Rounding of a box transformed in single precision, relative to the sizes that enter it: some seventeen times
/// `f32::EPSILON`. Less than the rounding of the sums could lose an overlap; more makes boxes larger by as much.
const SINGLE_ROUNDING: f64 = 2e-6;

/// The rigid transformation from the coordinates of one tree to those of another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RelativePose {
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    absolute: Matrix3<f64>,
    slack: f64,
}

/// A box in single precision around a transformed box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedBox {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl RelativePose {
    /// The transformation x ↦ `rotation` x + `translation`; `size` is that of the bodies [m], to which rounding is
    /// relative.
    pub(crate) fn new(rotation: Matrix3<f64>, translation: Vector3<f64>, size: f64) -> Self {
        let slack = BOX_ROUNDING * (size + translation.norm());
        Self { rotation, translation, absolute: rotation.abs(), slack }
    }

    /// The transformation from the tree of `a` to the tree of `b`; poses map body to world coordinates.
    pub(crate) fn between(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Self {
        let to_b = pose_b.rotation.inverse();
        let rotation = (to_b * pose_a.rotation).to_rotation_matrix().into_inner();
        let between_origins = to_b * (pose_a.translation.vector - pose_b.translation.vector);
        let translation = rotation * a.bvh().center().coords + between_origins - b.bvh().center().coords;
        Self::new(rotation, translation, a.radius() + b.radius())
    }

    /// The inverse transformation.
    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            translation: -(rotation * self.translation),
            absolute: self.absolute.transpose(),
            slack: self.slack,
        }
    }

    /// Whether all components are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.rotation.iter().chain(&self.translation).all(|x| x.is_finite())
    }

    /// This transformation followed by a translation [m].
    pub(crate) fn shifted(&self, by: &Vector3<f64>) -> Self {
        Self { translation: self.translation + by, ..*self }
    }

    /// Transforms a point.
    pub(crate) fn point(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * p.coords + self.translation)
    }

    /// Transforms the corners of a triangle.
    #[inline(always)]
    pub(crate) fn triangle(&self, corners: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let (r, t) = (&self.rotation, &self.translation);
        let mut moved = *corners;
        for (corner, p) in moved.iter_mut().zip(corners) {
            for k in 0..3 {
                corner[k] = r[(k, 0)] * p[0] + r[(k, 1)] * p[1] + r[(k, 2)] * p[2] + t[k];
            }
        }
        moved
    }

    /// Transforms four points.
    #[inline(always)]
    pub(crate) fn lanes<D: Double>(&self, p: &LaneVector<D>) -> LaneVector<D> {
        let (r, t) = (&self.rotation, &self.translation);
        let mut moved = *p;
        for k in 0..3 {
            let (x, y, z) = (D::splat(r[(k, 0)]), D::splat(r[(k, 1)]), D::splat(r[(k, 2)]));
            moved[k] = x * p[0] + y * p[1] + z * p[2] + D::splat(t[k]);
        }
        moved
    }

    /// Bound of the rounding of transformed coordinates [m].
    #[inline(always)]
    pub(crate) fn slack(&self) -> f64 {
        self.slack
    }

    /// Axis-aligned box around the transformed box, grown by `margin` [m] on every side.
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
            // Grown by more than the rounding of the conversion to single precision.
            let rounding = NARROWING * (at.abs() + reach);
            moved.min[k] = (at - reach - wider - rounding) as f32;
            moved.max[k] = (at + reach + wider + rounding) as f32;
        }
        moved
    }
}

/// A transformation in single precision, for all children of a node at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedPose {
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// Bound of its rounding plus the margin [m].
    slack: f32,
}

/// Transformed children of a node relative to a box: they overlap on an axis where |offset| ≤ reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedChildren<S> {
    /// From the centre of the box to the centres of the children [m].
    pub(crate) offsets: [S; 3],
    /// Sum of the half extents of the box and of the hulls of the transformed children, rounded up [m].
    pub(crate) reaches: [S; 3],
}

/// The children of a node relative to a volume along one axis: they overlap where |offset| ≤ reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AxisOffsets<S> {
    /// From the centre of the volume to the centres of the children [m].
    pub(crate) offset: S,
    /// Sum of the half widths of both [m].
    pub(crate) reach: S,
}

impl<S: Single> AxisOffsets<S> {
    /// Bits of the children that overlap.
    #[inline(always)]
    pub(crate) fn overlap(&self) -> u32 {
        self.offset.abs().less_or_equal(self.reach).bits()
    }
}

impl RoundedPose {
    /// The transformation `exact`, which grows boxes by `margin` [m] on every side.
    pub(crate) fn new(exact: &RelativePose, margin: f64) -> Self {
        let sizes = exact.slack / BOX_ROUNDING + margin;
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| exact.rotation[(i, j)] as f32)),
            translation: std::array::from_fn(|i| exact.translation[i] as f32),
            slack: above(SINGLE_ROUNDING * sizes + margin),
        }
    }

    /// The transformed children relative to `own`.
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

    /// Centre and half extents of the hull of a transformed box, rounded up.
    #[inline(always)]
    pub(crate) fn hull(&self, bounds: &Bounds) -> [[f32; 3]; 2] {
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            center[k] = 0.5 * (bounds.min[k] + bounds.max[k]);
            half[k] = 0.5 * (bounds.max[k] - bounds.min[k]);
        }
        let mut hull = [self.translation, [self.slack; 3]];
        for (axis, r) in self.rotation.iter().enumerate() {
            hull[0][axis] += r[0] * center[0] + r[1] * center[1] + r[2] * center[2];
            hull[1][axis] += r[0].abs() * half[0] + r[1].abs() * half[1] + r[2].abs() * half[2];
        }
        hull
    }

    /// Axis-aligned box around a transformed box, grown by the margin on every side.
    #[inline(always)]
    pub(crate) fn bounds(&self, bounds: &Bounds) -> MovedBox {
        let [center, half] = self.hull(bounds);
        let mut moved = MovedBox { min: center, max: center };
        for k in 0..3 {
            moved.min[k] -= half[k];
            moved.max[k] += half[k];
        }
        moved
    }

    /// Bound of its rounding plus the margin [m].
    #[inline(always)]
    pub(crate) fn slack(&self) -> f32 {
        self.slack
    }

    /// Rotates the normal of a layer.
    #[inline(always)]
    pub(crate) fn direction(&self, n: &[f32; 3]) -> [f32; 3] {
        let r = &self.rotation;
        let mut rotated = [0.0; 3];
        for k in 0..3 {
            rotated[k] = r[k][0] * n[0] + r[k][1] * n[1] + r[k][2] * n[2];
        }
        rotated
    }

    /// The boxes of the children relative to a transformed layer; `across` is its rotated normal.
    #[inline(always)]
    pub(crate) fn boxes_across<I: Isa>(
        &self,
        layer: &Layer,
        across: &[f32; 3],
        children: &Node,
    ) -> AxisOffsets<I::Single> {
        let (single, load) = (I::Single::splat, I::Single::load);
        let t = &self.translation;
        let middle =
            0.5 * (layer.low + layer.high) + (across[0] * t[0] + across[1] * t[1] + across[2] * t[2]);
        let half = 0.5 * (layer.high - layer.low) + self.slack;
        // Doubled, since the sum and the difference of a box's corners are twice its centre and half extents.
        let mut offset = single(-2.0 * middle);
        let mut reach = single(2.0 * half);
        for axis in 0..3 {
            let (min, max) = (load(&children.min[axis]), load(&children.max[axis]));
            offset = offset + single(across[axis]) * (min + max);
            reach = reach + single(across[axis].abs()) * (max - min);
        }
        AxisOffsets { offset: single(0.5) * offset, reach: single(0.5) * reach }
    }

    /// The layers of the children, each along its own normal, relative to a transformed box.
    #[inline(always)]
    pub(crate) fn layers_against<I: Isa>(&self, bounds: &Bounds, children: &Node) -> AxisOffsets<I::Single> {
        let (single, load) = (I::Single::splat, I::Single::load);
        let layers = &children.layers;
        let normal = [load(&layers.normal[0]), load(&layers.normal[1]), load(&layers.normal[2])];
        let (low, high) = (load(&layers.low), load(&layers.high));
        let (r, t) = (&self.rotation, &self.translation);
        let mut height = single(0.0);
        let mut reach = single(0.5) * (high - low) + single(self.slack);
        for k in 0..3 {
            let center = [
                0.5 * (bounds.min[0] + bounds.max[0]),
                0.5 * (bounds.min[1] + bounds.max[1]),
                0.5 * (bounds.min[2] + bounds.max[2]),
            ];
            let at = r[k][0] * center[0] + r[k][1] * center[1] + r[k][2] * center[2] + t[k];
            height = height + single(at) * normal[k];
            let half = 0.5 * (bounds.max[k] - bounds.min[k]);
            let rotated =
                single(r[0][k]) * normal[0] + single(r[1][k]) * normal[1] + single(r[2][k]) * normal[2];
            reach = reach + rotated.abs() * single(half);
        }
        AxisOffsets { offset: single(0.5) * (low + high) - height, reach }
    }
}

/// Corners of one triangle of each model in the frame of B's tree [m].
pub(crate) fn triangles_in_b(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    [i, j]: [u32; 2],
) -> [[Point3<f64>; 3]; 2] {
    let (center_a, center_b) = (a.center(), b.center());
    let of_a = a.mesh().triangle(i as usize).map(|p| a_to_b.point(&Point3::from(p - center_a)));
    let of_b = b.mesh().triangle(j as usize).map(|p| Point3::from(p - center_b));
    [of_a, of_b]
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use extricate_test_support::Noise;

    #[test]
    fn boxes_around_transformed_boxes_in_single_precision_hold_their_corners() {
        let mut noise = Noise(45);
        let mut most = 0.0_f64;
        for sample in 0..2000 {
            let size = [1e-3, 1.0, 1e3][sample % 3];
            let rotation = UnitQuaternion::from_scaled_axis(3.0 * noise.signed_vector());
            let rotation = rotation.to_rotation_matrix().into_inner();
            let translation = [0.0, 0.3, 50.0][sample / 3 % 3] * size * noise.signed_vector();
            let pose = RelativePose::new(rotation, translation, size);
            // Within the size of the bodies, to which the rounding is relative.
            let (center, half) = (noise.signed_vector() * 0.2 * size, noise.vector().abs() * 0.1 * size);
            let narrow = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
            let bounds = Bounds { min: narrow(center - half), max: narrow(center + half) };
            let margin = [-1e-7, 0.0, 0.05][sample / 9 % 3] * size;
            let single = RoundedPose::new(&pose, margin).bounds(&bounds);
            for corner in 0..8_usize {
                let at = |k: usize| if corner >> k & 1 == 0 { bounds.min[k] } else { bounds.max[k] };
                let corner = pose.point(&Point3::new(at(0).into(), at(1).into(), at(2).into()));
                for k in 0..3 {
                    let ends = [f64::from(single.min[k]) + margin, f64::from(single.max[k]) - margin];
                    assert!(ends[0] <= corner[k] && corner[k] <= ends[1], "{sample}");
                }
            }
            let exact = pose.bounds(&bounds, margin);
            let wider = |k: usize| f64::from(single.max[k]) - f64::from(exact.max[k]);
            most = (0..3).map(|k| wider(k) / (size + translation.norm())).fold(most, f64::max);
        }
        // And hardly more.
        assert!(most < 1e-5, "{most}");
    }
}
