//! Contacts of two meshes.
//!
//! Most contacts are shallow and local: feature pairs with small gaps of either sign are all that a solver needs. They
//! suffice while they pass the *local separation test* ([`LocalSeparation`]): translations along their own normals
//! separate every intersecting pair of triangles. Where they do not (deep overlaps, thin walls, surfaces without an
//! inside), penetration depth finds a separating translation `d`, near the one of the last step if there was one, and the
//! features at the separated pose become the contacts, with gaps shortened by d·n [Je12 §6.3].
//!
//! | here                 | meaning                                                                           |
//! |----------------------|-----------------------------------------------------------------------------------|
//! | size                 | bounding radius of the smaller mesh [m]; the constants below are fractions of it  |
//! | reach                | speculative margin: maximum gap of a contact [m]                                  |
//! | `memory.separation`  | the translation d of B that separated the pair [m], frame of A                    |
//!
//! [`LocalSeparation`]: super::local_separation::LocalSeparation

use nalgebra::{Isometry3, Translation3, Vector3};

use super::local_separation::{TestParameters, separating_translation};
use super::memory::PairMemory;
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::reduction::Scales;
use super::separation::{Group, MeshPair, SCRATCH, WarmStart};
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::TranslationalOptions;
use extricate_core::proximity::contacts::{FeatureFront, FeaturePair, FeatureQuery};
use extricate_core::proximity::{DistanceCache, DistanceOptions, distance_with};

