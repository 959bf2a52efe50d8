//! Bounding spheres and axis-aligned bounding boxes of convex shapes.

use nalgebra::{Isometry3, Point3, Vector3};

use super::extreme::START_ANYWHERE;
use super::shape::{ConvexShape, Core};
use crate::geometry::triangle_mesh::Aabb;

impl ConvexShape {
    /// Centre \[m\], frame of the shape, and radius \[m\] of a bounding sphere. The radius is infinite for a half-space.
    #[must_use]
    pub fn bounding_sphere(&self) -> (Point3<f64>, f64) {
        let (center, of_core) = match self.core() {
            Core::Point => (Point3::origin(), 0.0),
            Core::Segment { half_length } => (Point3::origin(), *half_length),
            Core::Cuboid { half_extents } => (Point3::origin(), half_extents.norm()),
            Core::Cylinder { radius, half_height } | Core::Cone { radius, half_height } => {
                (Point3::origin(), radius.hypot(*half_height))
            }
            Core::Hull(hull) => (hull.center(), hull.radius()),
            Core::HalfSpace => (Point3::origin(), f64::INFINITY),
        };
        (center, of_core + self.radius())
    }

    /// Smallest axis-aligned bounding box of the shape at a pose, world frame. It is unbounded for a half-space.
    #[must_use]
    pub fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        // A half-space has no support point, and its box is unbounded along every axis but for special rotations.
        if *self.core() == Core::HalfSpace {
            let all = Point3::from(Vector3::repeat(f64::INFINITY));
            return Aabb { min: -all, max: all };
        }
        let rotation = pose.rotation.to_rotation_matrix();
        let extent = |axis: usize, sign: f64| {
            let outward = sign * rotation.matrix().row(axis).transpose();
            sign * (self.core().support(&outward, START_ANYWHERE).point.dot(&outward) + self.radius())
        };
        let origin = Point3::from(pose.translation.vector);
        let corner = |sign: f64| origin + Vector3::from_fn(|axis, _| extent(axis, sign));
        Aabb { min: corner(-1.0), max: corner(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::geometry::convex::ConvexHull;

    fn shapes() -> Vec<ConvexShape> {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.2], [0.0, 2.0, 0.0], [0.3, 0.0, -3.0]].map(Point3::from);
        vec![
            ConvexShape::sphere(0.5),
            ConvexShape::capsule(0.5, 2.0),
            ConvexShape::cuboid(Vector3::new(1.0, 2.0, 3.0)),
            ConvexShape::cylinder(0.5, 2.0).rounded(0.1),
            ConvexShape::cone(0.5, 2.0),
            ConvexShape::hull(Arc::new(ConvexHull::new(&points).unwrap())).rounded(0.2),
        ]
    }

    /// Support point of the rounded shape.
    fn extreme(shape: &ConvexShape, direction: &Vector3<f64>) -> Point3<f64> {
        (shape.core().support(direction, START_ANYWHERE).point + shape.radius() * direction.normalize())
            .into()
    }

    #[test]
    fn balls_and_boxes_contain_the_shape_and_boxes_touch_it() {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.4, 1.1, -0.7));
        let axes: Vec<Vector3<f64>> = Vec::from([Vector3::x(), Vector3::y(), Vector3::z()]);
        for shape in shapes() {
            let (center, radius) = shape.bounding_sphere();
            let aabb = shape.aabb(&pose);
            for step in 0..500 {
                let direction =
                    UnitQuaternion::from_euler_angles(f64::from(step), 0.37 * f64::from(step), 0.0);
                let point = extreme(&shape, &(direction * Vector3::z()));
                assert!((point - center).norm() <= radius * (1.0 + 1e-15));
                let world = pose * point;
                assert!((0..3).all(|i| aabb.min[i] - 1e-14 <= world[i] && world[i] <= aabb.max[i] + 1e-14));
            }
            for (i, axis) in axes.iter().enumerate() {
                let high = pose * extreme(&shape, &pose.inverse_transform_vector(axis));
                let low = pose * extreme(&shape, &-pose.inverse_transform_vector(axis));
                assert!((high[i] - aabb.max[i]).abs() < 1e-14 && (low[i] - aabb.min[i]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn nothing_finite_bounds_a_half_space() {
        let shape = ConvexShape::half_space();
        let aabb = shape.aabb(&Isometry3::translation(1.0, 2.0, 3.0));
        assert!(aabb.min.iter().chain(aabb.max.iter()).all(|x| x.is_infinite()) && aabb.min.x < aabb.max.x);
        assert!(shape.bounding_sphere().1.is_infinite());
    }
}
