//! The triangles of a leaf against the box of a subtree of the other tree.
//!
//! The box and the layer of a leaf of long thin triangles that are not parallel are far larger than the triangles, so that a small box
//! may lie in those of thousands of leaves and near the triangles of few. All separating axes of a triangle and a box: three of
//! the box, the normal, and nine cross products [Akenine-Möller, Fast 3D Triangle-Box Overlap Testing, 2001].

use super::relative_pose::RelativePose;
use crate::bvh::lanes::isa::{Double, LaneVector, Mask, cross, dot, load, norm_l1, splat, sub};
use crate::bvh::packet::{Bounds, PACKET};

/// A box in the frame of B's tree.
pub(super) struct OrientedBox {
    center: [f64; 3],
    /// Unit vectors along its edges.
    axes: [[f64; 3]; 3],
    /// Half its edges [m].
    half: [f64; 3],
}

impl OrientedBox {
    /// A box of B's tree.
    #[inline(always)]
    pub(super) fn of_b(bounds: &Bounds) -> Self {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Self { center: bounds.center(), axes, half: bounds.half_extents() }
    }

    /// A box of A's tree.
    #[inline(always)]
    pub(super) fn of_a(bounds: &Bounds, a_to_b: &RelativePose) -> Self {
        let (r, t, c) = (&a_to_b.rotation, &a_to_b.translation, bounds.center());
        let (mut center, mut axes) = ([0.0; 3], [[0.0; 3]; 3]);
        for k in 0..3 {
            center[k] = r[(k, 0)] * c[0] + r[(k, 1)] * c[1] + r[(k, 2)] * c[2] + t[k];
            for (axis, vector) in axes.iter_mut().enumerate() {
                vector[k] = r[(k, axis)];
            }
        }
        Self { center, axes, half: bounds.half_extents() }
    }

    /// Whether the box, grown by `slack` [m], may meet one of four triangles in the frame of B's tree. False proves that it meets none.
    #[inline(always)]
    pub(super) fn may_meet<D: Double>(&self, corners: &[[[f64; PACKET]; 3]; 3], slack: f64) -> bool {
        let center = splat::<D>(&self.center);
        let corners = [
            sub(&load(&corners[0]), &center),
            sub(&load(&corners[1]), &center),
            sub(&load(&corners[2]), &center),
        ];
        let axes = [splat::<D>(&self.axes[0]), splat(&self.axes[1]), splat(&self.axes[2])];
        let mut near = u32::MAX;
        for axis in &axes {
            near &= self.overlap(&corners, axis, &axes, slack);
        }
        if near == 0 {
            return false;
        }
        let edges =
            [sub(&corners[1], &corners[0]), sub(&corners[2], &corners[1]), sub(&corners[0], &corners[2])];
        near &= self.overlap(&corners, &cross(&edges[0], &edges[1]), &axes, slack);
        for edge in &edges {
            for axis in &axes {
                near &= self.overlap(&corners, &cross(axis, edge), &axes, slack);
            }
            if near == 0 {
                return false;
            }
        }
        true
    }

    /// Bits of the triangles whose projections on `axis` overlap that of the box. All corners are projected: a computed axis of a thin
    /// triangle may point anywhere, and separates nevertheless.
    #[inline(always)]
    fn overlap<D: Double>(
        &self,
        corners: &[LaneVector<D>; 3],
        axis: &LaneVector<D>,
        axes: &[LaneVector<D>; 3],
        slack: f64,
    ) -> u32 {
        let [p, q, r] = [dot(axis, &corners[0]), dot(axis, &corners[1]), dot(axis, &corners[2])];
        let mut reach = D::splat(slack) * norm_l1(axis);
        for (of_box, &half) in axes.iter().zip(&self.half) {
            reach = reach + D::splat(half) * dot(axis, of_box).abs();
        }
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        low.less_or_equal(reach).bits() & (-reach).less_or_equal(high).bits()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Matrix3, Vector3};

    use super::*;
    use crate::bvh::lanes::isa::{Isa, Portable};
    use extricate_test_support::Noise;

    type D = <Portable as Isa>::Double;

    /// Distance along the segments from the box of half edges `half` about the origin to a triangle, by a dense sample of it.
    fn sampled_distance([p, q, r]: &[Vector3<f64>; 3], half: &Vector3<f64>) -> f64 {
        const N: usize = 60;
        let mut nearest = f64::INFINITY;
        for i in 0..=N {
            for j in 0..=N - i {
                let (u, v) = (i as f64 / N as f64, j as f64 / N as f64);
                let point = p + (q - p) * u + (r - p) * v;
                nearest = nearest.min((point.abs() - half).map(|x| x.max(0.0)).norm());
            }
        }
        nearest
    }

    #[test]
    fn separated_triangles_are_apart_and_most_that_are_apart_are_separated() {
        let mut noise = Noise(91);
        let (mut apart, mut separated) = (0, 0);
        for _ in 0..400 {
            let half = noise.vector().abs() * 0.3;
            let triangle: [Vector3<f64>; 3] = std::array::from_fn(|_| noise.signed_vector());
            let rotation = nalgebra::UnitQuaternion::from_scaled_axis(3.0 * noise.signed_vector());
            let pose = Isometry3::from_parts((2.0 * noise.signed_vector()).into(), rotation);
            let matrix: Matrix3<f64> = rotation.to_rotation_matrix().into_inner();
            let a_to_b = RelativePose::new(matrix, pose.translation.vector, 3.0);
            let narrow = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
            let bounds = Bounds { min: narrow(-half), max: narrow(half) };
            let mut corners = [[[0.0; PACKET]; 3]; 3];
            for (corner, p) in corners.iter_mut().zip(&triangle) {
                let moved = pose * nalgebra::Point3::from(*p);
                for axis in 0..3 {
                    corner[axis] = [moved[axis]; PACKET];
                }
            }
            let may_meet = OrientedBox::of_a(&bounds, &a_to_b).may_meet::<D>(&corners, 1e-9);
            let distance = sampled_distance(&triangle, &half);
            assert!(may_meet || distance > 1e-9, "{distance}");
            apart += usize::from(distance > 0.05);
            separated += usize::from(distance > 0.05 && !may_meet);
        }
        assert!(apart > 100 && separated == apart, "{separated} of {apart}");
    }

    #[test]
    fn the_axes_of_a_box_of_b_are_those_of_its_frame() {
        let bounds = Bounds { min: [-0.1; 3], max: [0.1; 3] };
        let leaf = |x: f64| {
            let mut corners = [[[0.0; PACKET]; 3]; 3];
            corners[0] = [[x - 1.0; PACKET], [x + 1.0; PACKET], [0.0; PACKET]];
            corners[1] = [[x + 1.0; PACKET], [x - 1.0; PACKET], [0.0; PACKET]];
            corners[2] = corners[1];
            corners
        };
        // The line x + y = 2x of the plane z = 0 touches the corner (0.1, 0.1) at x = 0.1.
        let meets = |x: f64| OrientedBox::of_b(&bounds).may_meet::<D>(&leaf(x), 1e-9);
        assert!(meets(0.1 + 1e-10) && !meets(0.1 + 1e-7) && !meets(0.3));
    }
}
