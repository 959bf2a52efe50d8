//! Contacts of two meshes.
//!
//! Most contacts are shallow and local: feature pairs with small gaps of either sign say all a solver needs. They
//! suffice while moving along their own normals *explains* the overlap, that is, takes every intersecting pair of
//! triangles apart. Where it does not (deep overlaps, thin walls, surfaces without an inside), penetration depth
//! finds a separating translation `d`, near the one of the last step if there was one, and the features at the
//! separated pose become the contacts, with gaps shortened by d·n.
//!
//! | here                 | meaning                                                                           |
//! |----------------------|-----------------------------------------------------------------------------------|
//! | size                 | bounding radius of the smaller mesh [m]                                           |
//! | reach                | greatest gap at which a contact is foreseen [m]                                   |
//! | `memory.separation`  | the translation d of B that took the pair apart [m], frame of A                   |

use nalgebra::{Isometry3, Translation3, Vector3};

use super::memory::{ContactPoint, PairMemory};
use super::reduction::Scales;
use super::separation::{Pair, Start};
use crate::proximity::contacts::{FeaturePair, Query};

/// Share of the size at which contacts are foreseen, and to which overlaps are looked at locally.
const NEAR: f64 = 0.02;
/// Steps ahead for which the motion of the last step is foreseen.
const FORESIGHT: f64 = 1.5;
/// Greatest share of the size at which contacts are foreseen, however fast the bodies are.
const FARTHEST: f64 = 0.5;
/// Share of the size above which an overlap is deep: more than contacts at rest ever show.
const DEEP: f64 = 1e-4;
/// Share of the size below which triangles that intersect count as touching.
const TOUCHING: f64 = 1e-6;
/// An overlap is explained by a group of contacts if moving by their depth times this, and …
const EXPLAINING_FACTOR: f64 = 1.25;
/// … this share of the size separates it.
const EXPLAINING_SLACK: f64 = 1e-3;
/// Cosine of the angle between normals of one group of explaining contacts.
const SAME_NORMAL: f64 = 0.996;
/// Greatest share of the size by which the reach grows with |d| at the separated pose: on two supports, the second
/// one must not appear and vanish with the first.
const WIDENED: f64 = 0.05;
/// The local contacts are kept in spite of a separation that is longer than this many times their depth …
const LOCAL_WINS: f64 = 4.0;
/// … plus this share of the size, if no more than this share of the overlap is unexplained: a peg in a slot.
const LOCAL_SLACK: f64 = 0.01;
/// See [`LOCAL_SLACK`].
const FEW_UNEXPLAINED: f64 = 0.25;

/// Fills `memory.contacts` and chooses among them.
///
/// `prediction` [m] bounds the gaps at which contacts are foreseen.
pub(super) fn contacts(pair: &Pair, prediction: f64, memory: &mut PairMemory) {
    memory.contacts.clear();
    let size = pair.size();
    let motion = memory.last_pose.map_or(prediction, |last| pair.motion_since(&last));
    let reach = reach(size, motion, prediction);
    let first_time = memory.last_pose.replace(pair.b_to_a).is_none();
    pair.triangle_pairs(&Vector3::zeros(), reach.max(NEAR * size), &mut memory.triangle_pairs);

    let touching = pair.intersecting(TOUCHING * size, &mut memory.intersecting);
    let crossing = !memory.intersecting.is_empty();
    let apart = !crossing && !is_hidden(pair, touching, first_time, memory);
    if apart {
        memory.free_pose = Some(pair.b_to_a);
        memory.separation = None;
        local_features(pair, 0.0_f64.min(-NEAR * size), reach, memory);
    } else if !(crossing && pair.one_sided() && explained_locally(pair, reach, memory)) {
        separated_features(pair, reach, memory);
    }
    memory.choice.choose(&memory.contacts, Scales::of(size));
}

/// Whether the pair overlaps although no triangles cross: solids whose faces coincide, or one within the other.
/// Neither comes about unseen, so it is looked at where a pair meets, and as long as it was deep in the last step.
fn is_hidden(pair: &Pair, touching: bool, first_time: bool, memory: &PairMemory) -> bool {
    let deep = DEEP * pair.size();
    if first_time {
        return pair.depth() > deep;
    }
    touching && memory.separation.is_some_and(|separation| separation.norm() > deep)
}

/// The gap up to which contacts are foreseen [m]: a share of the size, more where the pair moved far (`motion` [m])
/// in the last step.
pub(super) fn reach(size: f64, motion: f64, prediction: f64) -> f64 {
    (NEAR * size).max(FORESIGHT * motion).min(FARTHEST * size).min(prediction)
}

