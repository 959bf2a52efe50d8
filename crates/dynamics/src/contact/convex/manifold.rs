//! Contacts of two convex shapes: the direction from penetration depth, the points from the features that face each other
//! along it.
//!
//! The signed distance of the pair gives the normal n and the minimum distance along it. The support features of the two
//! cores along n are clipped against each other; the corners of their overlap are the contacts, with the radii subtracted
//! along n. Where the overlap of the features is not as deep as the signed distance, the pair of witness points is one
//! contact more.
//!
//! The normal of bodies at rest must not rotate with the rounding of the last step: of normals that separate the shapes
//! equally well, that of the last step's facet is preferred, then those of the facets that face each other.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::body::{ConvexBody, SPECULATIVE_MARGIN};
use super::clip::{Clipper, Facing};
use super::feature::SupportFeature;
use crate::contact::mesh_mesh::Prediction;
use crate::contact::point::ContactPoint;
use crate::contact::reduction::{Choice, ChoiceState, Scales, Selected};
use crate::stateful::{Mismatch, Stateful};
use extricate_core::geometry::convex::{ConvexShape, Core, START_ANYWHERE};
use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};
use extricate_core::proximity::contacts::Feature;

/// Distance, as a fraction of the size, by which a facet's normal may separate less than the best direction and still
/// be chosen: above the rounding of a pose at a thousand sizes from the origin, below what a contact solver can notice.
/// Half and twice change 2 of 3 runs and the work by +0.13 % and < 0.1 % (docs/sensitivity.md).
const AS_GOOD: f64 = 1e-7;
/// Depth, as a fraction of the size, by which the overlap of the features may miss the minimum distance before the
/// witness points are added, and so the error in depth that may remain: above what level caps lose (3.4e-6 of their
/// radius). No effect on the sets of docs/sensitivity.md.
const MISSED: f64 = 1e-5;
/// Width, as a fraction of the size, by which facets are extended when they are clipped: without it stacked boxes of
/// equal size, whose edges coincide only as well as the stack has settled, lose corners from step to step. Half and
/// twice change 2 of 3 runs and the work by +0.2 % and −1.2 % (docs/sensitivity.md).
const MARGIN: f64 = 1e-4;
/// Depth, as a fraction of the size, by which a contact of the last step may be shallower than the deepest one and
/// still precede it. Half changes 1 and twice 2 of 3 runs and the work by less than 0.1 % (docs/sensitivity.md).
pub(super) const STICKY: f64 = 1e-6;
/// Distance, as a fraction of the size, within which contacts of other features take over the impulses of the last step:
/// where a rim rolls from the cap to the side, and where edges coincide and either may be named. Too small, and such
/// contacts start without an impulse; too large, and neighbouring contacts take each other's.
pub(in crate::contact) const SAME_PLACE: f64 = 0.02;
/// Name of the feature of the two witness points of the distance: a pair has one of them.
const WITNESS: Feature = Feature::Face(0x3fff_ffff);

/// Normal of a facet that was the contact normal.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct FacetNormal {
    /// 0 for a facet of the first body, 1 for one of the second.
    body: usize,
    /// Outward unit normal, frame of that body's core.
    normal: Vector3<f64>,
}

/// Memory of a pair of convex shapes, and buffers.
#[derive(Debug, Clone, Default)]
pub(in crate::contact) struct ConvexMemory {
    cache: ConvexCache,
    /// Pose second → first in the last step, frames of rapier's shapes.
    pub(super) last_pose: Option<Isometry3<f64>>,
    facet: Option<FacetNormal>,
    /// Support vertices of the cores in the last step, starts of the next search.
    vertices: Option<[u32; 2]>,
    pub(super) features: [SupportFeature; 2],
    clipper: Clipper,
    /// Contacts of this step, frame of the first shape.
    pub(super) contacts: Vec<ContactPoint>,
    /// The choice among them.
    pub(super) choice: Choice,
    /// Radius of the smaller shape [m].
    pub(in crate::contact) size: f64,
}

impl ConvexMemory {
    /// The contacts, and those chosen for the solver.
    pub(in crate::contact) fn chosen(&self) -> (&[ContactPoint], &[Selected]) {
        (&self.contacts, &self.choice.selected)
    }
}

impl ConvexPair<'_> {
    /// Whether the balls around the shapes are nearer than `reach` [m].
    fn may_touch(&self, reach: f64) -> bool {
        let [first, second] = self.bodies;
        let apart = self.second_to_first * second.center() - first.center();
        apart.norm() <= first.size() + second.size() + reach
    }

    /// Upper bound of the distance that any point of the second shape has moved relative to the first since another pose [m].
    fn motion_since(&self, before: &Isometry3<f64>) -> f64 {
        let [_, second] = self.bodies;
        let center = second.center();
        let angle = (self.second_to_first.rotation * before.rotation.inverse()).angle();
        (self.second_to_first * center - before * center).norm() + angle * second.size()
    }
}

