//! Pair queries of a separation of a world: convex shapes, half-spaces and meshes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use extricate_core::parallel;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::groups::Groups;
use crate::contact::mesh_shape::MeshShape;
use crate::contact::proxy;
use crate::description::BodyKind;
use crate::shape::height::height_above;
use crate::world::World;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::penetration::Effort;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};
use extricate_core::penetration::n_bodies::models::MeshPair;
use extricate_core::penetration::n_bodies::source::{
    BodyInfo, PairConstraint, PairSearch, Pairs, PathContact,
};
use extricate_core::query::Shape;

/// Depth, as a fraction of the size of the smaller body, up to which two bodies touch and do not overlap, so that bodies
/// that rest on each other are not moved.
const TOUCHING: f64 = 1e-9;

/// Pair queries over the groups of a world.
pub(super) struct WorldPairs<'a> {
    world: &'a World,
    groups: &'a Groups,
    facts: Vec<BodyInfo>,
    /// Meshes or proxy meshes of the bodies, built on first use.
    meshes: Vec<OnceLock<Option<Arc<MeshShape>>>>,
    /// Clearance [m] that pairs keep unless they are closer at the start without overlapping; `None` where all keep it.
    lenient: Option<f64>,
    /// Whether a pair of bodies is so close at the start, of those that have been asked for.
    resting: Mutex<HashMap<[usize; 2], bool>>,
}

impl<'a> WorldPairs<'a> {
    pub(super) fn new(world: &'a World, groups: &'a Groups, lenient: Option<f64>) -> Self {
        let bodies = world.descriptions();
        let facts = groups.members.iter().zip(&groups.weights);
        Self {
            world,
            groups,
            facts: facts.map(|(members, weight)| facts_of(world, members, *weight)).collect(),
            meshes: bodies.iter().map(|_| OnceLock::new()).collect(),
            lenient,
            resting: Mutex::default(),
        }
    }

    /// Whether two bodies are closer than the clearance at the start and do not overlap, so that they need not keep it.
    fn is_resting(&self, pair: [usize; 2]) -> bool {
        let Some(clearance) = self.lenient else { return false };
        // Nothing panics while the lock is held. The value does not depend on who computes it.
        let known = self.resting.lock().unwrap_or_else(PoisonError::into_inner).get(&pair).copied();
        known.unwrap_or_else(|| {
            let search = PairSearch { effort: Effort::Fast, free: None };
            let free = |clearance| self.between_bodies(pair, &Vector3::zeros(), clearance, search);
            let is_resting = matches!(free(0.0), Ok(None)) && !matches!(free(clearance), Ok(None));
            self.resting.lock().unwrap_or_else(PoisonError::into_inner).insert(pair, is_resting);
            is_resting
        })
    }

    /// The clearance of two bodies: none of those that rest on each other.
    fn clearance_of(&self, pair: [usize; 2], clearance: f64) -> f64 {
        if clearance > 0.0 && self.is_resting(pair) { 0.0 } else { clearance }
    }

    /// Pairs of bodies that overlap and cannot be moved apart, since none of them moves or both move as one.
    pub(super) fn overlaps_that_cannot_move(&self) -> Vec<[usize; 2]> {
        let bodies = self.world.descriptions();
        let mut group = vec![0; bodies.len()];
        for (index, members) in self.groups.members.iter().enumerate() {
            members.iter().for_each(|&body| group[body] = index);
        }
        let stays = |body: usize| self.groups.weights[group[body]].is_none();
        // Boxes that cannot be compared exclude no pair: its own query then says what is wrong.
        let all = || (0..bodies.len()).flat_map(|i| (i + 1..bodies.len()).map(move |j| [i, j])).collect();
        let pairs: Vec<_> = self.world.near_pairs().unwrap_or_else(|_| all());
        let tied = pairs.into_iter().filter(|&[i, j]| group[i] == group[j] || stays(i) && stays(j));
        let tied = tied.filter(|&pair| self.is_pair(pair)).collect::<Vec<_>>();
        let overlaps = parallel::map_slice(&tied, 1, |&pair| {
            let search = PairSearch { effort: Effort::Fast, free: None };
            // A pair whose depth is not found counts as overlapping.
            !matches!(self.between(pair, &Vector3::zeros(), 0.0, search), Ok(None))
        });
        tied.into_iter().zip(overlaps).filter_map(|(pair, overlaps)| overlaps.then_some(pair)).collect()
    }

