//! Contact reduction: contacts of nearly one normal form a group, and each group is reduced to four contacts that span it
//! among those that touch, with up to four more that bear a load which these cannot, and four among those that are speculative.
//!
//! rapier would choose four among all points within the prediction distance and so drop points that bear a load; and
//! more than two manifolds on one plane spoil its friction.

use std::cmp::Ordering;

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::envelope::Envelope;
use super::point::ContactPoint;
use super::workspace::{FeatureName, feature_of, name_of};
use crate::stateful::{Mismatch, Stateful};
use extricate_core::proximity::contacts::Feature;

/// Cosine of the angle between normals of one group: five degrees. Wider groups give contacts normals that are not
/// theirs, since each takes that of its leader; narrower ones make several manifolds of one curved face. Half changes 3
/// and twice 4 (maximum overlap × 0.67 … 2.77) of 9 runs and the work by +0.26 % and −1.3 % (docs/sensitivity.md).
const SAME_NORMAL: f64 = 0.996;
/// Contact points in a manifold: those that rapier solves together.
pub(super) const POINTS: usize = 4;
/// Ratio of the score of a new point to that of a point of the last step beyond which it takes its place. At 1, points
/// that tie up to rounding change from step to step and lose their impulses. Half changes 5 (maximum overlap
/// × 1.00 … 1.53) and twice 5 (maximum overlap × 1.00 … 1.41) of 8 runs (docs/sensitivity.md).
const STICKINESS: f64 = 1.05;

/// One or two manifolds to be: contacts of one normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Selected {
    /// Unit normal from the first shape to the second, frame of the first.
    pub(super) normal: Vector3<f64>,
    /// Indices of the contacts.
    contacts: [usize; 2 * POINTS],
    /// Number of contacts.
    count: usize,
}

impl Selected {
    fn one(normal: &Vector3<f64>, contact: usize) -> Self {
        Self { normal: *normal, contacts: [contact; 2 * POINTS], count: 1 }
    }

    fn push(&mut self, contact: usize) {
        self.contacts[self.count] = contact;
        self.count += 1;
    }

    pub(super) fn indices(&self) -> &[usize] {
        &self.contacts[..self.count]
    }
}

/// Gap, as a fraction of the size, up to which a contact counts as closed: more than the gaps that open as a resting
/// body rocks. Much more lets open contacts take the places of closed ones. Half changes 6 (maximum overlap
/// × 0.31 … 1.10) and twice 6 (maximum overlap × 0.63 … 1.92) of 9 runs (docs/sensitivity.md).
const CLOSED: f64 = 4e-4;
/// Distance, as a fraction of the size, below which two contact points coincide: such points span nothing and only cost
/// the solver a row. Half changes 2 and twice 3 (maximum overlap × 0.61 … 1.45) of 9 runs and the work by less than
/// 0.1 % (docs/sensitivity.md).
const SAME_POINT: f64 = 1e-4;

/// Motion within a step, as a fraction of the size, below which a contact counts as still: the order of contacts of a
/// body at rest must not depend on rounding. Half changes 1 and twice 0 of 9 runs and the work by less than 0.1 %
/// (docs/sensitivity.md).
const STILL: f64 = 1e-6;

/// Depth, as a fraction of the size, by which a contact of the last step may be shallower than the deepest one and
/// still precede it: above rounding, below what the solver can notice. Half changes 6 and twice 6 (maximum overlap
/// × 0.74 … 1.00) of 9 runs and the work by −0.23 % and −0.13 % (docs/sensitivity.md).
const STICKY: f64 = 1e-6;

/// Distance below the envelope of the contacts that are chosen, as a fraction of the size, at which another one is added to them; for those of the last step a quarter of it.
/// Much less adds contacts of flat faces, which are equal up to rounding.
const BELOW: f64 = 1e-5;

/// Tolerances of the reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales {
    /// Distance [m] up to which a contact touches.
    touching: f64,
    /// Distance [m] between points that are one.
    same_point: f64,
    /// Motion [m] within a step that counts as none.
    still: f64,
    /// Depth [m] by which a contact of the last step may be shallower than the deepest one and still count as the deepest.
    sticky: f64,
    /// Distance [m] below the envelope of others at which a contact bears a load.
    below: f64,
}

impl Scales {
    /// Scales of a pair whose smaller body has this size [m].
    pub(super) fn of(size: f64) -> Self {
        let [touching, same_point, still, sticky, below] =
            [CLOSED, SAME_POINT, STILL, STICKY, BELOW].map(|fraction| fraction * size);
        Self { touching, same_point, still, sticky, below }
    }