/// State of a pair of convex shapes.
#[derive(Serialize, Deserialize)]
pub(in crate::contact) struct ConvexState {
    cache: ConvexCache,
    last_pose: Option<Isometry3<f64>>,
    facet: Option<FacetNormal>,
    vertices: Option<[u32; 2]>,
    choice: ChoiceState,
}

impl Stateful for ConvexMemory {
    type State = ConvexState;

    fn snapshot(&self) -> ConvexState {
        let Self { cache, last_pose, facet, vertices, choice, .. } = self;
        ConvexState {
            cache: cache.clone(),
            last_pose: *last_pose,
            facet: *facet,
            vertices: *vertices,
            choice: choice.snapshot(),
        }
    }

    fn restore(&mut self, state: ConvexState) -> Result<(), Mismatch> {
        let ConvexState { cache, last_pose, facet, vertices, choice } = state;
        (self.cache, self.last_pose, self.facet, self.vertices) = (cache, last_pose, facet, vertices);
        self.choice.restore(choice)
    }
}

/// Two convex shapes at a relative pose.
pub(in crate::contact) struct ConvexPair<'a> {
    pub(in crate::contact) bodies: [&'a ConvexBody; 2],
    /// Second → first, frames of rapier's shapes.
    pub(in crate::contact) second_to_first: Isometry3<f64>,
}

/// Two convex shapes at a relative pose, in the frames of their cores.
struct Cores<'a> {
    a: &'a ConvexShape,
    b: &'a ConvexShape,
    b_to_a: Isometry3<f64>,
    /// Radius of the smaller shape [m].
    size: f64,
}

/// Support of two shapes along a normal.
struct Extremes {
    /// Distance between the two support planes [m].
    gap: f64,
    /// The normal's opposite, frame of B's core.
    towards_a: Vector3<f64>,
    /// Support vertices of the cores.
    vertices: [u32; 2],
}

/// Fills `memory.contacts` and chooses among them.
pub(in crate::contact) fn contacts(pair: &ConvexPair, prediction: &Prediction, memory: &mut ConvexMemory) {
    let [first, second] = pair.bodies;
    let a_pose = first.core_pose(&Isometry3::identity());
    let b_to_a = a_pose.inverse() * second.core_pose(&pair.second_to_first);
    let cores = Cores { a: first.shape(), b: second.shape(), b_to_a, size: first.size().min(second.size()) };
    let motion = memory.last_pose.map_or(prediction.distance, |last| pair.motion_since(&last));
    let reach = prediction.speculative_margin_from(SPECULATIVE_MARGIN * cores.size, cores.size, motion);
    let to_before = memory.last_pose.map(|last| last * pair.second_to_first.inverse());
    memory.last_pose = Some(pair.second_to_first);
    memory.size = cores.size;
    memory.contacts.clear();
    if pair.may_touch(reach) {
        cores.contacts(reach, memory);
    }
    // The contacts of the cores are in the frame of A's core.
    if first.has_core_frame() {
        for contact in &mut memory.contacts {
            contact.point = a_pose * contact.point;
            contact.normal = a_pose * contact.normal;
        }
    }
    let scales = Scales::of(cores.size).sticky(STICKY * cores.size);
    memory.choice.choose(&memory.contacts, scales, to_before.as_ref());
}