    /// Whether two bodies are a pair of [`World::penetrations`].
    fn is_pair(&self, pair: [usize; 2]) -> bool {
        let moves = pair.iter().any(|&body| self.world.descriptions()[body].kind == BodyKind::Dynamic);
        moves && self.world.may_collide(pair)
    }

    /// Pairs of bodies of two groups.
    fn members(&self, [a, b]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        let second = &self.groups.members[b];
        let pairs = self.groups.members[a].iter().flat_map(move |&i| second.iter().map(move |&j| [i, j]));
        pairs.filter(|&pair| self.is_pair(pair))
    }

    fn pose(&self, body: usize, shift: &Vector3<f64>) -> Isometry3<f64> {
        Translation3::from(*shift) * self.world.pose(body)
    }

    fn shape(&self, body: usize) -> &Shape {
        &self.world.descriptions()[body].shape
    }

    fn mesh(&self, body: usize) -> Option<&MeshShape> {
        self.meshes[body].get_or_init(|| proxy::mesh_for(self.world.collider(body).shape())).as_deref()
    }

    fn meshes(&self, [a, b]: [usize; 2], shift: &Vector3<f64>) -> Option<MeshPair<'_>> {
        let pose = |body: usize| Isometry3::from(*self.world.collider(body).position());
        Some(MeshPair {
            a: &self.mesh(a)?.model,
            pose_a: Translation3::from(*shift) * pose(a),
            b: &self.mesh(b)?.model,
            pose_b: pose(b),
        })
    }

    /// Separating plane of two bodies, with the normal along which the first one moves away and a depth that is minus the
    /// distance where they are disjoint: for pairs with a half-space and convex pairs, `None` for those that need meshes.
    fn exact(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
    ) -> Option<Result<PairConstraint, PenetrationError>> {
        let [a, b] = pair;
        let [shape_a, shape_b] = pair.map(|body| self.shape(body));
        let (pose_a, pose_b) = (self.pose(a, shift), self.world.pose(b));
        let above = |shape, pose, plane: &Isometry3<f64>| {
            let height = height_above(shape, pose, plane)?;
            Some(PairConstraint { normal: plane.rotation * Vector3::z(), depth: -height })
        };
        if shape_b.is_half_space() {
            return above(shape_a, &pose_a, &pose_b).map(Ok);
        }
        if shape_a.is_half_space() {
            let plane = above(shape_b, &pose_b, &pose_a)?;
            return Some(Ok(PairConstraint { normal: -plane.normal, ..plane }));
        }
        let found = signed(shape_a.core()?, &pose_a, shape_b.core()?, &pose_b)?;
        Some(Ok(PairConstraint { normal: found.direction.into_inner(), depth: -found.value }))
    }

    /// Whether the query of two bodies needs their meshes.
    fn meshes_only(&self, [a, b]: [usize; 2]) -> bool {
        let shapes = [a, b].map(|body| self.shape(body));
        !shapes.iter().any(|shape| shape.is_half_space()) && shapes.iter().any(|shape| shape.core().is_none())
    }

    /// Separating plane of two bodies; see [`Pairs::constraint`].
    fn between(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError> {
        self.between_bodies(pair, shift, self.clearance_of(pair, clearance), search)
    }

    fn between_bodies(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError> {
        let plane = match self.exact(pair, shift) {
            Some(plane) => Some(plane?),
            None => match self.meshes(pair, shift) {
                Some(meshes) => meshes.constraint(shift, clearance, search)?,
                None => None,
            },
        };
        let allowed = if clearance > 0.0 { -clearance } else { self.touching(pair) };
        // Negated so that a depth of NaN counts as an overlap.
        Ok(plane.filter(|plane| !(plane.depth <= allowed)))
    }

    /// First contact of convex bodies along a straight displacement, by conservative advancement: they cannot touch before
    /// the separating plane of their distance is crossed.
    fn advance(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<PathContact> {
        /// Maximum number of advances, after which the position reached counts as the contact; few are enough on edges and
        /// corners.
        const ADVANCES: u32 = 100;
        /// Distance, as a fraction of the size of the smaller body, that counts as a contact.
        const CONTACT: f64 = 1e-11;
        let displacement = to - from;
        let reached = CONTACT / TOUCHING * self.touching(pair);
        let (mut fraction, mut normal) = (0.0, -displacement.normalize());
        for _ in 0..ADVANCES {
            let plane = self.exact(pair, &(from + displacement * fraction))?.ok()?;
            let (distance, closing) = (-plane.depth, -plane.normal.dot(&displacement));
            // The plane of this distance is not reached within the displacement.
            if !(closing * (1.0 - fraction) > distance) {
                return None;
            }
            normal = plane.normal;
            if distance <= reached {
                break;
            }
            fraction += distance / closing;
        }
        Some(PathContact { fraction, normal })
    }

    /// Depth at which two bodies touch and do not overlap [m].
    fn touching(&self, pair: [usize; 2]) -> f64 {
        let sizes = pair.map(|body| self.shape(body).bounding_radius());
        TOUCHING * sizes[0].min(sizes[1])
    }
}

fn signed(
    a: &ConvexShape,
    pose_a: &Isometry3<f64>,
    b: &ConvexShape,
    pose_b: &Isometry3<f64>,
) -> Option<SignedDistance> {
    let (options, mut cache) = (ConvexOptions::default(), ConvexCache::default());
    // Poses and sizes have been checked, and pairs with a half-space are handled before.
    signed_distance(a, pose_a, b, pose_b, &options, &mut cache).ok()
}

impl Pairs for WorldPairs<'_> {
    fn bodies(&self) -> &[BodyInfo] {
        &self.facts
    }

    fn must_separate(&self, pair: [usize; 2]) -> bool {
        pair.iter().any(|&group| self.groups.weights[group].is_some()) && self.members(pair).next().is_some()
    }

    /// Separating plane of the two deepest bodies of two groups.
    fn constraint(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError> {
        let mut deepest: Option<PairConstraint> = None;
        for bodies in self.members(pair) {
            let found = self.between(bodies, shift, clearance, search)?;
            if found.is_some_and(|found| deepest.is_none_or(|deepest| found.depth > deepest.depth)) {
                deepest = found;
            }
        }
        Ok(deepest)
    }

    fn is_apart(&self, pair: [usize; 2], shift: &Vector3<f64>, clearance: f64) -> bool {
        let search = PairSearch { effort: Effort::Fast, free: None };
        self.members(pair).all(|bodies| {
            // A proof that meshes are disjoint needs no depth, and is much cheaper.
            let apart = |meshes: MeshPair| meshes.is_apart(self.clearance_of(bodies, clearance));
            self.meshes_only(bodies) && self.meshes(bodies, shift).is_some_and(apart)
                || matches!(self.between(bodies, shift, clearance, search), Ok(None))
        })
    }

    fn first_contact(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<PathContact> {
        let contacts = self.members(pair).filter_map(|bodies| {
            if self.meshes_only(bodies) {
                self.meshes(bodies, from)?.first_contact(&(to - from))
            } else {
                self.advance(bodies, from, to)
            }
        });
        contacts.min_by(|a, b| a.fraction.total_cmp(&b.fraction))
    }

    fn distance(&self, pair: [usize; 2], shift: &Vector3<f64>) -> f64 {
        let distances = self.members(pair).map(|bodies| match self.exact(bodies, shift) {
            Some(plane) => plane.map_or(0.0, |plane| f64::max(0.0, -plane.depth)),
            None => self.meshes(bodies, shift).map_or(f64::INFINITY, |meshes| meshes.distance()),
        });
        distances.fold(f64::INFINITY, f64::min)
    }
}

fn facts_of(world: &World, members: &[usize], weight: Option<f64>) -> BodyInfo {
    let bodies = members.iter().map(|&body| bounds(world, body));
    let nothing = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
    let bounds = bodies.fold(nothing, |[min, max], [low, high]| [min.inf(&low), max.sup(&high)]);
    let sizes = members.iter().map(|&body| world.descriptions()[body].shape.bounding_radius());
    let rotation: UnitQuaternion<f64> = world.pose(members[0]).rotation;
    BodyInfo { bounds, rotation, size: sizes.fold(f64::INFINITY, f64::min), weight }
}

/// Box around a body [m, world]; infinite for a half-space.
fn bounds(world: &World, body: usize) -> [Vector3<f64>; 2] {
    if world.descriptions()[body].shape.is_half_space() {
        return [Vector3::repeat(f64::NEG_INFINITY), Vector3::repeat(f64::INFINITY)];
    }
    let aabb = world.collider(body).compute_aabb();
    [aabb.mins.into(), aabb.maxs.into()]
}
