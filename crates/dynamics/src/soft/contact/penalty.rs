//! The penalty of contacts: stiffness, the onset of its stiffening, and the overlaps that are not released yet.

use super::folds::Folds;
use super::initial::{InitialOverlaps, Pressure};
use super::point::{Field, Probe};
use super::pressure::PressureLaw;

/// The penalty of all contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Penalty<'a> {
    /// k [Pa/m].
    pub(super) stiffness: f64,
    /// Depth beyond which the pressure stiffens [m].
    pub(super) onset: f64,
    /// Whether remainders push only as they are released, instead of at once.
    pub(super) releases: bool,
    /// `None` before the first step.
    pub(super) initial: Option<&'a InitialOverlaps>,
    pub(super) folds: &'a Folds,
    /// Whether edges with an end in the frozen active set become contacts during a minimisation where they are deep.
    pub(super) joins_beside: bool,
}

impl Penalty<'_> {
    /// Remainder of the initial overlap of a point in a field [m], zero where there was none.
    pub(super) fn remainder_of(&self, probe: Probe, field: Field) -> f64 {
        self.initial.map_or(0.0, |initial| initial.remainder_of(probe, field))
    }

    /// Law of the pressure of contacts between the body `owner` and `field`.
    pub(super) fn law(&self, owner: Field, field: Field) -> PressureLaw {
        let onset = self.onset;
        let Some(initial) = self.initial else { return PressureLaw::beyond(onset) };
        match initial.pressure_of(owner, field) {
            Pressure::Stiffens => PressureLaw::beyond(onset).firmer(initial.firmness_of(owner, field)),
            Pressure::Eased => PressureLaw::eased_beyond(onset),
            Pressure::Linear => PressureLaw::beyond(f64::INFINITY),
        }
    }

    /// Effective depth [m] and law of the pressure of a contact at `depth` [m], of which `remainder` [m] was there at the start.
    ///
    /// Only what is deeper than the remainder of an initial overlap stiffens the pressure, which would throw overlaps at the start
    /// apart.
    pub(super) fn act(&self, depth: f64, remainder: f64, law: PressureLaw) -> (f64, PressureLaw) {
        // Frozen edges that have parted have a negative depth.
        if self.releases {
            ((depth - remainder).max(0.0), law)
        } else {
            (depth.max(0.0), law.deeper_by(remainder))
        }
    }
}
