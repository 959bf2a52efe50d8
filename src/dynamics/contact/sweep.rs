//! The sweep of a fast body: when it first touches another one within a step.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use rapier3d::math::Vector;
use rapier3d::parry::query::{NonlinearRigidMotion, ShapeCastHit, ShapeCastStatus, Unsupported};
use rapier3d::parry::shape::Shape;

use super::{MeshShape, proxy};
use crate::proximity::translational;

/// Pieces into which a sweep is cut. Within a piece the bodies only translate, with the rotations of its middle;
/// at a sixteenth of a step what that leaves out is far below the size of a body.
const PIECES: u32 = 16;

/// The first contact of two moving shapes of which at least one is a mesh, in the time from `start` to `end` [s].
pub(super) fn first_contact(
    moving: [(&NonlinearRigidMotion, &dyn Shape); 2],
    start: f64,
    end: f64,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let [(motion1, first), (motion2, second)] = moving;
    if first.as_shape::<MeshShape>().is_none() && second.as_shape::<MeshShape>().is_none() {
        return Err(Unsupported);
    }
    let pose =
        |motion: &NonlinearRigidMotion, time| -> Isometry3<f64> { motion.position_at_time(time).into() };
    let relative = |time| pose(motion1, time).inv_mul(&pose(motion2, time));
    let meshes = match (first.as_halfspace(), second.as_halfspace()) {
        (None, None) => [mesh_of(first)?, mesh_of(second)?],
        // A half-space is met by contacts: nothing passes to its other side.
        _ => return Ok(None),
    };
    let piece = (end - start) / f64::from(PIECES);
    for index in 0..PIECES {
        let begin = start + piece * f64::from(index);
        let (from, to, middle) = (relative(begin), relative(begin + piece), relative(begin + piece / 2.0));
        let from = Isometry3::from_parts(from.translation, middle.rotation);
        let by = to.translation.vector - from.translation.vector;
        let [a, b] = &meshes;
        let Some(hit) = translational(&b.model, &from, &by, &a.model, &Isometry3::identity()) else {
            continue;
        };
        let time = begin + hit.time * piece;
        let normal = hit.normal.into_inner();
        return Ok(Some(hit_at(time, &normal, &relative(time))));
    }
    Ok(None)
}

fn mesh_of(shape: &dyn Shape) -> Result<Arc<MeshShape>, Unsupported> {
    match shape.as_shape::<MeshShape>() {
        Some(mesh) => Ok(Arc::new(mesh.clone())),
        None => proxy::new(shape).ok_or(Unsupported),
    }
}

/// rapier wants the time; it makes no use of the witnesses.
fn hit_at(time: f64, normal: &Vector3<f64>, second_to_first: &Isometry3<f64>) -> ShapeCastHit {
    let back = second_to_first.rotation.inverse() * -normal;
    ShapeCastHit {
        time_of_impact: time,
        witness1: Vector::ZERO,
        witness2: Vector::ZERO,
        normal1: (*normal).into(),
        normal2: back.into(),
        status: ShapeCastStatus::Converged,
        subshape1: 0,
        subshape2: 0,
    }
}
