//! Shapes that rapier has, too.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Vector3};
use rapier3d::geometry::SharedShape;
use rapier3d::math::Vector;

use super::kind::Shape;
use extricate_core::geometry::convex::ConvexHull;

/// rapier's primitive, with its pose in the frame of ours: its cylinders and cones stand along y.
pub(crate) fn primitive_of(shape: &Shape) -> Option<(SharedShape, Isometry3<f64>)> {
    let upright = Isometry3::identity();
    let y_to_z = Isometry3::rotation(Vector3::new(FRAC_PI_2, 0.0, 0.0));
    Some(match shape {
        Shape::Ball { radius } => (SharedShape::ball(*radius), upright),
        Shape::Cuboid { size } => (SharedShape::cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0), upright),
        Shape::Capsule { radius, length } => (SharedShape::capsule_z(length / 2.0, *radius), upright),
        Shape::Cylinder { radius, height } => (SharedShape::cylinder(height / 2.0, *radius), y_to_z),
        Shape::Cone { radius, height } => (SharedShape::cone(height / 2.0, *radius), y_to_z),
        Shape::HalfSpace { normal } => (SharedShape::halfspace(normal.into_inner().into()), upright),
        Shape::Mesh(_) | Shape::Hull(_) | Shape::Rounded { .. } => return None,
    })
}

/// A hull or a rounded shape as rapier has it, in the frame of ours; none for hulls that rapier cannot take.
pub(crate) fn rapiers_own(shape: &Shape) -> Option<SharedShape> {
    let points = |hull: &ConvexHull| -> Vec<Vector> {
        hull.vertices().iter().map(|vertex| vertex.coords.into()).collect()
    };
    match shape {
        Shape::Hull(hull) => SharedShape::convex_hull(&points(hull)),
        Shape::Rounded { core, radius } => match &**core {
            Shape::Cuboid { size } => {
                Some(SharedShape::round_cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0, *radius))
            }
            Shape::Hull(hull) => SharedShape::round_convex_hull(&points(hull), *radius),
            Shape::Cylinder { radius: rim, height } => {
                Some(SharedShape::round_cylinder(height / 2.0, *rim, *radius))
            }
            Shape::Cone { radius: rim, height } => Some(SharedShape::round_cone(height / 2.0, *rim, *radius)),
            _ => None,
        },
        _ => None,
    }
}
