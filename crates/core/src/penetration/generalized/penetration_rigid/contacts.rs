//! The contacts that a walk has met, and the linearised local contact space (LLCS) they span [Tang14 §3.2, eqs. 6–9].

use nalgebra::{Vector3, Vector6};

use super::chart::{Configuration, RigidLocalChart};
use super::feature::{Features, TrianglePair};
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Number of pairs stored along a walk. An optimum has six contacts; more pairs only slow the walk, fewer forget
/// contacts that it meets again. Half changes the mean depth by < 0.01 % (worst +0.42 %) with 4.3 % more instructions,
/// twice no depth (docs/sensitivity.md).
const REMEMBERED: usize = 64;

/// A pair with the features that separate it.
#[derive(Debug, Clone, Copy)]
struct Contact {
    pair: TrianglePair,
    features: Features,
}

/// The stored pairs, oldest first.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    contacts: Vec<Contact>,
    /// Index of the contact of each row pushed last.
    owners: Vec<usize>,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
    }

    pub(super) fn knows(&self, triangles: [u32; 2]) -> bool {
        self.contacts.iter().any(|contact| contact.pair.triangles == triangles)
    }

    /// Stores a pair that is apart by `min` [m] at a configuration, for the path to `target`. A pair already stored gets its
    /// features chosen anew.
    pub(super) fn remember(
        &mut self,
        chart: &RigidLocalChart,
        pair: TrianglePair,
        at: &Configuration,
        (target, min): (&Vector6<f64>, f64),
    ) {
        let Some(features) = pair.features(chart, at, target, min) else { return };
        if let Some(known) = self.contacts.iter_mut().find(|known| known.pair.triangles == pair.triangles) {
            known.features = features;
            return;
        }
        // The oldest contact is unlikely to be met again.
        if self.contacts.len() == REMEMBERED {
            self.contacts.remove(0);
        }
        self.contacts.push(Contact { pair, features });
    }

    /// Chooses features anew for the pairs whose features no longer have a gap of `min` [m] although they are apart, and for those
    /// that restrict the walk: rows `active` of the last ones pushed.
    pub(super) fn renew(
        &mut self,
        chart: &RigidLocalChart,
        at: &Configuration,
        (target, min): (&Vector6<f64>, f64),
        active: &[usize],
    ) {
        // Taken out because the contacts are borrowed mutably below.
        let owners = std::mem::take(&mut self.owners);
        for (index, contact) in self.contacts.iter_mut().enumerate() {
            let is_active = active.iter().any(|&row| owners.get(row) == Some(&index));
            let holds = |contact: &Contact| {
                contact.features.iter().all(|f| f.at(at).is_some_and(|gap| gap.gap >= min))
            };
            if (is_active || !holds(contact))
                && let Some(features) = contact.pair.features(chart, at, target, min)
            {
                contact.features = features;
            }
        }
        self.owners = owners;
    }

    /// Discards the pairs that are farther apart than `within` [m]: there the plane of a pair extends beyond its obstacle.
    /// Returns whether there were any.
    pub(super) fn retain_touching(&mut self, at: &Configuration, within: f64) -> bool {
        let before = self.contacts.len();
        self.contacts.retain(|contact| contact.pair.distance(at) <= within);
        self.contacts.len() < before
    }

    /// Rows J dq ≥ 0 of the contact space linearised about `at`, the LLCS [Tang14 eq. 9]: every feature has a gap of at least
    /// `clearance` [m]. Rows that no step of length `reach` [m] can meet are left out.
    pub(super) fn rows(
        &mut self,
        chart: &RigidLocalChart,
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