    /// The same with another depth [m] by which contacts of the last step are preferred: for shapes whose contacts tie, like
    /// the corners of a rim.
    pub(super) fn sticky(self, sticky: f64) -> Self {
        Self { sticky, ..self }
    }
}

/// Choice of contacts, with buffers and the features chosen in the last step.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    /// Whether each contact was chosen in the last step.
    was_chosen: Vec<bool>,
    /// Distances of the contacts predicted for the end of a step like the last one [m].
    predicted: Vec<f64>,
    grouped: Vec<bool>,
    group: Vec<usize>,
    before: Vec<[Feature; 2]>,
    /// Contacts that give the groups their normals, in this step and in the last one.
    leaders: Vec<[Feature; 2]>,
    leaders_before: Vec<[Feature; 2]>,
    pub(super) selected: Vec<Selected>,
}

/// State of a choice: the contacts that were chosen, and the leaders of groups.
#[derive(Serialize, Deserialize)]
pub(super) struct ChoiceState {
    before: Vec<[FeatureName; 2]>,
    leaders: Vec<[FeatureName; 2]>,
}

impl Stateful for Choice {
    type State = ChoiceState;

    fn snapshot(&self) -> ChoiceState {
        let names = |features: &[[Feature; 2]]| features.iter().map(|pair| pair.map(name_of)).collect();
        ChoiceState { before: names(&self.before), leaders: names(&self.leaders_before) }
    }

    fn restore(&mut self, state: ChoiceState) -> Result<(), Mismatch> {
        let features =
            |names: Vec<[FeatureName; 2]>| names.into_iter().map(|pair| pair.map(feature_of)).collect();
        (self.before, self.leaders_before) = (features(state.before), features(state.leaders));
        Ok(())
    }
}

impl Choice {
    /// Chooses among the contacts: into [`selected`](Self::selected). `to_before` maps points of the second shape to their
    /// positions in the last step, frame of the first: contacts that do not touch are ordered by their predicted
    /// distances. Without it, a body that rolls meets the ground at vertices that were not chosen.
    pub(super) fn choose(
        &mut self,
        contacts: &[ContactPoint],
        scales: Scales,
        to_before: Option<&Isometry3<f64>>,
    ) {
        self.predicted.clear();
        self.predicted.extend(contacts.iter().map(|contact| {
            let moved =
                to_before.map_or(0.0, |before| (contact.point - before * contact.point).dot(&contact.normal));
            contact.distance + if moved.abs() > scales.still { moved } else { 0.0 }
        }));
        self.selected.clear();
        let before = &self.before;
        self.was_chosen.clear();
        self.was_chosen.extend(contacts.iter().map(|contact| before.contains(&contact.features)));
        self.grouped.clear();
        self.grouped.resize(contacts.len(), false);
        self.leaders.clear();
        while let Some(leader) = self.leader(contacts, &scales) {
            self.leaders.push(contacts[leader].features);
            let normal = contacts[leader].normal;
            for touching in [true, false] {
                self.collect_group(contacts, &normal, &scales, touching);
                let Some(mut selected) = self.select_four(contacts, &normal, (&scales, touching)) else {
                    continue;
                };
                if touching && selected.count == POINTS && self.group.len() > POINTS {
                    self.add_bearing(contacts, &scales, &mut selected);
                }
                self.selected.push(selected);
            }
            // A normal of length zero is in no group, not even its own: without this the loop would not end.
            self.grouped[leader] = true;
        }
        std::mem::swap(&mut self.leaders, &mut self.leaders_before);
        self.before.clear();
        for selected in &self.selected {
            self.before.extend(selected.indices().iter().map(|&index| contacts[index].features));
        }
    }

    /// Contact that gives a group its normal: the deepest that is in no group yet, or one as deep that led a group in the
    /// last step, so that normals do not depend on rounding.
    fn leader(&self, contacts: &[ContactPoint], scales: &Scales) -> Option<usize> {
        let free = || (0..contacts.len()).filter(|&index| !self.grouped[index]);
        let deepest = free().min_by(|&i, &j| self.order(contacts, true, i, j))?;
        let deep = contacts[deepest].distance + scales.sticky;
        let as_deep = free().filter(|&index| contacts[index].distance < deep);
        Some(known(&self.leaders_before, contacts, as_deep).unwrap_or(deepest))
    }

    /// Collects the contacts of a normal that touch, or those that do not.
    fn collect_group(
        &mut self,
        contacts: &[ContactPoint],
        normal: &Vector3<f64>,
        scales: &Scales,
        touching: bool,
    ) {
        self.group.clear();
        for (index, contact) in contacts.iter().enumerate() {
            let taken = self.grouped[index] || contact.normal.dot(normal) < SAME_NORMAL;
            if taken || (contact.distance <= scales.touching) != touching {
                continue;
            }
            self.grouped[index] = true;
            self.group.push(index);
        }
    }

