//! Erosion of a solid by a skin: every vertex is moved inwards, and checked to be inside.

use std::collections::BTreeMap;

use extricate_core::parallel;
use nalgebra::{Point3, Translation3, Vector3};

use extricate_core::geometry::mass_properties::signed_volume;
use extricate_core::geometry::procedural::{Procedural, Sphere};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::proximity::{Model, closest_point};

/// Maximum motion of a vertex as a multiple of the skin: a corner must move farther than its faces, that of a cube by
/// √3. Less leaves sharp corners with less than a skin; more moves the tips of thin spikes so far that they fail the
/// check. Half and twice change none of 3 runs and the work by less than 0.1 % (docs/sensitivity.md).
const CORNER: f64 = 2.5;
/// Minimum depth of a moved vertex, as a fraction of the skin. Half and twice change none of 3 runs and the work by
/// less than 0.1 % (docs/sensitivity.md).
const INSIDE: f64 = 0.3;
/// Number of lengths that are tried for a vertex, each half of the one before; then it is not moved at all: thin parts
/// are eroded less, or not at all. Half and twice change none of 3 runs and the work by less than 0.1 %
/// (docs/sensitivity.md).
const HALVINGS: u32 = 3;
/// Radius of the kernel, as a fraction of that of the largest ball inside.
const KERNEL: f64 = 0.5;

/// Solid that `model` bounds, eroded by a skin [m], in the same frame. `None` for a surface.
pub(super) fn eroded(model: &Model, skin: f64) -> Option<Model> {
    if model.solidity() != Solidity::Solid || !(skin > 0.0) {
        return None;
    }
    let mesh = model.mesh();
    let inward = inward_directions(mesh);
    let moved = parallel::map_slice(mesh.vertices(), 1, |vertex| {
        let Some(inward) = inward.get(&bits(vertex)) else { return *vertex };
        let is_inside = |point: &Point3<f64>| {
            model.contains(point) && closest_point(model, point).distance >= INSIDE * skin
        };
        let steps =
            (0..HALVINGS).map(|halvings| vertex + inward * (skin * 0.5_f64.powi(halvings.cast_signed())));
        steps.into_iter().find(is_inside).unwrap_or(*vertex)
    });
    let moved = TriangleMesh::new(moved, mesh.triangles().to_vec()).ok()?;
    Some(Model::new(moved, Solidity::Solid))
}

/// Ball inside the largest ball that is known to be in the solid, in the same frame. `None` for a surface.
pub(super) fn kernel(model: &Model) -> Option<Model> {
    let balls = model.inner_balls().balls();
    let largest = balls.iter().max_by(|a, b| a.radius.total_cmp(&b.radius))?;
    let mesh = Sphere { radius: KERNEL * largest.radius, frequency: 1 }.mesh().ok()?;
    let center = Translation3::from(model.center().coords + largest.center);
    Some(Model::new(mesh.transformed(&center.into()), Solidity::Solid))
}

/// Directions that move the triangles at each vertex inwards by at least one, by position.
///
/// The direction is along the mean normal n of the triangles at the vertex, weighted by their angles; a motion d n moves a
/// triangle of normal m inwards by d n·m.
fn inward_directions(mesh: &TriangleMesh) -> BTreeMap<[u64; 3], Vector3<f64>> {
    let outside = -signed_volume(mesh).signum();
    let mut normals = BTreeMap::<_, Vec<Vector3<f64>>>::new();
    for index in 0..mesh.triangles().len() {
        let corners = mesh.triangle(index);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let Some(normal) = normal.try_normalize(0.0) else { continue };
        for k in 0..3 {
            let [to, from] = [corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]];
            normals.entry(bits(&corners[k])).or_default().push(normal * (outside * to.angle(&from)));
        }
    }
    let direction = |weighted: Vec<Vector3<f64>>| {
        let mean = weighted.iter().sum::<Vector3<f64>>().try_normalize(0.0)?;
        let unit = weighted.iter().filter_map(|normal| normal.try_normalize(0.0));
        let min = unit.map(|normal| normal.dot(&mean)).fold(1.0, f64::min);
        Some(mean / min.max(1.0 / CORNER))
    };
    normals.into_iter().filter_map(|(place, weighted)| Some((place, direction(weighted)?))).collect()
}

/// Key of a position: vertices at one position are one vertex.
fn bits(point: &Point3<f64>) -> [u64; 3] {
    // Adding zero gives −0 and 0 the same key.
    [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::procedural::{Cuboid, Torus};

    #[test]
    fn a_box_less_its_skin_is_a_smaller_box() {
        let model = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid);
        for mesh in [model.mesh().clone(), model.mesh().reversed()] {
            let core = eroded(&Model::new(mesh, Solidity::Solid), 0.01).unwrap();
            let half = core.mesh().aabb().extents() / 2.0;
            assert!(half.iter().all(|half| (half - 0.49).abs() < 1e-9), "{half}");
        }
    }

    #[test]
    fn every_corner_of_a_torus_less_its_skin_is_nearly_the_skin_inside_it() {
        let torus = Torus { major_radius: 1.0, minor_radius: 0.2, segments: 24, sides: 16 };
        let model = Model::new(torus.mesh().unwrap(), Solidity::Solid);
        let core = eroded(&model, 0.02).unwrap();
        for vertex in core.mesh().vertices() {
            let depth = closest_point(&model, vertex).distance;
            assert!(model.contains(vertex) && (0.015..=0.0204).contains(&depth), "{depth}");
        }
        assert!(!model.contains(&model.center()) && kernel(&model).is_some());
    }

    #[test]
    fn a_surface_has_no_inside_to_leave() {
        let open = Model::new(Cuboid::default().mesh().unwrap(), Solidity::Surface);
        assert!(eroded(&open, 0.01).is_none() && kernel(&open).is_none());
    }
}
