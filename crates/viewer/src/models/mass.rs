//! Masses of bodies, as panels tell them.

use std::f64::consts::PI;

use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::mass_properties::signed_volume;
use extricate_dynamics::{BodyDescription, BodyKind, Mass, Shape};

/// Mass [kg] of a dynamic body whose surface is `mesh`; none where it does not follow from what is drawn.
pub(super) fn of(body: &BodyDescription, mesh: Option<&TriangleMesh>) -> Option<f64> {
    if body.kind != BodyKind::Dynamic {
        return None;
    }
    match &body.mass {
        Mass::Total(mass) => Some(*mass),
        Mass::Inertial(inertial) => Some(inertial.mass),
        Mass::Density(density) => volume(&body.shape, mesh).map(|volume| density * volume),
    }
}

/// Volume of a shape [m³]; that of its closed surface where there is no formula.
fn volume(shape: &Shape, mesh: Option<&TriangleMesh>) -> Option<f64> {
    let volume = match *shape {
        Shape::Ball { radius } => 4.0 / 3.0 * PI * radius.powi(3),
        Shape::Cuboid { size } => size.product(),
        Shape::Capsule { radius, length } => PI * radius * radius * (length + 4.0 / 3.0 * radius),
        Shape::Cylinder { radius, height } => PI * radius * radius * height,
        Shape::Cone { radius, height } => PI * radius * radius * height / 3.0,
        Shape::Mesh(_) | Shape::Hull(_) | Shape::Rounded { .. } => signed_volume(mesh?),
        Shape::HalfSpace { .. } => return None,
    };
    (volume > 0.0).then_some(volume)
}
