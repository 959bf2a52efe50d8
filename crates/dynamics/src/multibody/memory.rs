//! Impulses of the contacts of a step, by the features that touch: the start of the next one, and the forces that are reported.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A contact from step to step: raw indices of the two bodies, their features, and its number among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ContactKey {
    pub(crate) bodies: [usize; 2],
    pub(crate) features: [u32; 2],
    pub(crate) number: u32,
}

/// A contact of the last step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    key: ContactKey,
    /// Impulses of the displacement and of the velocity at the end [N·s, on the second body].
    impulses: [Vector3<f64>; 2],
    /// Impulse with that of an impact [N·s, on the second body].
    total: Vector3<f64>,
    /// Its normal part [N·s].
    normal: f64,
}

/// Contacts of the last step, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactMemory {
    contacts: Vec<Remembered>,
    /// Bodies that were solved here, by raw index, ascending.
    bodies: Vec<usize>,
}

impl ContactMemory {
    /// Impulses of a contact in the last step.
    pub(super) fn impulses(&self, key: &ContactKey) -> Option<[Vector3<f64>; 2]> {
        self.contact(key).map(|contact| contact.impulses)
    }

    /// Normal impulse of a contact of the last step [N·s].
    pub(crate) fn normal_impulse(&self, key: &ContactKey) -> Option<f64> {
        self.contact(key).map(|contact| contact.normal)
    }

    /// Impulse of a contact of the last step [N·s, on the second body].
    pub(crate) fn total_impulse(&self, key: &ContactKey) -> Option<Vector3<f64>> {
        self.contact(key).map(|contact| contact.total)
    }

    fn contact(&self, key: &ContactKey) -> Option<&Remembered> {
        self.contacts.binary_search_by_key(key, |contact| contact.key).ok().map(|index| &self.contacts[index])
    }

    /// Whether a body, by raw index, was solved here in the last step.
    pub(crate) fn solved(&self, body: usize) -> bool {
        self.bodies.binary_search(&body).is_ok()
    }

    /// Forgets all contacts; `bodies` are solved in this step.
    pub(super) fn begin(&mut self, mut bodies: Vec<usize>) {
        bodies.sort_unstable();
        self.bodies = bodies;
        self.contacts.clear();
    }

    pub(super) fn remember(
        &mut self,
        key: ContactKey,
        impulses: [Vector3<f64>; 2],
        (total, normal): (Vector3<f64>, f64),
    ) {
        self.contacts.push(Remembered { key, impulses, total, normal });
    }

    /// Ends a step, in which no contact was remembered twice.
    pub(super) fn end(&mut self) {
        self.contacts.sort_unstable_by_key(|contact| contact.key);
    }
}
