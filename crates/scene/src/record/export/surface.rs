//! Surfaces of shapes as triangles, for other programs and for pictures.

use std::sync::Arc;

use extricate_core::geometry::convex::Core;
use extricate_core::geometry::procedural::{Capsule, Cone, Cuboid, Cylinder, Procedural, Sphere};
use extricate_core::geometry::{ShapeError, TriangleMesh};
use extricate_core::query::Shape;

/// Shapes and their surfaces so far.
pub type Surfaces = Vec<(Shape, Arc<TriangleMesh>)>;

/// Surface of a shape, shared between equal shapes; `None` for a half-space.
///
/// # Errors
/// [`ShapeError`] when the shape has no surface of triangles.
pub fn shared_surface(
    shape: &Shape,
    surfaces: &mut Surfaces,
) -> Result<Option<Arc<TriangleMesh>>, ShapeError> {
    if let Some((_, mesh)) = surfaces.iter().find(|(other, _)| shape.is_same(other)) {
        return Ok(Some(Arc::clone(mesh)));
    }
    let Some(mesh) = surface(shape)?.map(Arc::new) else { return Ok(None) };
    surfaces.push((shape.clone(), Arc::clone(&mesh)));
    Ok(Some(mesh))
}

fn surface(shape: &Shape) -> Result<Option<TriangleMesh>, ShapeError> {
    let Some(convex) = shape.core() else { return Ok(shape.model().map(|model| model.mesh().clone())) };
    let radius = convex.radius();
    Ok(Some(match *convex.core() {
        Core::HalfSpace => return Ok(None),
        Core::Point => Sphere { radius, ..Sphere::default() }.mesh()?,
        Core::Segment { half_length } => {
            Capsule { radius, length: 2.0 * half_length, ..Capsule::default() }.mesh()?
        }
        // Hulls, and every other core with a radius, have no procedural mesh: their inscribed polyhedron is drawn.
        Core::Hull(_) => return Ok(convex.inscribed_polyhedron()),
        _ if radius > 0.0 => return Ok(convex.inscribed_polyhedron()),
        Core::Cuboid { half_extents } => {
            let [x, y, z] = (2.0 * half_extents).into();
            Cuboid { x, y, z, ..Cuboid::default() }.mesh()?
        }
        Core::Cylinder { radius, half_height } => {
            Cylinder { radius, height: 2.0 * half_height, ..Cylinder::default() }.mesh()?
        }
        Core::Cone { radius, half_height } => {
            Cone { radius, height: 2.0 * half_height, ..Cone::default() }.mesh()?
        }
    }))
}
