//! The sweep of a fast body: when it first touches another one within a step.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, Vector3};
use rapier3d::math::Vector;
use rapier3d::parry::query::{NonlinearRigidMotion, ShapeCastHit, ShapeCastStatus, Unsupported};
use rapier3d::parry::shape::Shape;

use super::{MeshShape, proxy};
use crate::proximity::contacts::{Core, CoreFinder, CoreSide};
use crate::proximity::translational;

/// Pieces into which a sweep is cut. Within a piece the bodies only translate, with the rotations of its middle;
/// at a sixteenth of a step what that leaves out is far below the size of a body.
const PIECES: u32 = 16;

/// Share of the smaller body's size that a contact point must go on into the other body for the contact to count.
const DEEP: f64 = 5e-3;

/// The first contact of two moving shapes, of which at least one is a mesh, a hull or rounded, in the time from `start` to `end` [s].
pub(super) fn first_contact(
    moving: [(&NonlinearRigidMotion, &dyn Shape); 2],
    start: f64,
    end: f64,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let [(motion1, first), (motion2, second)] = moving;
    let pose =
        |motion: &NonlinearRigidMotion, time| -> Isometry3<f64> { motion.position_at_time(time).into() };
    let relative = |time| pose(motion1, time).inv_mul(&pose(motion2, time));
    let meshes = match (first.as_halfspace(), second.as_halfspace()) {
        (None, None) => [mesh_of(first)?, mesh_of(second)?],
        // A half-space is met by contacts: nothing passes to its other side.
        _ => return Ok(None),
    };
    let sweep =
        Sweep { meshes: &meshes, relative: &relative, start, piece: (end - start) / f64::from(PIECES) };
    Ok(sweep.first_contact().or_else(|| sweep.center_crosses()))
}

/// A sweep of a fast mesh (the first) against another one.
struct Sweep<'a> {
    meshes: &'a [Arc<MeshShape>; 2],
    /// Pose second → first at a time.
    relative: &'a dyn Fn(f64) -> Isometry3<f64>,
    /// Where the sweep begins [s].
    start: f64,
    /// Duration of a piece [s].
    piece: f64,
}

impl Sweep<'_> {
    fn begin(&self, index: u32) -> f64 {
        self.start + self.piece * f64::from(index)
    }

    /// The first contact of the surfaces that the rest of the motion would carry deep, unless they touch at the
    /// start. A body that rolls or slides on another one touches it all the time; stopping it there would only take
    /// time from it.
    fn first_contact(&self) -> Option<ShapeCastHit> {
        let [a, b] = self.meshes;
        let deep = DEEP * a.size().min(b.size());
        let end = (self.relative)(self.begin(PIECES));
        (0..PIECES)
            .find_map(|index| {
                let begin = self.begin(index);
                let (from, to) = ((self.relative)(begin), (self.relative)(begin + self.piece));
                let middle = (self.relative)(begin + self.piece / 2.0);
                let from = Isometry3::from_parts(from.translation, middle.rotation);
                let by = to.translation.vector - from.translation.vector;
                // A pose that is not finite stops the world after the step.
                let hit = translational(&b.model, &from, &by, &a.model, &Isometry3::identity()).ok()??;
                let met = Translation3::from(by * hit.time) * from;
                let point = hit.points[0];
                let carried = end * met.inverse_transform_point(&point) - point;
                let closes = -carried.dot(&hit.normal) > deep;
                closes.then_some((begin + hit.time * self.piece, hit.normal.into_inner()))
            })
            .filter(|(time, _)| *time > self.start)
            .map(|(time, normal)| self.hit_at(time, &normal))
    }

    /// The beginning of the piece in which the core of the fast body passes through the other's surface: what
    /// touches at the start must not get to the far side.
    fn center_crosses(&self) -> Option<ShapeCastHit> {
        let [fast, other] = self.meshes;
        let core = fast.core()?;
        let center = |time| (self.relative)(time).inverse_transform_point(&core);
        let mut finder = CoreFinder::default();
        let index = (0..PIECES).find(|&index| {
            let begin = self.begin(index);
            let path = Core::Segment([center(begin), center(begin + self.piece)]);
            let (side, _) = finder.find(&other.model, &other.adjacency, &path, 0.0, false);
            side == CoreSide::Inside
        })?;
        // A time of zero would count as no hit at all.
        let time = self.begin(index).max(self.start + self.piece / 2.0);
        Some(self.hit_at(time, &Vector3::x()))
    }

    /// rapier wants the time; it makes no use of the witnesses.
    fn hit_at(&self, time: f64, normal: &Vector3<f64>) -> ShapeCastHit {
        let back = (self.relative)(time).rotation.inverse() * -normal;
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
}

fn mesh_of(shape: &dyn Shape) -> Result<Arc<MeshShape>, Unsupported> {
    match shape.as_shape::<MeshShape>() {
        Some(mesh) => Ok(Arc::new(mesh.clone())),
        None => proxy::new(shape).ok_or(Unsupported),
    }
}
