//! Penetration depths of the bodies of a world, computed from scratch: independent of the contacts.

use extricate_core::parallel;
use nalgebra::Isometry3;
use rapier3d::parry::bounding_volume::Aabb;

use crate::contact::mesh_mesh::depth;
use crate::contact::proxy::mesh_for;
use crate::description::BodyKind;
use crate::shape::height::depth_below;
use crate::world::World;
use extricate_core::geometry::Aabb as BodyBox;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::TranslationalOptions;
use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use extricate_core::proximity::{ProximityError, overlapping_pairs};

/// Two bodies that overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPenetration {
    /// Names of the bodies, in order.
    pub bodies: [String; 2],
    /// Penetration depth \[m\]: the length of a translation that separates them.
    pub depth: f64,
    /// Bounding radius of the smaller body \[m\].
    pub size: f64,
}

impl World {
    /// All pairs of bodies that overlap, with their penetration depths; sorted by name. Two bodies of which neither is
    /// dynamic are not a pair, nor are two that a joint exempts from contacts. Touching bodies have a depth of about zero.
    ///
    /// Depths of convex bodies are exact, half-spaces among them. Against a mesh, cylinders and cones are replaced by
    /// prisms and pyramids of 96 sides, balls and capsules by polyhedra that lie within them by up to 1 % of their radius,
    /// rounded bodies by polyhedra that lie within them by up to 0.5 % of it.
    ///
    /// # Errors
    /// [`PenetrationError`] when a depth could not be established.
    pub fn penetrations(
        &self,
        options: &TranslationalOptions,
    ) -> Result<Vec<BodyPenetration>, PenetrationError> {
        let bodies = self.descriptions();
        let pairs = self.near_pairs()?;
        let measured = parallel::map_slice(&pairs, 1, |&pair| {
            let Some(depth) = self.depth(pair, options)? else { return Ok(None) };
            let [a, b] = pair.map(|body| &bodies[body]);
            let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
            Ok(Some(BodyPenetration { bodies: [a.name.clone(), b.name.clone()], depth, size }))
        });
        // The first error in the order of the names, whichever thread finishes first.
        measured.into_iter().filter_map(Result::transpose).collect()
    }

    /// Pairs of bodies of which one is dynamic, that no joint exempts from contacts and whose boxes overlap, sorted; a half-space has none and is near to every body.
    pub(crate) fn near_pairs(&self) -> Result<Vec<[usize; 2]>, PenetrationError> {
        let bodies = self.descriptions();
        let (planes, bounded): (Vec<_>, Vec<_>) =
            (0..bodies.len()).partition(|&body| bodies[body].shape.is_half_space());
        let boxes = parallel::map_slice(&bounded, 1, |&body| {
            let Aabb { mins, maxs } = self.collider(body).compute_aabb();
            BodyBox { min: mins.into(), max: maxs.into() }
        });
        let found = overlapping_pairs(&boxes)?;
        let mut pairs = found.into_iter().map(|pair| pair.map(|place| bounded[place])).collect::<Vec<_>>();
        for &plane in &planes {
            pairs.extend(bounded.iter().map(|&body| [body.min(plane), body.max(plane)]));
        }
        let is_moving = |body: usize| bodies[body].kind == BodyKind::Dynamic;
        pairs.retain(|&[a, b]| (is_moving(a) || is_moving(b)) && self.may_collide([a, b]));
        pairs.sort_unstable();
        Ok(pairs)
    }

    fn depth(
        &self,
        bodies: [usize; 2],
        options: &TranslationalOptions,
    ) -> Result<Option<f64>, PenetrationError> {
        let [a, b] = bodies.map(|index| self.collider(index));
        let [pose_a, pose_b] = bodies.map(|index| self.pose(index));
        let [body_a, body_b] = bodies.map(|index| &self.descriptions()[index].shape);
        if body_b.is_half_space() {
            return Ok(depth_below(body_a, &pose_a, &pose_b));
        }
        if body_a.is_half_space() {
            return Ok(depth_below(body_b, &pose_b, &pose_a));
        }
        if let (Some(a), Some(b)) = (body_a.core(), body_b.core()) {
            return convex_depth([(a, &pose_a), (b, &pose_b)]);
        }
        let (Some(model_a), Some(model_b)) = (mesh_for(a.shape()), mesh_for(b.shape())) else {
            return Ok(None);
        };
        let [pose_a, pose_b] = [a, b].map(|collider| Isometry3::from(*collider.position()));
        depth([&model_a, &model_b], &pose_a.inv_mul(&pose_b), options)
    }
}

/// Penetration depth [m] of two convex shapes, if they overlap.
fn convex_depth(
    [(a, pose_a), (b, pose_b)]: [(&ConvexShape, &Isometry3<f64>); 2],
) -> Result<Option<f64>, PenetrationError> {
    let (options, mut cache) = (ConvexOptions::default(), ConvexCache::default());
    match signed_distance(a, pose_a, b, pose_b, &options, &mut cache) {
        Ok(distance) => Ok(distance.depth()),
        // Half-spaces are handled before, so one of the poses is at fault.
        Err(_) if pose_b.to_homogeneous().iter().all(|x| x.is_finite()) => {
            Err(ProximityError::PoseNotFinite { body: 'A', pose: *pose_a }.into())
        }
        Err(_) => Err(ProximityError::PoseNotFinite { body: 'B', pose: *pose_b }.into()),
    }
}
