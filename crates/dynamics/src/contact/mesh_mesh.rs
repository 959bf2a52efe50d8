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

use super::explanation::{Span, way_out};
use super::memory::PairMemory;
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::reduction::Scales;
use super::separation::{Group, Pair, SCRATCH, Start};
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::TranslationalOptions;
use extricate_core::proximity::contacts::{FeaturePair, Query};

/// Greatest depth of bodies at rest, a share of the size.
const RESTING: f64 = 5e-3;
/// Share of the size below which a depth is measured precisely.
const PRECISE: f64 = 1e-5;
/// Share of the size to which overlaps are looked at locally.
const NEAR: f64 = 0.02;
/// Share of the size at which contacts are foreseen between bodies at rest. It decides the cost: the number of
/// triangle pairs grows with it.
const FORESEEN: f64 = 0.004;
/// Steps ahead for which the motion of the last step is foreseen.
const FORESIGHT: f64 = 1.5;
/// Greatest share of the size at which contacts are foreseen, however fast the bodies are.
const FARTHEST: f64 = 0.5;
/// Share of the size above which an overlap is deep: more than contacts at rest ever show.
const DEEP: f64 = 1e-4;
/// Share of the size below which triangles that intersect count as touching.
const TOUCHING: f64 = 1e-6;
/// Steps like the last one for which what is found in a step is made to last.
const LASTING: f64 = 8.0;
/// Share of the size for which what is found is made to last at least …
const LEAST_MARGIN: f64 = 1e-4;
/// … and at most.
const GREATEST_MARGIN: f64 = 0.004;
/// Number of triangle pairs up to which looking at each is quicker than a descent of the trees.
const FEW: usize = 24;
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

/// What is known of the next step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foresight {
    /// Greatest gap at which rapier wants contacts [m].
    pub(super) prediction: f64,
    /// How far a body at rest falls within a step [m].
    pub(super) fall: f64,
}

/// Gaps that are looked at in a step.
#[derive(Debug, Clone, Copy)]
struct Ranges {
    /// Greatest gap at which contacts are foreseen [m].
    reach: f64,
    /// Greatest depth at which features are looked for at the present pose [m].
    near: f64,
}

/// Fills `memory.contacts` and chooses among them.
pub(super) fn contacts(pair: &Pair, foresight: &Foresight, memory: &mut PairMemory) {
    let size = pair.size();
    let moved = memory.last_pose.map(|last| pair.motion_since(&last));
    let motion = moved.unwrap_or(foresight.prediction);
    let depth_before = memory.separation.map_or(0.0, |separation| separation.norm());
    let ranges = Ranges {
        reach: foresight.reach(size, motion),
        near: (FORESEEN * size).max(2.0 * depth_before + FORESIGHT * motion).min(NEAR * size),
    };
    let to_before = memory.last_pose.map(|last| last * pair.b_to_a.inverse());
    memory.last_pose = Some(pair.b_to_a);
    let margin = moved.map_or(0.0, |moved| margin(size, moved));
    local_features(pair, ranges, margin, memory);
    let was_deep = depth_before > DEEP * size;
    if margin == 0.0 || was_deep || !explained_at_once(pair, [margin, motion], memory) {
        // What is deeper than can be seen locally does not come out of it in a step unless it moves that far.
        let stays_deep = depth_before > NEAR * size + FORESIGHT * motion;
        overlapping_contacts(pair, ranges, (moved.is_none(), stays_deep), memory);
    }
    memory.choice.choose(&memory.contacts, Scales::of(size), to_before.as_ref());
}

/// The motion [m] for which what is found is made to last: some steps like the last one, unless those go so far that
/// looking at what they meet costs more than it saves.
fn margin(size: f64, moved: f64) -> f64 {
    let lasting = (LASTING * moved).max(LEAST_MARGIN * size);
    if lasting <= GREATEST_MARGIN * size { lasting } else { 0.0 }
}

