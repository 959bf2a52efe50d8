//! How deep the bodies of a world overlap, measured from scratch: independent of what the contacts say.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use rapier3d::parry::bounding_volume::BoundingVolume;
use rapier3d::parry::query;
use rapier3d::parry::shape::Shape as ParryShape;
use rayon::prelude::*;

use super::contact::{MeshShape, depth, proxy_of};
use super::{BodyKind, World};
use crate::penetration::{PenetrationError, TranslationalOptions};
use crate::proximity::Model;

/// Two bodies that overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPenetration {
    /// Names of the bodies, in order.
    pub bodies: [String; 2],
    /// Penetration depth [m]: the length of a translation that takes them apart.
    pub depth: f64,
    /// Bounding radius of the smaller body [m].
    pub size: f64,
}

impl World {
    /// All pairs of bodies that overlap, with their penetration depths; sorted by name. Two bodies of which none is
    /// dynamic are no pair, nor are two that a joint exempts from contacts. Touching gives a depth of about zero.
    ///
    /// Cylinders and cones that meet a mesh are measured as prisms and pyramids of 96 sides, balls and capsules as
    /// polyhedra that lie within them by up to 1 % of their radius.
    ///
    /// # Errors
    /// [`PenetrationError`] when a depth could not be established.
    pub fn penetrations(
        &self,
        options: &TranslationalOptions,
    ) -> Result<Vec<BodyPenetration>, PenetrationError> {
        let bodies = self.descriptions();
        let pairs = (0..bodies.len()).flat_map(|i| (i + 1..bodies.len()).map(move |j| [i, j]));
        let moving = |pair: &[usize; 2]| pair.iter().any(|&body| bodies[body].kind == BodyKind::Dynamic);
        let pairs = pairs.filter(|pair| moving(pair) && self.may_collide(*pair)).collect::<Vec<_>>();
        let measured = pairs.par_iter().map(|&pair| {
            let Some(depth) = self.depth(pair, options)? else { return Ok(None) };
            let [a, b] = pair.map(|body| &bodies[body]);
            let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
            Ok(Some(BodyPenetration { bodies: [a.name.clone(), b.name.clone()], depth, size }))
        });
        // In the order of the names, and the first error in that order: whatever thread is done first.
        measured.collect::<Vec<_>>().into_iter().filter_map(Result::transpose).collect()
    }

    fn depth(
        &self,
        bodies: [usize; 2],
        options: &TranslationalOptions,
    ) -> Result<Option<f64>, PenetrationError> {
        let [a, b] = bodies.map(|index| self.collider(index));
        if !a.compute_aabb().intersects(&b.compute_aabb()) {
            return Ok(None);
        }
        let [pose_a, pose_b]: [Isometry3<f64>; 2] = [(*a.position()).into(), (*b.position()).into()];
        // parry 0.31 takes the inverse of the relative pose where the half-space comes second.
        let (one, two) = if b.shape().as_halfspace().is_some() { (b, a) } else { (a, b) };
        if let Ok(contact) = query::contact(one.position(), one.shape(), two.position(), two.shape(), 0.0) {
            return Ok(contact.map(|contact| -contact.dist));
        }
        for (shape, pose, other, other_pose) in
            [(a.shape(), &pose_a, b.shape(), &pose_b), (b.shape(), &pose_b, a.shape(), &pose_a)]
        {
            if let (Some(half_space), Some(mesh)) = (shape.as_halfspace(), other.as_shape::<MeshShape>()) {
                let normal = pose.rotation * Vector3::<f64>::from(half_space.normal);
                return Ok(depth_below(mesh.model(), other_pose, &normal, &pose.translation.vector));
            }
        }
        let (Some(a), Some(b)) = (mesh_of(a.shape()), mesh_of(b.shape())) else { return Ok(None) };
        depth([&a, &b], &pose_a.inv_mul(&pose_b), options)
    }
}

fn mesh_of(shape: &dyn ParryShape) -> Option<Arc<MeshShape>> {
    shape.as_shape::<MeshShape>().map(|mesh| Arc::new(mesh.clone())).or_else(|| proxy_of(shape))
}

/// Depth of the lowest vertex below a plane, if it is below.
fn depth_below(
    model: &Model,
    pose: &Isometry3<f64>,
    up: &Vector3<f64>,
    ground: &Vector3<f64>,
) -> Option<f64> {
    let height = |index: &u32| ((pose * model.mesh().vertices()[*index as usize]).coords - ground).dot(up);
    let lowest = model.mesh().triangles().iter().flatten().map(height).fold(f64::INFINITY, f64::min);
    (lowest <= 0.0).then_some(-lowest)
}