    /// Order of two contacts: those that touch by their distance, others by the predicted one first. Equal ones have the order of their features, which does not depend on how the
    /// pairs were found.
    fn order(&self, contacts: &[ContactPoint], touching: bool, i: usize, j: usize) -> Ordering {
        let (a, b) = (&contacts[i], &contacts[j]);
        let predicted = || self.predicted[i].total_cmp(&self.predicted[j]);
        let first = if touching { Ordering::Equal } else { predicted() };
        first.then(a.distance.total_cmp(&b.distance)).then_with(|| a.features.cmp(&b.features))
    }

    /// Selects of the group its first point (the deepest, or the one predicted to touch first), the farthest from it, and the
    /// two that span the largest area with those.
    fn select_four(
        &mut self,
        contacts: &[ContactPoint],
        normal: &Vector3<f64>,
        (scales, touching): (&Scales, bool),
    ) -> Option<Selected> {
        let order = |i: usize, j: usize| self.order(contacts, touching, i, j);
        let deepest = self.group.iter().copied().min_by(|&i, &j| order(i, j))?;
        let same_point = scales.same_point;
        let deep = contacts[deepest].distance + scales.sticky;
        // Those before the first one that is not as deep.
        let is_deep = |index: &usize| contacts[*index].distance < deep;
        let end = self.group.iter().copied().filter(|index| !is_deep(index)).min_by(|&i, &j| order(i, j));
        let is_before_end = |index: &usize| end.is_none_or(|end| order(*index, end).is_lt());
        let as_deep = self.group.iter().copied().filter(|index| is_deep(index) && is_before_end(index));
        let first = known(&self.before, contacts, as_deep).unwrap_or(deepest);
        let mut selected = Selected::one(normal, first);
        let point = |index: usize| contacts[index].point;
        let origin = point(first);
        let span = |index: usize| {
            Some((point(index) - origin).norm()).filter(|&span| span > same_point).unwrap_or(0.0)
        };
        if let Some(farthest) = self.best((contacts, touching), &selected, span) {
            selected.push(farthest);
            let across = normal.cross(&(point(farthest) - origin));
            // One on either side of the line through the first two.
            for side in [1.0, -1.0] {
                let min = same_point * across.norm();
                let height = |index: usize| side * across.dot(&(point(index) - origin)) - min;
                if let Some(highest) = self.best((contacts, touching), &selected, height) {
                    selected.push(highest);
                }
            }
        }
        Some(selected)
    }

    /// Adds the contacts of the group that bear a load which its four cannot: those below their envelope, the lowest first, and outside their polygon those that are deeper than one of them.
    /// Without them the body would sink there, step by step, until one of them takes the place of another, and rock.
    fn add_bearing(&mut self, contacts: &[ContactPoint], scales: &Scales, selected: &mut Selected) {
        let distance = |index: usize| contacts[index].distance;
        let highest =
            selected.indices().iter().map(|&index| distance(index)).fold(f64::NEG_INFINITY, f64::max);
        let mut envelope = Envelope::<{ 2 * POINTS }>::new(&selected.normal);
        selected.indices().iter().for_each(|&index| envelope.add(&contacts[index].point, distance(index)));
        while selected.count < 2 * POINTS {
            let mut lowest: Option<(f64, usize)> = None;
            for &index in self.group.iter().filter(|index| !selected.indices().contains(index)) {
                let min = if self.was_chosen[index] { 0.25 } else { 1.0 } * scales.below;
                let max = highest - distance(index);
                if max <= min || lowest.is_some_and(|(below, _)| max < below) {
                    continue;
                }
                let below = envelope.at(&contacts[index].point).map_or(max, |at| at - distance(index));
                if below > min
                    && lowest.is_none_or(|(lowest, other)| {
                        lowest
                            .total_cmp(&below)
                            .then_with(|| self.order(contacts, true, index, other))
                            .is_lt()
                    })
                {
                    lowest = Some((below, index));
                }
            }
            let Some((_, index)) = lowest else { break };
            envelope.add(&contacts[index].point, distance(index));
            selected.push(index);
        }
    }

