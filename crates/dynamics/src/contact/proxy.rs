//! Proxy meshes of primitives in contact with a mesh.
//!
//! A cuboid is exactly its twelve triangles. Cylinders and cones are prisms and pyramids over a regular polygon of
//! [`SIDES`] sides whose corners lie on the circle: inside the true shape by at most 0.05 % of the radius. Balls and
//! capsules have exact contacts (see [`super::round`]); they have a proxy only where the overlap is so deep that their
//! centre is inside the other body. Hulls are exactly their own mesh, rounded shapes have a fine one.

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

/// Sides of the polygon in place of a circle: the sagitta is 1 − cos(π/96) = 0.054 % of the radius. With half as many
/// it is four times that; twice as many make twice the triangles of every cylinder and cone that meets a mesh. Half and
/// twice leave the only run unchanged and change its work by −1.4 % and +2.3 % (docs/sensitivity.md).
const SIDES: u32 = 96;
/// Segments of a quarter of a great circle on the proxy of a ball or a capsule. The overlap is deep where it is used, so
/// its accuracy (1 % of the radius) matters little.
const FREQUENCY: u32 = 8;

/// Proxy of a primitive in this pair; built when the pair first meets.
pub(super) fn of(shape: &dyn Shape, memory: &mut PairMemory) -> Option<Arc<MeshShape>> {
    if memory.proxy.is_none() {
        memory.proxy = new(shape);
    }
    memory.proxy.clone()
}

/// Mesh of a shape, or its proxy.
pub(crate) fn mesh_for(shape: &dyn Shape) -> Option<Arc<MeshShape>> {
    shape.as_shape::<MeshShape>().map(|mesh| Arc::new(mesh.clone())).or_else(|| new(shape))
}

/// Proxy mesh of a shape, if it is bounded.
pub(crate) fn new(shape: &dyn Shape) -> Option<Arc<MeshShape>> {
    if let Some(mesh) = own_mesh(shape) {
        return Some(mesh.clone());
    }
    let mesh = mesh_of(for_rapier(shape))?;
    Some(Arc::new(MeshShape::new(Arc::new(Model::new(mesh, Solidity::Solid)))))
}

/// Mesh of its own of a hull or a rounded shape.
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
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &axis).unwrap_or_default();
        let capsule = Capsule {
            radius: capsule.radius,
            length: axis.norm(),
            segments: 4 * FREQUENCY,
            rings: FREQUENCY,
        };
        (capsule.mesh(), Isometry3::from_parts(middle.into(), rotation))
    };
    mesh.ok().map(|mesh| mesh.transformed(&pose))
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::mass_properties::signed_volume;
    use extricate_core::proximity::contacts::Adjacency;
    use rapier3d::geometry::SharedShape;

    #[test]
    fn proxies_enclose_nearly_the_volume_of_their_primitives_and_are_closed() {
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