/// Depth, as a fraction of the size, up to which the depth that [`depth`] measures is first sought among contacts of
/// this range alone: what bodies at rest reach under load. Less leaves loaded contacts to the slower iterative search.
/// Half and twice change none of 11 runs and the work by −0.5 % and +1.2 % (docs/sensitivity.md).
const MAX_RESTING_DEPTH: f64 = 5e-3;
/// Depth, as a fraction of the size, below which [`depth`] does not accept that of the local contacts: their clearance
/// of 1e-6 of the size would be more than a tenth of it. Half and twice change none of 11 runs and the work by −3.6 %
/// and +3.9 % (docs/sensitivity.md).
const MIN_RESTING_DEPTH: f64 = 1e-5;
/// Maximum depth, as a fraction of the size, at which features are sought at the present pose. Deeper overlaps are left
/// to penetration depth. More gathers more pairs of triangles for each pair that overlaps, and may find features of the
/// far sides of thin walls. Half and twice change 1 of 11 runs and the work by −3 % and +13 % (docs/sensitivity.md).
const LOCAL_DEPTH: f64 = 0.02;
/// Speculative margin between bodies at rest, as a fraction of the size: with much less, a body that tilts or starts to
/// move overlaps before the solver has a contact. Half changes 6 of 11 runs (maximum overlap × 0.64 … 2.86) and twice
/// 5; a chain of tori takes −26 % and +9 % of the instructions (docs/sensitivity.md).
const SPECULATIVE_MARGIN: f64 = 0.004;
/// Steps like the last one by which the motion is extrapolated. Below 1 a body that keeps its speed overlaps before it
/// has contacts; the rest allows for acceleration. Half changes 10 and twice 8 (maximum overlap × 1.00 … 1.05) of 14
/// runs and the work by −5.2 % and +12 % (docs/sensitivity.md).
const LOOKAHEAD_STEPS: f64 = 1.5;
/// Maximum speculative margin, as a fraction of the size: it bounds the triangles gathered for fast bodies, which
/// continuous collision detection stops in any case. Half and twice change none of 14 runs and the work by −3.1 % and
/// < 0.1 % (docs/sensitivity.md).
const MAX_SPECULATIVE_MARGIN: f64 = 0.5;
/// Gap beyond the distance of the two, as a fraction of the size, of the contacts of a pair with a wide speculative margin. In bins of scans, twice
/// and four times it take 0.85 to 1.2 and 1.0 to 1.75 times as long (docs/sensitivity.md).
const BEYOND_NEAREST: f64 = 0.025;
/// Ratio of the speculative margin to that gap above which it is wide: the distance of two meshes costs more than a narrow search.
const WIDE: f64 = 2.0;
/// Depth, as a fraction of the size, above which a pair remembers the translation that separated it and is tested in
/// full in each step. Less makes loaded contacts slower; more lets a pair sink in farther. Half changes 1 and twice 0
/// of 11 runs and the work by +0.16 % and < 0.1 % (docs/sensitivity.md).
const DEEP: f64 = 1e-4;
/// Depth, as a fraction of the size, below which intersecting triangles count as touching. It must exceed the rounding
/// of poses; overlaps below it are neither separated nor remembered. Half changes 1 (maximum overlap × 0.36 … 1.00) and
/// twice 1 of 11 runs and the work by less than 0.1 % (docs/sensitivity.md).
const TOUCHING: f64 = 1e-6;
/// Motion, as a fraction of the size, since a translation that separates a deep pair was found, up to which it is taken again: after it the pair
/// overlaps at the separated pose by half of what counts as touching there. With none, links that are jammed in one another are separated anew
/// in each step, which takes half of the time of a step of YuMi.
const RESTING: f64 = 0.5 * TOUCHING;
/// Steps like the last one for which the pairs found in a step are made to remain valid. More gathers less often, but
/// more pairs each time. Half and twice change none of 11 runs and the work by −1.7 % and +1.8 % (docs/sensitivity.md).
const COHERENCE_STEPS: f64 = 8.0;
/// Minimum motion, as a fraction of the size, for which they are made to remain valid: pairs that jitter at rest gather
/// once. More lengthens the lists of resting pairs. Half and twice change none of 11 runs and the work by less than
/// 0.1 % (docs/sensitivity.md).
const MIN_MARGIN: f64 = 1e-4;
/// Maximum of that motion: pairs that move farther in [`COHERENCE_STEPS`] steps are gathered anew in each step, because
/// longer lists cost more than they save. Half and twice change none of 11 runs and the work by +3.6 % and −3.2 %
/// (docs/sensitivity.md).
const MAX_MARGIN: f64 = 0.004;
/// Number of triangle pairs, or twice that of pairs of leaves, above which the range of gaps is halved: dense meshes that move
/// fast are within reach of each other with most of their triangles, and a step of such a pair took seconds. While it counted
/// triangle pairs alone, on robots of public repositories that fall to the ground, the worst step took 25 ms in place of 1670
/// (Inspire hand) and 260 in place of 770 (YuMi), with four times the value 95 and 620; a quarter changed four of the golden
/// scenes, this value one, four times none.
pub(super) const MAX_PAIRS: usize = 1 << 17;
/// Number of triangle pairs up to which those at a separated pose are made to remain valid: so few are never halved.
const MAX_LASTING_PAIRS: usize = MAX_PAIRS / 8;
/// Halvings of the range after which all pairs are tested: those that intersect cannot be left out.
const MAX_HALVINGS: u32 = 10;
/// Number of triangle pairs up to which testing each is quicker than a descent of the trees. It changes the time only.
/// Half and twice change none of 11 runs and the work by +0.17 % and < 0.1 % (docs/sensitivity.md).
const FEW: usize = 24;
/// Cosine of the angle between normals of one group of contacts: five degrees. Wider groups let contacts of different
/// faces separate as one; narrower ones test more translations for each pair of triangles. Half changes 0 and twice 1
/// of 11 runs and the work by less than 0.1 % (docs/sensitivity.md).
const SAME_NORMAL: f64 = 0.996;
/// Maximum growth of the reach with |d| at the separated pose, as a fraction of the size. Without growth, the second of
/// two supports vanishes with the first and kicks the body; without a bound, a deep pair gathers the triangles of whole
/// bodies. Half and twice change none of 2 runs and the work by −8.3 % and +29 % (docs/sensitivity.md).
const MAX_WIDENING: f64 = 0.05;
/// Ratio of the length of a separating translation to the depth of the local contacts above which these are preferred.
/// No effect on the sets of docs/sensitivity.md.
const LOCAL_PREFERENCE: f64 = 4.0;
/// Length added to that bound, as a fraction of the size; it applies if the local contacts leave no more than
/// [`MAX_UNSEPARATED`] of the overlap unseparated: a peg in a slot, which a global penetration depth would pop out. The
/// three are tuned on one slot. No effect on the sets of docs/sensitivity.md.
const LOCAL_SLACK: f64 = 0.01;
/// Fraction of the intersecting triangle pairs, see [`LOCAL_SLACK`]. No effect on the sets of docs/sensitivity.md.
const MAX_UNSEPARATED: f64 = 0.25;

/// Prediction of the next step, from which the speculative margin of contacts follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    /// Maximum gap at which rapier accepts contacts [m].
    pub(super) distance: f64,
    /// Distance that a body at rest falls within a step [m].
    pub(super) fall: f64,
}