impl Cores<'_> {
    /// Adds the contacts nearer than `reach` [m], frame of A's core.
    fn contacts(&self, reach: f64, memory: &mut ConvexMemory) {
        let identity = Isometry3::identity();
        let options = ConvexOptions::default();
        let answer = signed_distance(self.a, &identity, self.b, &self.b_to_a, &options, &mut memory.cache);
        // Poses that are not finite have no contacts; the world reports them after the step.
        let Ok(answer) = answer else { return };
        // A pair that is apart does not remember its normal.
        if !(answer.value <= reach) {
            memory.facet = None;
            return;
        }
        // A ball touches at one point, along the direction of the distance.
        let is_ball = |shape: &ConvexShape| matches!(shape.core(), Core::Point);
        if is_ball(self.a) || is_ball(self.b) {
            memory.contacts.push(witness(&answer, &-*answer.direction));
            return;
        }
        let normal = self.settle(&answer, memory);
        self.overlap(&answer, &normal, memory);
        let missed = answer.value + MISSED * self.size;
        if !memory.contacts.iter().any(|contact| contact.distance <= missed) {
            memory.contacts.push(witness(&answer, &normal));
        }
        memory.contacts.retain(|contact| contact.distance <= reach);
    }

    /// Contact normal from A to B, with the features found along it.
    fn settle(&self, answer: &SignedDistance, memory: &mut ConvexMemory) -> Vector3<f64> {
        let enough = answer.value - AS_GOOD * self.size;
        if let Some(facet) = memory.facet {
            let outward = if facet.body == 0 { facet.normal } else { -(self.b_to_a * facet.normal) };
            let extremes = self.extremes(&outward, memory);
            if extremes.gap >= enough {
                self.find_features(&outward, &extremes, memory);
                return outward;
            }
        }
        memory.facet = None;
        let best = -*answer.direction;
        let extremes = self.extremes(&best, memory);
        self.find_features(&best, &extremes, memory);
        for body in 0..2 {
            let feature = &memory.features[body];
            if !feature.is_polygon() {
                continue;
            }
            let outward = feature.normal;
            let normal = if body == 0 { outward } else { -outward };
            if normal.dot(&best) > 0.0 && self.extremes(&normal, memory).gap >= enough {
                let normal_of_body =
                    if body == 0 { outward } else { self.b_to_a.rotation.inverse() * outward };
                memory.facet = Some(FacetNormal { body, normal: normal_of_body });
                return normal;
            }
        }
        best
    }

    /// Supports of both shapes along `normal`, whose vertices are remembered.
    fn extremes(&self, normal: &Vector3<f64>, memory: &mut ConvexMemory) -> Extremes {
        let start = memory.vertices.unwrap_or([START_ANYWHERE; 2]);
        let towards_a = -(self.b_to_a.rotation.inverse() * normal);
        let on_a = self.a.core().support(normal, start[0]);
        let on_b = self.b.core().support(&towards_a, start[1]);
        let vertices = [on_a.vertex, on_b.vertex];
        memory.vertices = Some(vertices);
        let apart = self.b_to_a * Point3::from(on_b.point) - Point3::from(on_a.point);
        Extremes { gap: apart.dot(normal) - self.a.radius() - self.b.radius(), towards_a, vertices }
    }

    /// Finds the features of both cores along the normal, frame of A's core.
    fn find_features(&self, normal: &Vector3<f64>, extremes: &Extremes, memory: &mut ConvexMemory) {
        let [first, second] = &mut memory.features;
        first.find(self.a.core(), normal, extremes.vertices[0]);
        second.find(self.b.core(), &extremes.towards_a, extremes.vertices[1]);
        second.transform(&self.b_to_a);
    }

    /// Adds the corners of the overlap of the features.
    fn overlap(&self, answer: &SignedDistance, normal: &Vector3<f64>, memory: &mut ConvexMemory) {
        let radii = self.a.radius() + self.b.radius();
        let [first, second] = &memory.features;
        let facing = Facing { first, second, normal: *normal, margin: MARGIN * self.size, radii };
        facing.contacts(&mut memory.clipper, &mut memory.contacts);
        for contact in &mut memory.contacts {
            contact.point -= normal * self.b.radius();
            // No point is deeper than the distance; one in the margin, off the facet, may seem so.
            contact.distance = (contact.distance - radii).max(answer.value);
        }
    }
}