/// Whether the contacts at the present pose are all there is, as for almost every pair at rest: they are shallow, and
/// no triangles intersect but those that they take apart.
fn explained_at_once(pair: &Pair, [margin, moved]: [f64; 2], memory: &mut PairMemory) -> bool {
    let mut groups = std::mem::take(&mut memory.groups);
    overlapping_groups(pair, &memory.contacts, &mut groups);
    if !pair.one_sided() {
        groups.clear();
    }
    let shallow = groups.first().is_none_or(|deepest| deepest.depth <= DEEP * pair.size());
    let span = Span { tolerance: TOUCHING * pair.size(), margin, moved };
    let explained = shallow && memory.explanation.explains(pair, &groups, &memory.front, span);
    memory.groups = groups;
    if explained {
        remember_free(pair, memory);
    }
    explained
}

/// Contacts of a pair that may be deep, and is for sure if it `stays_deep`.
fn overlapping_contacts(
    pair: &Pair,
    ranges: Ranges,
    (first_time, stays_deep): (bool, bool),
    memory: &mut PairMemory,
) {
    pair.intersecting(&Vector3::zeros(), TOUCHING * pair.size(), &mut memory.intersecting);
    let crossing = !memory.intersecting.is_empty();
    if !crossing && !is_hidden(pair, first_time, memory) {
        remember_free(pair, memory);
    } else if stays_deep || !(crossing && pair.one_sided() && explained_locally(pair, ranges, memory)) {
        separated_features(pair, ranges.reach, stays_deep, memory);
    }
}

/// Whether the pair overlaps although no triangles cross: solids whose faces coincide, or one within the other.
/// Neither comes about unseen, so it is looked at where a pair meets, and as long as it was deep in the last step.
fn is_hidden(pair: &Pair, first_time: bool, memory: &PairMemory) -> bool {
    let deep = DEEP * pair.size();
    if first_time {
        return pair.depth(&[], &SCRATCH).is_ok_and(|depth| depth.is_some_and(|depth| depth > deep));
    }
    memory.separation.is_some_and(|separation| separation.norm() > deep) && pair.collides()
}

impl Foresight {
    /// The gap up to which contacts are foreseen [m]: a share of the size, more where the pair moved far (`motion`
    /// [m]) in the last step or gravity moves it far in the next one.
    pub(super) fn reach(&self, size: f64, motion: f64) -> f64 {
        self.reach_from(FORESEEN * size, size, motion)
    }

    /// The gap up to which contacts are foreseen [m], but at least `least` [m] where nothing moves.
    pub(super) fn reach_from(&self, least: f64, size: f64, motion: f64) -> f64 {
        least.max(FORESIGHT * (motion + self.fall)).min(FARTHEST * size).min(self.prediction)
    }
}

/// The penetration depth [m] of two meshes, `None` if they are apart. Depths of bodies at rest, from 1e-5 to 5e-3 of
/// the size, are told from above to a tenth: those of the shortest translation that satisfies all local contacts.
///
/// # Errors
/// [`PenetrationError`] when no walk from scratch succeeds.
pub(crate) fn depth(
    [a, b]: [&MeshShape; 2],
    b_to_a: &Isometry3<f64>,
    options: &TranslationalOptions,
) -> Result<Option<f64>, PenetrationError> {
    let pair = Pair { a, b, b_to_a: *b_to_a };
    if !pair.collides() {
        return Ok(None);
    }
    let mut memory = PairMemory::default();
    let resting = RESTING * pair.size();
    overlapping_within(&pair, resting, &mut memory);
    let told = PRECISE * pair.size()..=resting;
    if let Some(depth) = pair.local_separation(&memory.groups).filter(|depth| told.contains(depth)) {
        return Ok(Some(depth));
    }
    overlapping_within(&pair, NEAR * pair.size(), &mut memory);
    pair.depth(&memory.groups, options)
}

/// Fills `memory.groups` with the contacts that overlap by at most `near` [m].
fn overlapping_within(pair: &Pair, near: f64, memory: &mut PairMemory) {
    local_features(pair, Ranges { reach: near, near }, 0.0, memory);
    overlapping_groups(pair, &memory.contacts, &mut memory.groups);
}

