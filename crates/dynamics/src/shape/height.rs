//! Heights of shapes above planes.

use nalgebra::{Isometry3, Point3, Vector3};

use extricate_core::geometry::convex::START_ANYWHERE;
use extricate_core::query::Shape;

/// Exact depth of a shape below the plane of a half-space [m], if it reaches down to it.
pub(crate) fn depth_below(shape: &Shape, pose: &Isometry3<f64>, plane: &Isometry3<f64>) -> Option<f64> {
    let lowest = height_above(shape, pose, plane)?;
    (lowest <= 0.0).then_some(-lowest)
}

/// Exact height of the lowest point of a shape above the plane of a half-space [m]; `None` for another half-space.
pub(crate) fn height_above(shape: &Shape, pose: &Isometry3<f64>, plane: &Isometry3<f64>) -> Option<f64> {
    let (up, ground) = (plane.rotation * Vector3::z(), plane.translation.vector);
    let height = |point: Point3<f64>| (pose * point - Point3::from(ground)).dot(&up);
    Some(if let Some(model) = shape.model() {
        let corners = model.mesh().triangles().iter().flatten();
        corners.map(|&index| height(model.mesh().vertices()[index as usize])).fold(f64::INFINITY, f64::min)
    } else {
        let convex = shape.bounded_core()?;
        let down = -(pose.rotation.inverse() * up);
        height(convex.core().support(&down, START_ANYWHERE).point.into()) - convex.radius()
    })
}