/// Contact of the two witness points of the distance.
fn witness(answer: &SignedDistance, normal: &Vector3<f64>) -> ContactPoint {
    ContactPoint {
        point: answer.witnesses[1],
        normal: *normal,
        distance: answer.value,
        features: [WITNESS; 2],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use extricate_core::geometry::convex::ConvexHull;
    use nalgebra::UnitQuaternion;
    use rapier3d::geometry::SharedShape;

    use super::super::body::ProxyGeometry;
    use super::*;

    const PREDICTION: Prediction = Prediction { distance: 0.02, fall: 1e-4 };

    fn body(shape: ConvexShape, size: f64) -> ConvexBody {
        ConvexBody::new(shape, None, size, ProxyGeometry::Primitive(SharedShape::ball(size)))
    }

    fn cube() -> ConvexBody {
        body(ConvexShape::cuboid(Vector3::repeat(0.2)), 0.03_f64.sqrt())
    }

    /// Poses of a body at rest at a height: rounding shakes it.
    fn resting(height: f64) -> impl Iterator<Item = Isometry3<f64>> {
        let shake = |i: u32, k: u32| 1e-9 * f64::from((i * 7919 + k * 104_729) % 201).mul_add(0.01, -1.0);
        (0..200).map(move |i| {
            let rotation = UnitQuaternion::from_euler_angles(shake(i, 1), shake(i, 2), shake(i, 3));
            let place = Vector3::new(shake(i, 4), shake(i, 5), height + shake(i, 6));
            Isometry3::from_parts(place.into(), rotation)
        })
    }

    fn look(first: &ConvexBody, second: &ConvexBody, pose: &Isometry3<f64>, memory: &mut ConvexMemory) {
        contacts(&ConvexPair { bodies: [first, second], second_to_first: *pose }, &PREDICTION, memory);
    }

    #[test]
    fn bodies_at_rest_keep_their_contacts_and_their_normal() {
        let cylinder = || body(ConvexShape::cylinder(0.1, 0.2), 0.1 * 2.0_f64.sqrt());
        let lying = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
        for (first, second, rotation) in [
            (cube(), cube(), UnitQuaternion::identity()),
            (cube(), cylinder(), UnitQuaternion::identity()),
            (cylinder(), cylinder(), UnitQuaternion::identity()),
            (cube(), cylinder(), lying),
        ] {
            let mut memory = ConvexMemory::default();
            let mut chosen = |pose: &Isometry3<f64>| {
                look(&first, &second, &(pose * rotation), &mut memory);
                let selected = &memory.choice.selected;
                assert_eq!(selected.len(), 1);
                let mut features: Vec<_> =
                    selected[0].indices().iter().map(|&i| memory.contacts[i].features).collect();
                features.sort();
                (features, selected[0].normal)
            };
            let start = chosen(&Isometry3::translation(0.0, 0.0, 0.2 - 1e-6));
            assert_eq!(start.0.len(), if rotation == lying { 2 } else { 4 });
            for pose in resting(0.2 - 1e-6) {
                assert_eq!(chosen(&pose), start);
            }
        }
    }

    #[test]
    fn a_body_that_rocks_on_an_edge_touches_at_both_of_its_ends() {
        // The facet at the left end that is closest to level has no part of the edge.
        let ends = [-1.0, 1.0].map(|side| Point3::new(-0.1, 0.03 * side, 0.01));
        let roof = [-1.0, 1.0].map(|side| Point3::new(0.05, 0.03 * side, 0.05));
        let edge = [Point3::origin(), Point3::new(0.1, 0.0, 0.0)];
        let points: Vec<_> = edge.into_iter().chain(ends).chain(roof).collect();
        let wedge = body(ConvexShape::hull(Arc::new(ConvexHull::new(&points).unwrap())), 0.1);
        let floor = body(ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.1)), 1.0);
        let mut memory = ConvexMemory::default();
        for tilt in [0.0, 1e-6, -1e-6, 3e-6, -3e-6, 0.0] {
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt);
            look(
                &floor,
                &wedge,
                &Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.05 - 1e-7).into(), rotation),
                &mut memory,
            );
            for end in edge {
                let at_end =
                    |contact: &&ContactPoint| (contact.point.x - end.x).hypot(contact.point.y - end.y) < 1e-3;
                let distance = memory.contacts.iter().find(at_end).map(|contact| contact.distance);
                assert!(
                    distance.is_some_and(|distance| distance.abs() < 1e-6),
                    "{tilt} at {end}: {distance:?}"
                );
            }
        }
    }

    #[test]
    fn the_deepest_contact_is_as_deep_as_the_signed_distance() {
        let shapes = [
            cube(),
            body(ConvexShape::cylinder(0.1, 0.3), 0.1_f64.hypot(0.15)),
            body(ConvexShape::cone(0.1, 0.3), 0.1_f64.hypot(0.15)),
            body(ConvexShape::capsule(0.05, 0.3), 0.2),
            body(ConvexShape::cuboid(Vector3::new(0.1, 0.2, 0.05)).rounded(0.03), 0.15),
            body(ConvexShape::sphere(0.1), 0.1),
        ];
        let angle = |i: usize, k: usize| ((i * 37 + k * 61) % 628) as f64 * 0.01;
        for (i, (a, b)) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))).enumerate() {
            for k in 0..40 {
                let rotation = UnitQuaternion::from_euler_angles(angle(i, k), angle(k, i), angle(i + k, 3));
                let apart = 0.12 + 0.002 * k as f64;
                let place = Vector3::new(angle(k, 5).cos(), angle(k, 5).sin(), 0.3).normalize() * apart;
                let pose = Isometry3::from_parts(place.into(), rotation);
                let mut memory = ConvexMemory::default();
                look(a, b, &pose, &mut memory);
                let (options, identity) = (ConvexOptions::default(), Isometry3::identity());
                let exact = signed_distance(
                    a.shape(),
                    &identity,
                    b.shape(),
                    &pose,
                    &options,
                    &mut ConvexCache::default(),
                );
                let exact = exact.unwrap().value;
                let min =
                    memory.contacts.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
                if exact > PREDICTION.distance {
                    assert!(memory.contacts.is_empty());
                } else {
                    let allowed = MISSED * a.size().min(b.size());
                    assert!(min >= exact - 1e-12 && min <= exact + allowed, "{min} is not {exact}");
                }
            }
        }
    }
}