/// Features at the present pose.
fn local_features(pair: &Pair, least: f64, greatest: f64, memory: &mut PairMemory) {
    let query = Query { b_to_a: pair.b_to_a, least, greatest, two_sided: pair.two_sided() };
    let found = memory.finder.find(&pair.a.adjacency, &pair.b.adjacency, &memory.triangle_pairs, &query);
    memory.contacts.extend(found.iter().map(|feature| contact(feature, &Vector3::zeros())));
}

/// A feature pair at the pose moved by `separation`, as a contact at the present pose.
fn contact(feature: &FeaturePair, separation: &Vector3<f64>) -> ContactPoint {
    ContactPoint {
        point: feature.points[1] - separation,
        normal: feature.normal,
        distance: feature.gap - separation.dot(&feature.normal),
        features: feature.features,
    }
}

/// Takes the features at the present pose if they explain the overlap.
fn explained_locally(pair: &Pair, reach: f64, memory: &mut PairMemory) -> bool {
    let size = pair.size();
    local_features(pair, -NEAR * size, reach, memory);
    let groups = overlapping_groups(&memory.contacts);
    if unexplained(pair, &groups, &memory.intersecting) > 0 {
        return false;
    }
    let deepest = groups.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
    remember(pair, deepest.map_or(Vector3::zeros(), |group| group.normal * group.depth), memory);
    true
}

fn remember(pair: &Pair, separation: Vector3<f64>, memory: &mut PairMemory) {
    memory.separation = Some(separation);
    memory.free_pose = Some(Translation3::from(separation) * pair.b_to_a);
}

/// Contacts of one normal and their greatest depth.
#[derive(Debug, Clone, Copy)]
struct Group {
    normal: Vector3<f64>,
    depth: f64,
}

/// The groups of contacts that overlap.
fn overlapping_groups(contacts: &[ContactPoint]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for contact in contacts.iter().filter(|contact| contact.distance <= 0.0) {
        let depth = -contact.distance;
        match groups.iter_mut().find(|group| group.normal.dot(&contact.normal) > SAME_NORMAL) {
            Some(group) => group.depth = group.depth.max(depth),
            None => groups.push(Group { normal: contact.normal, depth }),
        }
    }
    groups
}

/// How many intersecting pairs of triangles no group separates.
fn unexplained(pair: &Pair, groups: &[Group], intersecting: &[[u32; 2]]) -> usize {
    let slack = EXPLAINING_SLACK * pair.size();
    let separates = |triangles: &[u32; 2], group: &Group| {
        pair.gap(*triangles, &(group.normal * (EXPLAINING_FACTOR * group.depth + slack))) > 0.0
    };
    intersecting.iter().filter(|triangles| !groups.iter().any(|group| separates(triangles, group))).count()
}

/// Contacts from a separating translation.
fn separated_features(pair: &Pair, reach: f64, memory: &mut PairMemory) {
    let size = pair.size();
    let groups = overlapping_groups(&memory.contacts);
    let start = Start {
        separation: memory.separation,
        free_pose: memory.free_pose,
        normals: groups.iter().map(|g| g.normal).collect(),
    };
    let Some(separation) = pair.separate(&start) else { return };
    if !groups.is_empty() {
        let missing = unexplained(pair, &groups, &memory.intersecting);
        let deepest = groups.iter().fold(0.0, |deepest: f64, group| deepest.max(group.depth));
        #[expect(clippy::cast_precision_loss, reason = "counts of triangle pairs are far below 2^53")]
        let few = missing as f64 <= FEW_UNEXPLAINED * memory.intersecting.len() as f64;
        if few && separation.norm() > LOCAL_WINS * deepest + LOCAL_SLACK * size {
            return;
        }
    }
    remember(pair, separation, memory);
    memory.contacts.clear();
    let greatest = reach + separation.norm().min(WIDENED * size);
    let moved = Isometry3::from_parts(
        Translation3::from(pair.b_to_a.translation.vector + separation),
        pair.b_to_a.rotation,
    );
    pair.triangle_pairs(&separation, greatest, &mut memory.triangle_pairs);
    let query = Query { b_to_a: moved, least: -TOUCHING * size, greatest, two_sided: pair.two_sided() };
    let found = memory.finder.find(&pair.a.adjacency, &pair.b.adjacency, &memory.triangle_pairs, &query);
    memory.contacts.extend(found.iter().map(|feature| contact(feature, &separation)));
}