/// Range of gaps of a step.
#[derive(Debug, Clone, Copy)]
struct Ranges {
    /// Speculative margin: maximum gap of a contact [m].
    reach: f64,
    /// Maximum depth at which features are sought at the present pose [m].
    near: f64,
}

/// Fills `memory.contacts` and chooses among them.
pub(super) fn contacts(pair: &MeshPair, prediction: &Prediction, memory: &mut PairMemory) {
    let size = pair.size();
    let moved = memory.last_pose.map(|last| pair.motion_since(&last));
    // A pair that is new may move as fast as rapier expects it to.
    let motion = moved.unwrap_or(prediction.distance);
    let depth_before = memory.separation.map_or(0.0, |separation| separation.norm());
    let ranges = Ranges {
        reach: reach_of(pair, prediction.speculative_margin(size, motion)),
        // Twice the depth of the last step: a loaded contact may have sunk deeper since.
        near: (SPECULATIVE_MARGIN * size)
            .max(2.0 * depth_before + LOOKAHEAD_STEPS * motion)
            .min(LOCAL_DEPTH * size),
    };
    let to_before = memory.last_pose.map(|last| last * pair.b_to_a.inverse());
    memory.last_pose = Some(pair.b_to_a);
    // Beyond this nothing is sought, and of a pair that was free before nothing can be found.
    let farthest = ranges.reach.max(ranges.near);
    let may_be_apart = moved.is_some() && memory.separation.is_none();
    if may_be_apart && memory.clearance.exceeds(&pair.b.model, &pair.b_to_a, farthest) {
        memory.contacts.clear();
        remember_free(pair, memory);
        memory.choice.choose(&[], Scales::of(size), to_before.as_ref());
        return;
    }
    let margin = moved.map_or(0.0, |moved| coherence_margin(size, moved));
    // A pair deeper than local features can be found at stays so for a step unless it moves that far: shallow
    // contacts of such a pair are those of the far side.
    if depth_before > LOCAL_DEPTH * size + LOOKAHEAD_STEPS * motion {
        deep_contacts(pair, ranges, margin, memory);
    } else {
        let lists_last = local_features(pair, ranges, margin, memory) && margin > 0.0;
        let was_deep = depth_before > DEEP * size;
        // The quick test relies on lists that remain valid for a while, and on shallow contacts.
        if !lists_last || was_deep || !separated_by_shallow_contacts(pair, [margin, motion], memory) {
            overlapping_contacts(pair, ranges, moved.is_none(), memory);
        }
    }
    if may_be_apart && memory.contacts.is_empty() && memory.separation.is_none() {
        memory.clearance.determine([&*pair.a.model, &*pair.b.model], &pair.b_to_a, [farthest, motion]);
    }
    memory.choice.choose(&memory.contacts, Scales::of(size), to_before.as_ref());
}

/// Contacts of a pair that was far deeper in the last step than local features are sought at: those at the separated pose. Features at the
/// present pose are sought only where the translations that separated the pair before do not separate it again.
fn deep_contacts(pair: &MeshPair, ranges: Ranges, margin: f64, memory: &mut PairMemory) {
    if !pair.collides() {
        local_features(pair, ranges, margin, memory);
        remember_free(pair, memory);
        return;
    }
    if let Some(separation) = rested(pair, memory) {
        features_apart(pair, ranges.reach, separation, coherence_margin(pair.size(), 0.0), memory);
        return;
    }
    let start = WarmStart { separation: memory.separation, free_pose: memory.free_pose };
    let separation = pair.separate(&start, || {
        local_features(pair, ranges, margin, memory);
        let mut groups = Vec::new();
        overlapping_groups(pair, &memory.contacts, &mut groups);
        groups
    });
    if let Some(separation) = separation {
        contacts_apart(pair, ranges.reach, separation, memory);
    }
}

/// Maximum gap of contacts [m] of a speculative margin: where that is wide, one a little greater than the distance of the two. Bodies that
/// fall fast would gather the triangles of large parts of both, of which those that touch first are the contacts.
fn reach_of(pair: &MeshPair, margin: f64) -> f64 {
    let beyond = BEYOND_NEAREST * pair.size();
    if margin <= WIDE * beyond {
        return margin;
    }
    let options = DistanceOptions { limit: margin, relative_tolerance: 0.1, ..DistanceOptions::default() };
    let (here, cache) = (Isometry3::identity(), &mut DistanceCache::default());
    match distance_with(&pair.a.model, &here, &pair.b.model, &pair.b_to_a, &options, cache) {
        Ok(nearest) => margin.min(nearest.map_or(0.0, |nearest| nearest.value) + beyond),
        Err(_) => margin,
    }
}

