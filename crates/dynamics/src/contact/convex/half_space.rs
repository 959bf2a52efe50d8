//! Contacts of a convex shape with a half-space: the corners of the feature that faces the plane, at their exact
//! heights.

use nalgebra::{Isometry3, Point3, Vector3};

use super::body::{ConvexBody, SPECULATIVE_MARGIN};
use super::manifold::{ConvexMemory, STICKY};
use crate::contact::mesh_mesh::Prediction;
use crate::contact::point::ContactPoint;
use crate::contact::reduction::Scales;
use extricate_core::geometry::convex::START_ANYWHERE;
use extricate_core::proximity::contacts::Feature;

/// Fills `memory.contacts` and chooses among them. The half-space is the second shape; `normal` is its outward normal
/// in its own frame.
pub(in crate::contact) fn contacts(
    body: &ConvexBody,
    normal: &Vector3<f64>,
    plane_to_shape: &Isometry3<f64>,
    prediction: &Prediction,
    memory: &mut ConvexMemory,
) {
    let size = body.size();
    let up = plane_to_shape.rotation * normal;
    let ground = plane_to_shape.translation.vector;
    // Only the rise of the plane and its tilt count: a body that slides or spins on it comes no nearer.
    let motion = memory.last_pose.map_or(prediction.distance, |last| {
        let before = last.rotation * normal;
        let angle = up.cross(&before).norm().atan2(up.dot(&before));
        (last.translation.vector.dot(&before) - ground.dot(&up)).abs() + angle * size
    });
    let to_before = memory.last_pose.map(|last| last * plane_to_shape.inverse());
    memory.last_pose = Some(*plane_to_shape);
    let reach = prediction.speculative_margin_from(SPECULATIVE_MARGIN * size, size, motion);
    memory.size = size;
    memory.contacts.clear();
    let core_pose = body.core_pose(&Isometry3::identity());
    let down = -(core_pose.rotation.inverse() * up);
    let core = body.shape().core();
    let [feature, _] = &mut memory.features;
    feature.find(core, &down, core.support(&down, START_ANYWHERE).vertex);
    for corner in &feature.corners {
        let place = core_pose * Point3::from(corner.point);
        let height = (place.coords - ground).dot(&up);
        let distance = height - body.shape().radius();
        if distance <= reach {
            memory.contacts.push(ContactPoint {
                point: place - up * height,
                normal: -up,
                distance,
                features: [Feature::Vertex(corner.name), Feature::Face(0)],
            });
        }
    }
    let scales = Scales::of(size).sticky(STICKY * size);
    memory.choice.choose(&memory.contacts, scales, to_before.as_ref());
}
