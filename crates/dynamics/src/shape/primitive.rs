//! Conversion of convex shapes to rapier's.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Vector3};
use rapier3d::geometry::SharedShape;
use rapier3d::math::Vector;

use extricate_core::geometry::convex::{ConvexHull, ConvexShape, Core};

/// Whether a shape is neither a hull nor rounded: rapier's primitive is the shape itself.
pub(crate) fn is_primitive(shape: &ConvexShape) -> bool {
    match shape.core() {
        Core::Hull(_) => false,
        Core::Point | Core::Segment { .. } => true,
        _ => shape.radius() == 0.0,
    }
}

/// Pose of rapier's shape in the frame of ours: its cylinders and cones have their axis along y.
pub(crate) fn pose_of_rapiers(core: &Core) -> Isometry3<f64> {
    match core {
        Core::Cylinder { .. } | Core::Cone { .. } => Isometry3::rotation(Vector3::new(FRAC_PI_2, 0.0, 0.0)),
        _ => Isometry3::identity(),
    }
}

/// Shape of rapier's, in rapier's frame; `None` for hulls that rapier does not accept.
pub(crate) fn rapiers_own(shape: &ConvexShape) -> Option<SharedShape> {
    let points = |hull: &ConvexHull| -> Vec<Vector> {
        hull.vertices().iter().map(|vertex| vertex.coords.into()).collect()
    };
    let radius = shape.radius();
    Some(match (shape.core(), radius > 0.0) {
        (Core::Point, _) => SharedShape::ball(radius),
        (Core::Segment { half_length }, _) => SharedShape::capsule_z(*half_length, radius),
        (Core::Cuboid { half_extents: h }, false) => SharedShape::cuboid(h.x, h.y, h.z),
        (Core::Cuboid { half_extents: h }, true) => SharedShape::round_cuboid(h.x, h.y, h.z, radius),
        (Core::Cylinder { radius: rim, half_height }, false) => SharedShape::cylinder(*half_height, *rim),
        (Core::Cylinder { radius: rim, half_height }, true) => {
            SharedShape::round_cylinder(*half_height, *rim, radius)
        }
        (Core::Cone { radius: rim, half_height }, false) => SharedShape::cone(*half_height, *rim),
        (Core::Cone { radius: rim, half_height }, true) => {
            SharedShape::round_cone(*half_height, *rim, radius)
        }
        (Core::Hull(hull), false) => SharedShape::convex_hull(&points(hull))?,
        (Core::Hull(hull), true) => SharedShape::round_convex_hull(&points(hull), radius)?,
        (Core::HalfSpace, _) => SharedShape::halfspace(Vector3::z().into()),
    })
}
