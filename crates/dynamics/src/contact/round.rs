//! Exact contacts of a mesh with a ball or a capsule, from the distances of its core.

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::parry::shape::Shape;

use super::convex::body::for_rapier;
use super::memory::PairMemory;
use super::mesh_mesh::Prediction;
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::reduction::Scales;
use extricate_core::proximity::contacts::{CoreShape, CoreSide};

/// A ball or a capsule: all points at most `radius` from the core.
pub(crate) struct Round {
    /// The core in the shape's own frame.
    core: CoreShape,
    /// Radius [m].
    radius: f64,
}

impl Round {
    /// The shape, if it is round.
    pub(super) fn of(shape: &dyn Shape) -> Option<Self> {
        if let Some(ball) = shape.as_ball() {
            return Some(Self { core: CoreShape::Point(Point3::origin()), radius: ball.radius });
        }
        let capsule = shape.as_capsule()?;
        let point = |v| Point3::from(Vector3::<f64>::from(v));
        let ends = [point(capsule.segment.a), point(capsule.segment.b)];
        Some(Self { core: CoreShape::Segment(ends), radius: capsule.radius })
    }

    /// Radius about the core [m]; zero for a shape that is not round.
    pub(crate) fn radius(shape: &dyn Shape) -> f64 {
        Self::of(for_rapier(shape)).map_or(0.0, |round| round.radius)
    }

    fn size(&self) -> f64 {
        match self.core {
            CoreShape::Point(_) => self.radius,
            CoreShape::Segment([from, to]) => self.radius + (to - from).norm() / 2.0,
        }
    }
}

/// Fills `memory.contacts` and chooses among them; the mesh is the first shape. Returns false where the core itself is in
/// the mesh, so that its distance from the surface is not a depth.
pub(super) fn contacts(
    mesh: &MeshShape,
    round: &Round,
    round_to_mesh: &Isometry3<f64>,
    prediction: &Prediction,
    memory: &mut PairMemory,
) -> bool {
    let size = round.size().min(mesh.size());
    let motion = memory.last_pose.map_or(prediction.distance, |last| {
        let angle = (round_to_mesh.rotation * last.rotation.inverse()).angle();
        (round_to_mesh.translation.vector - last.translation.vector).norm() + angle * round.size()
    });
    let reach = prediction.speculative_margin(size, motion);
    let core = match round.core {
        CoreShape::Point(center) => CoreShape::Point(round_to_mesh * center),
        CoreShape::Segment(ends) => CoreShape::Segment(ends.map(|end| round_to_mesh * end)),
    };
    let within = round.radius + reach;
    let (side, found) = memory.cores.find(&mesh.model, &mesh.adjacency, &core, within, mesh.one_sided());
    // The caller continues with the proxy mesh.
    if side == CoreSide::Inside {
        return false;
    }
    memory.contacts.clear();
    memory.contacts.extend(found.iter().map(|pair| ContactPoint {
        point: pair.points[1] - pair.normal * round.radius,
        normal: pair.normal,
        distance: pair.gap - round.radius,
        features: pair.features,
    }));
    let to_before = memory.last_pose.map(|last| last * round_to_mesh.inverse());
    memory.last_pose = Some(*round_to_mesh);
    // A separation of the proxy, from a step in which the core was inside, is not valid for exact contacts.
    memory.separation = None;
    memory.free_pose = None;
    memory.choice.choose(&memory.contacts, Scales::of(size), to_before.as_ref());
    true
}
