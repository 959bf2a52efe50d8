//! Heights of shapes above planes.

use nalgebra::{Isometry3, Point3, Vector3};

use super::kind::Shape;
use extricate_core::geometry::convex::START_ANYWHERE;

/// Depth of a shape below the plane of a half-space [m], exact, if it reaches down to it.
pub(crate) fn depth_below(
    shape: &Shape,
    pose: &Isometry3<f64>,
    normal: &Vector3<f64>,
    plane_pose: &Isometry3<f64>,
) -> Option<f64> {
    let lowest = height_above(shape, pose, normal, plane_pose)?;
    (lowest <= 0.0).then_some(-lowest)
}

/// Height of the lowest point of a shape above the plane of a half-space [m], exact; none for another half-space.
pub(crate) fn height_above(
    shape: &Shape,
    pose: &Isometry3<f64>,
    normal: &Vector3<f64>,
    plane_pose: &Isometry3<f64>,
) -> Option<f64> {
    let (up, ground) = (plane_pose.rotation * normal, plane_pose.translation.vector);
    let height = |point: Point3<f64>| (pose * point - Point3::from(ground)).dot(&up);
    Some(if let Shape::Mesh(model) = shape {
        let corners = model.mesh().triangles().iter().flatten();
        corners.map(|&index| height(model.mesh().vertices()[index as usize])).fold(f64::INFINITY, f64::min)
    } else {
        let convex = shape.convex()?;
        let down = -(pose.rotation.inverse() * up);
        height(convex.core().support(&down, START_ANYWHERE).point.into()) - convex.radius()
    })
}
