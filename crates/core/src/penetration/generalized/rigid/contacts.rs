//! The contacts that a walk has met, and the linearised local contact space they span [Tang14 §3.2, eqs. 6–9].

use nalgebra::{Vector3, Vector6};

use super::chart::{Chart, Configuration};
use super::feature::{Features, Pair};
use crate::penetration::quadratic_program::least_change::rows::Rows;

/// Pairs that are remembered along a walk. More only slow it: an optimum has six contacts.
const REMEMBERED: usize = 64;

/// A pair with the features that keep it apart.
#[derive(Debug, Clone, Copy)]
struct Contact {
    pair: Pair,
    features: Features,
}

/// The remembered pairs, oldest first.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    contacts: Vec<Contact>,
    /// The contact of each row pushed last.
    owners: Vec<usize>,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
    }

    pub(super) fn knows(&self, triangles: [u32; 2]) -> bool {
        self.contacts.iter().any(|contact| contact.pair.triangles == triangles)
    }

    /// Remembers a pair that is apart by `least` [m] at a configuration, for the way to `target`. Where it is known
    /// already, it is looked at anew.
    pub(super) fn remember(
        &mut self,
        chart: &Chart,
        pair: Pair,
        at: &Configuration,
        (target, least): (&Vector6<f64>, f64),
    ) {
        let Some(features) = pair.features(chart, at, target, least) else { return };
        if let Some(known) = self.contacts.iter_mut().find(|known| known.pair.triangles == pair.triangles) {
            known.features = features;
            return;
        }
        if self.contacts.len() == REMEMBERED {
            self.contacts.remove(0);
        }
        self.contacts.push(Contact { pair, features });
    }

    /// Looks anew at the pairs whose features no longer show a gap of `least` [m] although they are apart, and at those
    /// that hold the walk back: rows `active` of the last ones pushed.
    pub(super) fn renew(
        &mut self,
        chart: &Chart,
        at: &Configuration,
        (target, least): (&Vector6<f64>, f64),
        active: &[usize],
    ) {
        let owners = std::mem::take(&mut self.owners);
        for (index, contact) in self.contacts.iter_mut().enumerate() {
            let is_active = active.iter().any(|&row| owners.get(row) == Some(&index));
            let holds = |contact: &Contact| {
                contact.features.iter().all(|f| f.at(at).is_some_and(|gap| gap.gap >= least))
            };
            if (is_active || !holds(contact))
                && let Some(features) = contact.pair.features(chart, at, target, least)
            {
                contact.features = features;
            }
        }
        self.owners = owners;
    }

    /// Forgets the pairs that are farther apart than `within` [m]: there the plane of a pair goes on where its obstacle
    /// has ended. Answers whether there were any.
    pub(super) fn keep_touching(&mut self, at: &Configuration, within: f64) -> bool {
        let before = self.contacts.len();
        self.contacts.retain(|contact| contact.pair.distance(at) <= within);
        self.contacts.len() < before
    }

    /// Rows of the contact space linearised about `at`: every feature keeps a gap of `clearance` [m]. Those that no step
    /// of length `reach` [m] can meet are left out.
    pub(super) fn rows(
        &mut self,
        chart: &Chart,
        at: &Configuration,
        (clearance, reach): (f64, f64),
        rows: &mut Rows,
    ) {
        rows.clear();
        self.owners.clear();
        for (index, contact) in self.contacts.iter().enumerate() {
            for gap in contact.features.iter().filter_map(|feature| feature.at(at)) {
                let row = chart.row(at, &gap.normal, &gap.point);
                let slack = gap.gap - clearance;
                if slack <= reach * row.norm() {
                    rows.push(row.as_slice(), row.dot(&at.y) - slack);
                    self.owners.push(index);
                }
            }
        }
    }

    /// Mean of the normals of the contacts within `within` [m].
    pub(super) fn mean_normal(&self, at: &Configuration, within: f64) -> Option<Vector3<f64>> {
        let gaps = self.contacts.iter().flat_map(|contact| contact.features.iter());
        let near = gaps.filter_map(|feature| feature.at(at)).filter(|gap| gap.gap <= within);
        near.fold(Vector3::zeros(), |sum, gap| sum + gap.normal).try_normalize(0.0)
    }
}
