//! Rigid shapes as obstacles of soft bodies: a signed distance field, and samples of the surface.
//!
//! Half-spaces, balls, cuboids, capsules and cylinders have closed forms; meshes, cones, hulls and rounded shapes are queried
//! by closest points of their mesh. A mesh that is a surface without an inside has no depth: only its vertices push.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::soft::contact::{Obstacle, Primitive, SignedDistance};
use extricate_core::geometry::convex::Core;
use extricate_core::geometry::procedural::{Capsule, Cone, Cuboid, Cylinder, Procedural, Sphere};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::proximity::Model;
use extricate_core::query::Shape;

/// Cells along an edge of a cuboid whose corners are its samples. This and the next two: fewer samples miss rigid
/// features between the nodes of coarse soft meshes; half the spacing quadruples the samples of a surface, and their
/// queries. No effect on the sets of docs/sensitivity.md.
const CUTS: u32 = 6;
/// Steps of a quarter of a great circle between samples of round shapes.
const FREQUENCY: u32 = 6;
/// Samples around a cylinder or a cone.
const AROUND: u32 = 24;
/// Sides of the polygon that approximates a cone's circle: inside it by 0.05 % of the radius.
const SIDES: u32 = 96;

/// A signed distance transformed from its own frame into an obstacle's.
struct Placed {
    shape: Arc<dyn SignedDistance>,
    /// Obstacle's frame → the shape's own.
    to_shape: Isometry3<f64>,
}

impl SignedDistance for Placed {
    fn value_and_gradient(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        let (distance, gradient) = self.shape.value_and_gradient(&(self.to_shape * point));
        (distance, self.to_shape.rotation.inverse() * gradient)
    }
}

/// The obstacle of a rigid shape, at the origin; its frame is the body's translated to `centre` [m, body frame]. None where the
/// shape needs a mesh and has none.
pub(super) fn obstacle(shape: &Shape, centre: &Vector3<f64>) -> Option<Obstacle> {
    let formula = primitive(shape);
    let own: Arc<dyn SignedDistance> = match formula {
        Some(primitive) => Arc::new(primitive),
        None => model(shape)?,
    };
    let mut samples = if shape.is_half_space() {
        Vec::new()
    } else {
        Obstacle::of_model(sampled(shape)?, Isometry3::identity()).samples
    };
    samples.iter_mut().for_each(|(point, _)| *point -= centre);
    let to_shape = Isometry3::from(*centre);
    let mut obstacle = Obstacle::new(Arc::new(Placed { shape: own, to_shape }), Isometry3::identity());
    obstacle.samples = samples;
    Some(obstacle)
}

/// The primitive of a shape that has a closed-form signed distance.
fn primitive(shape: &Shape) -> Option<Primitive> {
    let convex = shape.core()?;
    let radius = convex.radius();
    Some(match *convex.core() {
        Core::HalfSpace => Primitive::HalfSpace,
        Core::Point => Primitive::Ball { radius },
        Core::Segment { half_length } => Primitive::Capsule { half_height: half_length, radius },
        Core::Cuboid { half_extents } if radius == 0.0 => Primitive::Cuboid { half: half_extents },
        Core::Cylinder { radius: rim, half_height } if radius == 0.0 => {
            Primitive::Cylinder { half_height, radius: rim }
        }
        _ => return None,
    })
}

/// The mesh of a shape without a closed-form signed distance.
fn model(shape: &Shape) -> Option<Arc<Model>> {
    let Some(convex) = shape.core() else { return shape.model().cloned() };
    let mesh = match *convex.core() {
        Core::Cone { radius, half_height } if convex.radius() == 0.0 => {
            Cone { radius, height: 2.0 * half_height, segments: SIDES }.mesh().ok()
        }
        _ => convex.inscribed_polyhedron(),
    };
    mesh.map(solid)
}

/// A mesh of a shape whose vertices are the samples.
fn sampled(shape: &Shape) -> Option<Arc<Model>> {
    let mesh = match primitive(shape) {
        Some(Primitive::Ball { radius }) => Sphere { radius, frequency: FREQUENCY }.mesh(),
        Some(Primitive::Cuboid { half }) => {
            let [x, y, z] = (2.0 * half).into();
            Cuboid { x, y, z, subdivisions: CUTS }.mesh()
        }
        Some(Primitive::Capsule { half_height, radius }) => {
            Capsule { radius, length: 2.0 * half_height, segments: AROUND, rings: FREQUENCY }.mesh()
        }
        Some(Primitive::Cylinder { half_height, radius }) => {
            Cylinder { radius, height: 2.0 * half_height, segments: AROUND }.mesh()
        }
        Some(Primitive::HalfSpace) | None => return model(shape),
    };
    mesh.ok().map(solid)
}

/// The model of the solid that a mesh bounds.
fn solid(mesh: TriangleMesh) -> Arc<Model> {
    Arc::new(Model::new(mesh, Solidity::Solid))
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;

    fn shapes() -> Vec<Shape> {
        let size = Vector3::new(0.4, 0.6, 0.2);
        let corners: Vec<_> = (0..8_u32)
            .map(|i| Point3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
            .collect();
        let torus = extricate_core::geometry::procedural::Torus::default().mesh().unwrap();
        vec![
            Shape::ball(0.3),
            Shape::cuboid(size),
            Shape::capsule(0.1, 0.5),
            Shape::cylinder(0.2, 0.3),
            Shape::cone(0.2, 0.3),
            Shape::hull(&corners).unwrap(),
            Shape::cuboid(size).rounded(0.05).unwrap(),
            Shape::mesh(torus),
        ]
    }

    #[test]
    fn samples_are_on_the_surface_and_the_gradient_leads_away_from_it() {
        let centre = Vector3::new(0.03, -0.02, 0.05);
        for shape in shapes() {
            let obstacle = obstacle(&shape, &centre).unwrap();
            assert!(obstacle.samples.len() >= 8, "{shape:?}");
            let area: f64 = obstacle.samples.iter().map(|(_, area)| area).sum();
            assert!(area > 0.0);
            for (point, _) in &obstacle.samples {
                let (distance, _) = obstacle.shape.value_and_gradient(point);
                // The samples' mesh of a round shape has its vertices on it.
                assert!(distance.abs() < 1e-9, "{shape:?} {distance}");
                let out = point + 0.01 * (point.coords + centre);
                let (above, gradient) = obstacle.shape.value_and_gradient(&out);
                let further = obstacle.shape.value_and_gradient(&(out + 1e-4 * gradient)).0;
                assert!(
                    above.abs() < 1e-9 || (further - above - 1e-4).abs() < 1e-6,
                    "{shape:?} {above} {further}"
                );
            }
        }
    }

    #[test]
    fn a_half_space_is_below_its_plane_whichever_way_it_faces() {
        for normal in [Vector3::z(), -Vector3::z(), Vector3::new(0.48, -0.6, 0.64), -Vector3::x()] {
            let upside_down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
            let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &normal).unwrap_or(upside_down);
            let centre = Vector3::new(0.1, 0.2, 0.3);
            let obstacle = obstacle(&Shape::half_space(), &centre).unwrap();
            assert!(obstacle.samples.is_empty());
            let point = Point3::new(0.7, -0.4, 1.1);
            let (distance, gradient) = obstacle.shape.value_and_gradient(&(rotation.inverse() * point));
            assert!((distance - normal.dot(&(point.coords + rotation * centre))).abs() < 1e-14);
            assert!((rotation * gradient - normal).norm() < 1e-14);
        }
    }
}