/// The translation that separated a pair, if the pair has hardly moved since it was found.
fn rested(pair: &MeshPair, memory: &PairMemory) -> Option<Vector3<f64>> {
    let separation = memory.separation?;
    let found_at = Translation3::from(-separation) * memory.free_pose?;
    (pair.motion_since(&found_at) <= RESTING * pair.size()).then_some(separation)
}

/// Motion [m] for which lists of pairs are made to remain valid: some steps like the last one; zero where those go so far
/// that longer lists cost more than they save.
fn coherence_margin(size: f64, moved: f64) -> f64 {
    let lasting = (COHERENCE_STEPS * moved).max(MIN_MARGIN * size);
    if lasting <= MAX_MARGIN * size { lasting } else { 0.0 }
}

/// Whether the contacts at the present pose are complete, as for almost every pair at rest: they are shallow, and no
/// triangles intersect but those that they separate.
fn separated_by_shallow_contacts(
    pair: &MeshPair,
    [margin, moved]: [f64; 2],
    memory: &mut PairMemory,
) -> bool {
    let mut groups = std::mem::take(&mut memory.groups);
    overlapping_groups(pair, &memory.contacts, &mut groups);
    if !pair.one_sided() {
        // Normals of surfaces without an inside may point either way, and separate nothing.
        groups.clear();
    }
    let shallow = groups.first().is_none_or(|deepest| deepest.depth <= DEEP * pair.size());
    let parameters = TestParameters { tolerance: TOUCHING * pair.size(), margin, moved };
    let separated = shallow && memory.local_separation.test(pair, &groups, parameters);
    memory.groups = groups;
    if separated {
        remember_free(pair, memory);
    }
    separated
}

/// Contacts of a pair that may be deep.
fn overlapping_contacts(pair: &MeshPair, ranges: Ranges, first_time: bool, memory: &mut PairMemory) {
    pair.intersecting(&Vector3::zeros(), TOUCHING * pair.size(), &mut memory.intersecting);
    let crossing = !memory.intersecting.is_empty();
    if !crossing && !overlaps_without_crossing(pair, first_time, memory) {
        remember_free(pair, memory);
    } else if !(crossing && pair.one_sided() && separated_locally(pair, ranges, memory)) {
        separated_features(pair, ranges.reach, memory);
    }
}

/// Whether the pair overlaps although no triangles cross: solids whose faces coincide, or one within the other.
/// Neither comes about without triangles that cross first, so this is tested only when a pair is new, and while it was
/// deep in the last step.
fn overlaps_without_crossing(pair: &MeshPair, first_time: bool, memory: &PairMemory) -> bool {
    let deep = DEEP * pair.size();
    if first_time {
        return pair.depth(&[], &SCRATCH).is_ok_and(|depth| depth.is_some_and(|depth| depth > deep));
    }
    memory.separation.is_some_and(|separation| separation.norm() > deep) && pair.collides()
}

impl Prediction {
    /// Speculative margin [m]: a fraction of the size, more where the pair moved far (`motion` [m]) in the last step or
    /// gravity moves it far in the next one.
    pub(super) fn speculative_margin(&self, size: f64, motion: f64) -> f64 {
        self.speculative_margin_from(SPECULATIVE_MARGIN * size, size, motion)
    }

    /// Speculative margin [m] with another minimum `min` [m], which holds where nothing moves.
    pub(super) fn speculative_margin_from(&self, min: f64, size: f64, motion: f64) -> f64 {
        min.max(LOOKAHEAD_STEPS * (motion + self.fall)).min(MAX_SPECULATIVE_MARGIN * size).min(self.distance)
    }
}