    /// Contact of the group with the maximum positive score that is not chosen yet, of equal ones the first in their order; those of the last step are preferred.
    fn best(
        &self,
        (contacts, touching): (&[ContactPoint], bool),
        chosen: &Selected,
        score: impl Fn(usize) -> f64,
    ) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for &index in self.group.iter().filter(|index| !chosen.indices().contains(index)) {
            let bonus = if self.was_chosen[index] { STICKINESS } else { 1.0 };
            let score = bonus * score(index);
            let is_better = match best {
                None => score > 0.0,
                Some((best, other)) if score >= best => {
                    score > best || self.order(contacts, touching, index, other).is_lt()
                }
                Some(_) => false,
            };
            if is_better {
                best = Some((score, index));
            }
        }
        best.map(|(_, index)| index)
    }
}

/// First contact, in the order of the last step, among some.
fn known(
    before: &[[Feature; 2]],
    contacts: &[ContactPoint],
    among: impl Iterator<Item = usize>,
) -> Option<usize> {
    let place = |index: usize| before.iter().position(|features| *features == contacts[index].features);
    among.filter_map(|index| Some((place(index)?, index))).min().map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    /// Contacts of a body of size 1 on a plane, at places with distances.
    fn contacts(places: &[(f64, f64, f64)]) -> Vec<ContactPoint> {
        let contact = |(&(x, y, distance), index)| ContactPoint {
            point: Point3::new(x, y, 0.0),
            normal: Vector3::z(),
            distance,
            features: [Feature::Face(0), Feature::Vertex(index)],
        };
        places.iter().zip(0..).map(contact).collect()
    }

    /// Indices of those that touch and are chosen, in ascending order.
    fn chosen(choice: &mut Choice, places: &[(f64, f64, f64)]) -> Vec<usize> {
        choice.choose(&contacts(places), Scales::of(1.0), None);
        let mut indices = choice.selected[0].indices().to_vec();
        indices.sort_unstable();
        indices
    }

    /// Two corners of a square are pressed in and two are open; a contact lies between them, below their envelope by `below`.
    fn square_with_middle(below: f64) -> [(f64, f64, f64); 5] {
        let (deep, open) = (-1e-4, 2e-4);
        let middle = (0.1, 0.0, 0.55 * deep + 0.45 * open - below);
        [(-1.0, -1.0, open), (1.0, -1.0, deep), (1.0, 1.0, deep), (-1.0, 1.0, open), middle]
    }

    #[test]
    fn a_contact_below_the_envelope_of_four_is_chosen_with_them_until_it_is_above() {
        let mut choice = Choice::default();
        assert_eq!(chosen(&mut choice, &square_with_middle(0.5 * BELOW)), [0, 1, 2, 3]);
        assert_eq!(chosen(&mut choice, &square_with_middle(2.0 * BELOW)), [0, 1, 2, 3, 4]);
        assert_eq!(
            chosen(&mut choice, &square_with_middle(0.5 * BELOW)),
            [0, 1, 2, 3, 4],
            "one of the last step"
        );
        assert_eq!(chosen(&mut choice, &square_with_middle(-BELOW)), [0, 1, 2, 3]);
    }

    #[test]
    fn a_corner_of_five_is_left_out_only_where_it_is_the_shallowest() {
        let mut left_out = 0;
        for order in 0..120_usize {
            // The permutation of this number in the factorial number system.
            let mut ranks: Vec<usize> = (0..5).collect();
            let depths: Vec<f64> = [24, 6, 2, 1, 1]
                .iter()
                .enumerate()
                .map(|(place, count)| 2e-5 * ranks.remove(order / count % (5 - place)) as f64)
                .collect();
            let corner = |index: usize| {
                let angle = std::f64::consts::TAU * index as f64 / 5.0;
                (angle.cos(), angle.sin(), -depths[index])
            };
            let chosen = chosen(&mut Choice::default(), &[0, 1, 2, 3, 4].map(corner));
            let others = (0..5).filter(|index| !chosen.contains(index));
            left_out += others.clone().count();
            assert!(others.map(|index| depths[index]).fold(0.0, f64::max) < BELOW, "{depths:?}: {chosen:?}");
        }
        assert!(left_out > 0, "a fifth one only where it bears");
    }

    #[test]
    fn contacts_of_a_flat_face_are_its_corners_however_it_is_tilted() {
        for tilt in [[0.0, 0.0], [1e-4, 0.0], [3e-5, -7e-5], [-1e-4, 1e-4]] {
            let place = |index: u32| {
                let [x, y] = [f64::from(index % 9) / 4.0 - 1.0, f64::from(index / 9) / 4.0 - 1.0];
                (x, y, tilt[0] * x + tilt[1] * y)
            };
            let places: Vec<_> = (0..81).map(place).collect();
            assert_eq!(chosen(&mut Choice::default(), &places).len(), 4, "{tilt:?}");
        }
    }
}
