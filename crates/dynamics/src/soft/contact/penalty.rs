//! The penalty of contacts: stiffness, the onset of its stiffening, and the overlaps that are not released yet.

use super::point::{Field, Probe};
use super::pressure::PressureLaw;

/// Remainder of the initial overlap of a point in a field [m].
pub(super) type Remainders = [((Probe, Field), f64)];

/// The penalty of all contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Penalty<'a> {
    /// k [Pa/m].
    pub(super) stiffness: f64,
    /// Fraction of the thickness beyond which the pressure stiffens.
    pub(super) stiffen_beyond: f64,
    /// Whether remainders push only as they are released, instead of at once.
    pub(super) releases: bool,
    /// Ascending.
    pub(super) remainders: &'a Remainders,
}

impl Penalty<'_> {
    /// Remainder of the initial overlap of a point in a field [m], zero where there was none.
    pub(super) fn remainder_of(&self, probe: Probe, field: Field) -> f64 {
        let found = self.remainders.binary_search_by_key(&(probe, field), |entry| entry.0);
        found.map_or(0.0, |at| self.remainders[at].1)
    }

    /// Effective depth [m] and law of the pressure of a contact at `depth` [m] between bodies of which the thinner one has the
    /// `thickness` [m].
    ///
    /// Only what is deeper than the remainder of an initial overlap stiffens the pressure, which would throw overlaps at the start
    /// apart.
    pub(super) fn act(&self, depth: f64, remainder: f64, thickness: f64) -> (f64, PressureLaw) {
        let law = PressureLaw::beyond(self.stiffen_beyond * thickness);
        // Frozen edges that have parted have a negative depth.
        if self.releases {
            ((depth - remainder).max(0.0), law)
        } else {
            (depth.max(0.0), law.deeper_by(remainder))
        }
    }
}
