//! Oriented bounding boxes of convex pieces: most pieces of thin walls and long links whose bounding spheres meet are far apart, and
//! their boxes prove it for a fraction of the cost of a signed distance.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::geometry::convex::shape::ConvexShape;

/// Room for rounding, relative to the lengths involved: boxes count as apart only beyond it.
const ROOM: f64 = 1e-12;

/// Centre and half extents \[m\] of the bounding box of a shape along the axes of its own frame; not finite where it is unbounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalBox {
    center: Point3<f64>,
    half: Vector3<f64>,
}

impl LocalBox {
    pub(crate) fn of(shape: &ConvexShape) -> Self {
        let bounds = shape.aabb(&Isometry3::identity());
        Self { center: nalgebra::center(&bounds.min, &bounds.max), half: 0.5 * (bounds.max - bounds.min) }
    }

    /// The box of the shape scaled about its origin.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { center: self.center * factor, half: self.half * factor }
    }
}

/// A box in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrientedBox {
    center: Point3<f64>,
    /// Its axes, as columns.
    axes: Matrix3<f64>,
    half: Vector3<f64>,
    /// Half of its diagonal, which bounds its half extent along any axis.
    radius: f64,
}

impl Default for OrientedBox {
    fn default() -> Self {
        Self { center: Point3::origin(), axes: Matrix3::identity(), half: Vector3::zeros(), radius: 0.0 }
    }
}

impl OrientedBox {
    /// The box of a shape at a pose.
    pub(super) fn new(local: &LocalBox, pose: &Isometry3<f64>) -> Self {
        let axes = pose.rotation.to_rotation_matrix().into_inner();
        let center = Point3::from(axes * local.center.coords + pose.translation.vector);
        Self { center, axes, half: local.half, radius: local.half.norm() }
    }

    /// Whether a face normal of one of two boxes proves them farther apart than a distance \[m\]; never of unbounded ones.
    pub(super) fn are_beyond(&self, other: &Self, distance: f64) -> bool {
        let between = other.center - self.center;
        let room = ROOM * (between.abs().sum() + self.half.sum() + other.half.sum());
        let reach = distance + room;
        let (gaps, other_gaps) =
            (self.axes.tr_mul(&between).abs() - self.half, other.axes.tr_mul(&between).abs() - other.half);
        // Most pairs need no more than the radius of the other box, with room for its rounding as well.
        if gaps.max() > reach + room + other.radius || other_gaps.max() > reach + room + self.radius {
            return true;
        }
        // |aᵢ·bⱼ| projects the half extents of one box onto the axes of the other one.
        let cosines = self.axes.tr_mul(&other.axes).abs();
        // Negated nowhere: a gap that is not a number proves nothing.
        let is_beyond = |gaps: Vector3<f64>| gaps.iter().any(|gap| *gap > reach);
        is_beyond(gaps - cosines * other.half) || is_beyond(other_gaps - cosines.tr_mul(&self.half))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::geometry::random::fraction;
    use crate::penetration::convex::cache::ConvexCache;
    use crate::penetration::convex::options::ConvexOptions;
    use crate::penetration::convex::signed_distance;

    fn pose(seed: u64) -> Isometry3<f64> {
        let number = |at: u64| 2.0 * fraction([seed, at, 3]) - 1.0;
        let rotation = Vector3::new(number(3), number(4), number(5)) * 3.0;
        Isometry3::from_parts(
            Vector3::new(number(0), number(1), number(2)).into(),
            UnitQuaternion::new(rotation),
        )
    }

    #[test]
    fn boxes_are_beyond_a_distance_only_where_the_shapes_are_and_mostly_then() {
        let shapes = [
            ConvexShape::cuboid(Vector3::new(0.9, 0.5, 0.05)),
            ConvexShape::capsule(0.05, 0.5),
            ConvexShape::cylinder(0.1, 0.4).rounded(0.02),
            ConvexShape::cuboid(Vector3::new(0.1, 0.7, 0.2)).scaled(0.5),
        ];
        let (mut beyond, mut proved) = (0, 0);
        for seed in 0..4000_u64 {
            let [a, b] = [seed % 4, seed / 4 % 4].map(|at| &shapes[at as usize]);
            let (at, bt) = (pose(2 * seed), pose(2 * seed + 1));
            let options = ConvexOptions::default();
            let found = signed_distance(a, &at, b, &bt, &options, &mut ConvexCache::default()).unwrap();
            let [own, other] = [(a, &at), (b, &bt)].map(|(s, at)| OrientedBox::new(&LocalBox::of(s), at));
            let distance = 0.2 * fraction([seed, 9, 9]);
            let is_proved = own.are_beyond(&other, distance);
            assert!(!is_proved || found.value > distance, "{seed}");
            assert_eq!(is_proved, other.are_beyond(&own, distance), "{seed}");
            beyond += u32::from(found.value > distance);
            proved += u32::from(is_proved);
        }
        assert!(f64::from(proved) > 0.75 * f64::from(beyond), "{proved} of {beyond}");
    }

    #[test]
    fn a_half_space_is_beyond_nothing() {
        let [plane, cube] = [ConvexShape::half_space(), ConvexShape::cuboid(Vector3::repeat(0.1))];
        let far = Isometry3::translation(0.0, 0.0, 5.0);
        let [plane, cube] = [(&plane, Isometry3::identity()), (&cube, far)]
            .map(|(shape, pose)| OrientedBox::new(&LocalBox::of(shape), &pose));
        assert!(!plane.are_beyond(&cube, 0.0) && !cube.are_beyond(&plane, 0.0));
    }

    #[test]
    fn a_scaled_box_is_the_box_of_the_scaled_shape() {
        let shape = ConvexShape::cone(0.3, 0.8);
        let [one, other] = [LocalBox::of(&shape).scaled(0.4), LocalBox::of(&shape.scaled(0.4))];
        assert!((one.center - other.center).norm() < 1e-15 && (one.half - other.half).norm() < 1e-15);
    }
}
