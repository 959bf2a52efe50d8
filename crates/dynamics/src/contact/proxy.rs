//! Meshes that stand for primitives when they meet a mesh.
//!
//! A cuboid is exactly its twelve triangles. Cylinders and cones are prisms and pyramids over a regular polygon of
//! [`SIDES`] sides whose corners lie on the circle: inside the true shape by at most 0.05 % of the radius. Balls and
//! capsules are touched exactly (see [`super::round`]); a mesh stands for them only where the overlap is so deep
//! that their centre is inside the other body. Hulls are exactly their own mesh, rounded shapes bring a fine one.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rapier3d::parry::shape::Shape;

use super::convex::body::{ConvexBody, for_rapier};
use super::memory::PairMemory;
use super::mesh_shape::MeshShape;
use extricate_core::geometry::procedural::{Capsule, Cone, Cuboid, Cylinder, Procedural, Sphere};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::proximity::Model;
use extricate_core::proximity::contacts::Adjacency;

/// Sides of the polygon that stands for a circle: the sagitta is 1 − cos(π/96) = 0.054 % of the radius.
const SIDES: u32 = 96;
/// Steps of a quarter of a great circle on the mesh that stands for a ball or a capsule.
const FREQUENCY: u32 = 8;

/// The mesh that stands for a primitive in this pair; made when the pair first meets.
pub(super) fn of(shape: &dyn Shape, memory: &mut PairMemory) -> Option<Arc<MeshShape>> {
    if memory.proxy.is_none() {
        memory.proxy = new(shape);
    }
    memory.proxy.clone()
}

/// The mesh of a shape, or one that stands for it.
pub(crate) fn mesh_for(shape: &dyn Shape) -> Option<Arc<MeshShape>> {
    shape.as_shape::<MeshShape>().map(|mesh| Arc::new(mesh.clone())).or_else(|| new(shape))
}

/// A mesh that stands for a primitive, if it is one that has an end.
pub(crate) fn new(shape: &dyn Shape) -> Option<Arc<MeshShape>> {
    if let Some(mesh) = own_mesh(shape) {
        return Some(mesh.clone());
    }
    let mesh = mesh_of(for_rapier(shape))?;
    let adjacency = Arc::new(Adjacency::new(&mesh));
    Some(Arc::new(MeshShape::new(Arc::new(Model::new(mesh, Solidity::Solid)), adjacency)))
}

/// The mesh that a hull or a rounded shape brings.
fn own_mesh(shape: &dyn Shape) -> Option<&Arc<MeshShape>> {
    shape.as_shape::<ConvexBody>().and_then(ConvexBody::mesh)
}

fn mesh_of(shape: &dyn Shape) -> Option<TriangleMesh> {
    let along_z = Isometry3::identity();
    let z_to_y = Isometry3::rotation(Vector3::new(-FRAC_PI_2, 0.0, 0.0));
    let (mesh, pose) = if let Some(cuboid) = shape.as_cuboid() {
        let size = 2.0 * cuboid.half_extents;
        (Cuboid { x: size.x, y: size.y, z: size.z, subdivisions: 1 }.mesh(), along_z)
    } else if let Some(cylinder) = shape.as_cylinder() {
        let (radius, height) = (cylinder.radius, 2.0 * cylinder.half_height);
        (Cylinder { radius, height, segments: SIDES }.mesh(), z_to_y)
    } else if let Some(cone) = shape.as_cone() {
        let (radius, height) = (cone.radius, 2.0 * cone.half_height);
        (Cone { radius, height, segments: SIDES }.mesh(), z_to_y)
    } else if let Some(ball) = shape.as_ball() {
        (Sphere { radius: ball.radius, frequency: FREQUENCY }.mesh(), along_z)
    } else {
        let capsule = shape.as_capsule()?;
        let axis: Vector3<f64> = (capsule.segment.b - capsule.segment.a).into();
        let middle: Vector3<f64> = ((capsule.segment.a + capsule.segment.b) / 2.0).into();
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &axis).unwrap_or_default();
        let capsule = Capsule {
            radius: capsule.radius,
            length: axis.norm(),
            segments: 4 * FREQUENCY,
            rings: FREQUENCY,
        };
        (capsule.mesh(), Isometry3::from_parts(middle.into(), turn))
    };
    mesh.ok().map(|mesh| mesh.transformed(&pose))
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::mass_properties::signed_volume;
    use rapier3d::geometry::SharedShape;

    #[test]
    fn stand_ins_enclose_nearly_the_volume_of_their_primitives_and_are_closed() {
        let shapes = [
            (SharedShape::cuboid(0.5, 1.0, 1.5), 1e-12),
            (SharedShape::cylinder(0.7, 0.3), 1e-3),
            (SharedShape::cone(0.7, 0.3), 1e-3),
            (SharedShape::ball(0.4), 3e-2),
            (SharedShape::capsule_z(0.6, 0.2), 3e-2),
            (SharedShape::capsule_x(0.6, 0.2), 3e-2),
        ];
        for (shape, tolerance) in shapes {
            let mesh = mesh_of(&*shape).unwrap();
            let volume = shape.mass_properties(1.0).mass();
            let ratio = signed_volume(&mesh) / volume;
            assert!((1.0 - tolerance..=1.0 + 1e-12).contains(&ratio), "{ratio}");
            assert!(Adjacency::new(&mesh).oriented());
        }
    }
}