/// Penetration depth [m] of two meshes, `None` if they are disjoint. Depths of bodies at rest, from 1e-5 to 5e-3 of the
/// size, are upper bounds to within a tenth: lengths of the shortest translation that satisfies all local contacts.
///
/// # Errors
/// [`PenetrationError`] when no search from scratch succeeds.
pub(crate) fn depth(
    [a, b]: [&MeshShape; 2],
    b_to_a: &Isometry3<f64>,
    options: &TranslationalOptions,
) -> Result<Option<f64>, PenetrationError> {
    let pair = MeshPair { a, b, b_to_a: *b_to_a };
    if !pair.collides() {
        return Ok(None);
    }
    let mut memory = PairMemory::default();
    let resting = MAX_RESTING_DEPTH * pair.size();
    overlapping_within(&pair, resting, &mut memory);
    let accepted = MIN_RESTING_DEPTH * pair.size()..=resting;
    if let Some(depth) = pair.local_depth(&memory.groups).filter(|depth| accepted.contains(depth)) {
        return Ok(Some(depth));
    }
    overlapping_within(&pair, LOCAL_DEPTH * pair.size(), &mut memory);
    pair.depth(&memory.groups, options)
}

/// Fills `memory.groups` with the contacts that overlap by at most `near` [m].
fn overlapping_within(pair: &MeshPair, near: f64, memory: &mut PairMemory) {
    local_features(pair, Ranges { reach: near, near }, 0.0, memory);
    overlapping_groups(pair, &memory.contacts, &mut memory.groups);
}

/// Replaces the contacts by the features at the present pose; the search remains valid for a motion `margin` [m]. False when it
/// does not, because the range had to be narrowed.
fn local_features(pair: &MeshPair, ranges: Ranges, margin: f64, memory: &mut PairMemory) -> bool {
    let Ranges { reach, near } = ranges;
    let query = FeatureQuery { b_to_a: pair.b_to_a, min: -near, max: reach, two_sided: pair.two_sided() };
    let (found, whole) = features_within_budget(&mut memory.front, pair, query, margin);
    memory.contacts.clear();
    memory.contacts.extend(found.iter().map(|feature| contact(feature, &Vector3::zeros())));
    whole
}

/// The features of a query, or of one with a narrower range if there are too many pairs of triangles, and whether it is whole.
fn features_within_budget<'a>(
    front: &'a mut FeatureFront,
    pair: &MeshPair,
    mut query: FeatureQuery,
    margin: f64,
) -> (&'a [FeaturePair], bool) {
    let mut halvings = 0;
    while front
        .find_at_most(MAX_PAIRS, pair.sides(), &query, if halvings > 0 { 0.0 } else { margin })
        .is_none()
    {
        halvings += 1;
        (query.min, query.max) = (0.5 * query.min, 0.5 * query.max);
        if halvings == MAX_HALVINGS {
            return (front.find(pair.sides(), &query, 0.0), false);
        }
    }
    (front.found(), halvings == 0)
}

/// Contact at the present pose of a feature pair at the pose translated by `separation`.
fn contact(feature: &FeaturePair, separation: &Vector3<f64>) -> ContactPoint {
    ContactPoint {
        point: feature.points[1] - separation,
        normal: feature.normal,
        distance: feature.gap - separation.dot(&feature.normal),
        features: feature.features,
    }
}

/// Whether the features at the present pose separate the overlap; they are sought at a larger depth where those of the
/// given range do not.
fn separated_locally(pair: &MeshPair, ranges: Ranges, memory: &mut PairMemory) -> bool {
    let deepest = Ranges { near: LOCAL_DEPTH * pair.size(), ..ranges };
    contacts_separate(pair, memory)
        || ranges.near < deepest.near && {
            local_features(pair, deepest, 0.0, memory);
            contacts_separate(pair, memory)
        }
}

/// Whether the present contacts separate all intersecting triangles; if so, remembers the separation.
fn contacts_separate(pair: &MeshPair, memory: &mut PairMemory) -> bool {
    let mut groups = std::mem::take(&mut memory.groups);
    overlapping_groups(pair, &memory.contacts, &mut groups);
    let separated = unseparated(pair, &groups, memory) == 0;
    let deepest = groups.first().copied();
    memory.groups = groups;
    match deepest {
        _ if !separated => {}
        Some(Group { normal, depth }) if depth > DEEP * pair.size() => remember(pair, normal * depth, memory),
        _ => remember_free(pair, memory),
    }
    separated
}

fn remember(pair: &MeshPair, separation: Vector3<f64>, memory: &mut PairMemory) {
    memory.separation = Some(separation);
    memory.free_pose = Some(Translation3::from(separation) * pair.b_to_a);
}

/// Remembers the pose as a free one: the pair is disjoint, or overlaps by no more than bodies at rest do.
fn remember_free(pair: &MeshPair, memory: &mut PairMemory) {
    memory.separation = None;
    memory.free_pose = Some(pair.b_to_a);
}

