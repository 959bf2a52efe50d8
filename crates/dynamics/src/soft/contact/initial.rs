//! Remainders of overlaps at the start, and the pairs of bodies that part from them.

use serde::{Deserialize, Serialize};

use super::point::{Field, Probe};

/// The overlaps that bodies had at the start and have not left yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct InitialOverlaps {
    /// Remainders that are not released yet, or that have not parted yet where nothing is released [m], by point and field, ascending.
    pub(super) remainders: Vec<((Probe, Field), f64)>,
    /// Pairs of bodies, ascending, that began deeper in each other than the onset of stiffening, or that a step without convergence left
    /// there, and have not been at less depth since. Their pressure is linear: points that were outside at the start enter while the bodies
    /// part, and a pressure that stiffens at once would throw the bodies apart.
    pub(super) parting: Vec<[Field; 2]>,
}

/// Pairs of bodies, ascending.
pub(crate) type Pairs = Vec<[Field; 2]>;

/// The two bodies of a contact, in the order of `Field`.
pub(super) fn pair(owner: Field, field: Field) -> [Field; 2] {
    [owner.min(field), owner.max(field)]
}

impl InitialOverlaps {
    /// Remainder of the initial overlap of a point in a field [m], zero where there was none.
    pub(super) fn remainder_of(&self, probe: Probe, field: Field) -> f64 {
        let found = self.remainders.binary_search_by_key(&(probe, field), |entry| entry.0);
        found.map_or(0.0, |at| self.remainders[at].1)
    }

    /// Whether a body and the one in whose field its points are began deep in each other and have not parted yet.
    pub(super) fn is_parting(&self, owner: Field, field: Field) -> bool {
        !self.parting.is_empty() && self.parting.binary_search(&pair(owner, field)).is_ok()
    }
}
