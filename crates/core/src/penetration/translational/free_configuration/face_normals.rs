//! The most frequent normals of the surfaces of both bodies.
//!
//! The clusters are found once per mesh; then one cast for each of at most 24 directions. Good for bodies with flat
//! faces: boxes, brackets, grates leave each other along a normal more often than not.

use nalgebra::Vector3;

use crate::geometry::triangle_mesh::Solidity;
use crate::penetration::translational::walk::ContactSpace;
use crate::proximity::model::Model;

/// Outward normals of B and inward normals of A, largest faces first, alternating between B and A. A surface without an inside
/// contributes both signs.
pub(in super::super) fn face_normals(space: &ContactSpace) -> Vec<Vector3<f64>> {
    let sides = |model: &Model, outward: f64| {
        let both = model.solidity() == Solidity::Surface;
        let directions = model.face_normals().iter().flat_map(move |normal| {
            let leaving = outward * normal;
            [Some(leaving), both.then_some(-leaving)].into_iter().flatten()
        });
        directions.collect::<Vec<_>>()
    };
    let of_b = sides(space.b, 1.0);
    let of_a = sides(space.a, -1.0);
    let alternating = (0..of_a.len().max(of_b.len())).flat_map(|i| {
        let from_a = of_a.get(i).map(|normal| space.a_to_b.rotation * normal);
        [of_b.get(i).copied(), from_a].into_iter().flatten()
    });
    alternating.collect()
}