/// Groups of contacts that touch or overlap, the deepest first.
fn overlapping_groups(pair: &MeshPair, contacts: &[ContactPoint], groups: &mut Vec<Group>) {
    let touching = TOUCHING * pair.size();
    groups.clear();
    for contact in contacts.iter().filter(|contact| contact.distance <= touching) {
        let depth = f64::max(0.0, -contact.distance);
        match groups.iter_mut().find(|group| group.normal.dot(&contact.normal) > SAME_NORMAL) {
            Some(group) => group.depth = group.depth.max(depth),
            None => groups.push(Group { normal: contact.normal, depth }),
        }
    }
    // A stable sort, so that groups of equal depth keep the order of the features; it does not allocate for few.
    groups.sort_by(|a, b| b.depth.total_cmp(&a.depth));
}

/// Number of intersecting pairs of triangles that no group separates.
fn unseparated(pair: &MeshPair, groups: &[Group], memory: &mut PairMemory) -> usize {
    let PairMemory { intersecting, unseparated, still_intersecting, .. } = memory;
    unseparated.clone_from(intersecting);
    for group in groups {
        if unseparated.is_empty() {
            break;
        }
        let shift = separating_translation(group, pair.size());
        if unseparated.len() <= FEW {
            unseparated.retain(|&triangles| !pair.are_apart(triangles, &shift));
        } else {
            pair.intersecting(&shift, 0.0, still_intersecting);
            unseparated.retain(|triangles| still_intersecting.binary_search(triangles).is_ok());
        }
    }
    unseparated.len()
}

/// Replaces the contacts by the features at a separated pose, unless the local contacts are preferred.
fn separated_features(pair: &MeshPair, reach: f64, memory: &mut PairMemory) {
    let size = pair.size();
    let mut groups = Vec::new();
    overlapping_groups(pair, &memory.contacts, &mut groups);
    let start = WarmStart { separation: memory.separation, free_pose: memory.free_pose };
    let Some(separation) = pair.separate(&start, || groups.clone()) else { return };
    if !groups.is_empty() {
        // A peg in a slot: shallow contacts separate most of it, and the translation is far longer than they are deep.
        let missing = unseparated(pair, &groups, memory);
        let deepest = groups.iter().fold(0.0, |deepest: f64, group| deepest.max(group.depth));
        #[expect(clippy::cast_precision_loss, reason = "counts of triangle pairs are far below 2^53")]
        let few = missing as f64 <= MAX_UNSEPARATED * memory.intersecting.len() as f64;
        let local = deepest > TOUCHING * size && few;
        if local && separation.norm() > LOCAL_PREFERENCE * deepest + LOCAL_SLACK * size {
            return;
        }
    }
    contacts_apart(pair, reach, separation, memory);
}

/// Replaces the contacts by the features at the pose separated by a translation \[m\] that was found for the present one [Je12 §6.3].
fn contacts_apart(pair: &MeshPair, reach: f64, separation: Vector3<f64>, memory: &mut PairMemory) {
    let before = memory.free_pose.filter(|_| memory.separation.is_some());
    remember(pair, separation, memory);
    let apart = pair.moved(&separation);
    let moved = before.map(|before| FeatureFront::motion(&pair.b.model, &before, &apart));
    let margin = moved.map_or(0.0, |moved| coherence_margin(pair.size(), moved));
    features_apart(pair, reach, separation, margin, memory);
}

/// Replaces the contacts by the features at a separated pose; `margin` \[m\] is the motion for which lists of their pairs remain valid.
fn features_apart(
    pair: &MeshPair,
    reach: f64,
    separation: Vector3<f64>,
    margin: f64,
    memory: &mut PairMemory,
) {
    let size = pair.size();
    memory.contacts.clear();
    let max = reach + separation.norm().min(MAX_WIDENING * size);
    let b_to_a = pair.moved(&separation);
    // At the separated pose nothing may overlap but by rounding: what does belongs to another side.
    let query = FeatureQuery { b_to_a, min: -TOUCHING * size, max, two_sided: pair.two_sided() };
    let front = &mut memory.front_apart;
    let lasts = margin > 0.0 && front.find_at_most(MAX_LASTING_PAIRS, pair.sides(), &query, margin).is_some();
    let found = if lasts { front.found() } else { features_within_budget(front, pair, query, 0.0).0 };
    memory.contacts.extend(found.iter().map(|feature| contact(feature, &separation)));
}
