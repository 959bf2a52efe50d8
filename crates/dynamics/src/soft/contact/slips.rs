//! Slips of the contacts that stick, from one step to the next.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::point::{Contact, Field, Probe};

/// Slips of contacts [m, world], ascending by point and field.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Slips(Vec<((Probe, Field), Vector3<f64>)>);

impl Slips {
    /// The given slips; those of length zero are left out.
    pub(super) fn new(slips: impl Iterator<Item = ((Probe, Field), Vector3<f64>)>) -> Self {
        let mut all: Vec<_> = slips.filter(|(_, slip)| *slip != Vector3::zeros()).collect();
        all.sort_unstable_by_key(|entry| entry.0);
        Self(all)
    }

    /// Slip of a contact; zero where it is new.
    pub(super) fn of(&self, contact: &Contact) -> Vector3<f64> {
        let key = (contact.probe, contact.field);
        let found = self.0.binary_search_by_key(&key, |entry| entry.0);
        found.map_or_else(|_| Vector3::zeros(), |at| self.0[at].1)
    }

    /// Removes all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
