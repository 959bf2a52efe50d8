//! Contacts of a mesh with a half-space: exactly its vertices near and below the plane.

use nalgebra::{Isometry3, Vector3};

use super::memory::PairMemory;
use super::mesh_mesh::Prediction;
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::reduction::Scales;
use extricate_core::proximity::contacts::Feature;

/// Rounding of heights above a plane, over the distance of its origin.
const ROUNDING: f64 = 1e-14;

/// Fills `memory.contacts` and chooses among them. The mesh is the first shape, the half-space the second; `normal`
/// is the outward normal of the half-space in its own frame.
pub(super) fn contacts(
    mesh: &MeshShape,
    normal: &Vector3<f64>,
    plane_to_mesh: &Isometry3<f64>,
    prediction: &Prediction,
    memory: &mut PairMemory,
) {
    let size = mesh.size();
    let up = plane_to_mesh.rotation * normal;
    let ground = plane_to_mesh.translation.vector;
    // Only the rise of the plane and its tilt count: a body that slides or spins on it comes no nearer.
    let motion = memory.last_pose.map_or(prediction.distance, |last| {
        let before = last.rotation * normal;
        let angle = up.cross(&before).norm().atan2(up.dot(&before));
        let center = mesh.model.center().coords;
        let height = |up: &Vector3<f64>, ground: &Vector3<f64>| (center - ground).dot(up);
        (height(&up, &ground) - height(&before, &last.translation.vector)).abs() + angle * size
    });
    let to_before = memory.last_pose.map(|last| last * plane_to_mesh.inverse());
    memory.last_pose = Some(*plane_to_mesh);
    let reach = prediction.speculative_margin(size, motion);
    memory.contacts.clear();
    let highest = up.dot(&ground) + reach + ROUNDING * ground.norm();
    for (vertex, place) in mesh.adjacency.sharp_vertices_near(mesh.model.bvh(), &up, highest) {
        let height = (place.coords - ground).dot(&up);
        if height <= reach {
            memory.contacts.push(ContactPoint {
                point: place - up * height,
                normal: -up,
                distance: height,
                features: [Feature::Vertex(vertex), Feature::Face(0)],
            });
        }
    }
    memory.choice.choose(&memory.contacts, Scales::of(size), to_before.as_ref());
}