/// Replaces the contacts by the features at the present pose; the search is made to last for a motion [m].
fn local_features(pair: &Pair, ranges: Ranges, margin: f64, memory: &mut PairMemory) {
    let Ranges { reach, near } = ranges;
    let query = Query { b_to_a: pair.b_to_a, least: -near, greatest: reach, two_sided: pair.two_sided() };
    let found = memory.front.find(pair.sides(), &query, margin);
    memory.contacts.clear();
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

/// Keeps the features at the present pose if they explain the overlap, looking deeper where they do not.
fn explained_locally(pair: &Pair, ranges: Ranges, memory: &mut PairMemory) -> bool {
    let deepest = Ranges { near: NEAR * pair.size(), ..ranges };
    is_explained(pair, memory)
        || ranges.near < deepest.near && {
            local_features(pair, deepest, 0.0, memory);
            is_explained(pair, memory)
        }
}

fn is_explained(pair: &Pair, memory: &mut PairMemory) -> bool {
    let mut groups = std::mem::take(&mut memory.groups);
    overlapping_groups(pair, &memory.contacts, &mut groups);
    let explained = unexplained(pair, &groups, memory) == 0;
    let deepest = groups.first().copied();
    memory.groups = groups;
    match deepest {
        _ if !explained => {}
        Some(Group { normal, depth }) if depth > DEEP * pair.size() => remember(pair, normal * depth, memory),
        _ => remember_free(pair, memory),
    }
    explained
}

fn remember(pair: &Pair, separation: Vector3<f64>, memory: &mut PairMemory) {
    memory.separation = Some(separation);
    memory.free_pose = Some(Translation3::from(separation) * pair.b_to_a);
}

/// The pair is free, or overlaps by no more than bodies at rest do.
fn remember_free(pair: &Pair, memory: &mut PairMemory) {
    memory.separation = None;
    memory.free_pose = Some(pair.b_to_a);
}

/// The groups of contacts that touch or overlap, the deepest first.
fn overlapping_groups(pair: &Pair, contacts: &[ContactPoint], groups: &mut Vec<Group>) {
    let touching = TOUCHING * pair.size();
    groups.clear();
    for contact in contacts.iter().filter(|contact| contact.distance <= touching) {
        let depth = f64::max(0.0, -contact.distance);
        match groups.iter_mut().find(|group| group.normal.dot(&contact.normal) > SAME_NORMAL) {
            Some(group) => group.depth = group.depth.max(depth),
            None => groups.push(Group { normal: contact.normal, depth }),
        }
    }
    // Stable, and without an allocation for the few that there are.
    groups.sort_by(|a, b| b.depth.total_cmp(&a.depth));
}

/// How many intersecting pairs of triangles no group separates.
fn unexplained(pair: &Pair, groups: &[Group], memory: &mut PairMemory) -> usize {
    let PairMemory { intersecting, unexplained, still_intersecting, .. } = memory;
    unexplained.clone_from(intersecting);
    for group in groups {
        if unexplained.is_empty() {
            break;
        }
        let shift = way_out(group, pair.size());
        if unexplained.len() <= FEW {
            unexplained.retain(|&triangles| !pair.are_apart(triangles, &shift));
        } else {
            pair.intersecting(&shift, 0.0, still_intersecting);
            unexplained.retain(|triangles| still_intersecting.binary_search(triangles).is_ok());
        }
    }
    unexplained.len()
}

/// Contacts from a separating translation.
fn separated_features(pair: &Pair, reach: f64, stays_deep: bool, memory: &mut PairMemory) {
    let size = pair.size();
    let mut groups = Vec::new();
    overlapping_groups(pair, &memory.contacts, &mut groups);
    let start = Start { separation: memory.separation, free_pose: memory.free_pose, groups: &groups };
    let Some(separation) = pair.separate(&start) else { return };
    if !stays_deep && !groups.is_empty() {
        let missing = unexplained(pair, &groups, memory);
        let deepest = groups.iter().fold(0.0, |deepest: f64, group| deepest.max(group.depth));
        #[expect(clippy::cast_precision_loss, reason = "counts of triangle pairs are far below 2^53")]
        let few = missing as f64 <= FEW_UNEXPLAINED * memory.intersecting.len() as f64;
        let local = deepest > TOUCHING * size && few;
        if local && separation.norm() > LOCAL_WINS * deepest + LOCAL_SLACK * size {
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
    let query = Query { b_to_a: moved, least: -TOUCHING * size, greatest, two_sided: pair.two_sided() };
    let found = memory.front_apart.find(pair.sides(), &query, 0.0);
    memory.contacts.extend(found.iter().map(|feature| contact(feature, &separation)));
}
