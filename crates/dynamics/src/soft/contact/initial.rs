//! Remainders of overlaps at the start, and the pairs of bodies that part from them.

use serde::{Deserialize, Serialize};

use super::point::{Field, Probe};

/// The overlaps that bodies had at the start and have not left yet, and the pairs of bodies with a pressure of their own until they have parted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct InitialOverlaps {
    /// Remainders that are not released yet, or that have not parted yet where nothing is released [m], by point and field, ascending.
    pub(super) remainders: Vec<((Probe, Field), f64)>,
    /// Pairs of bodies, ascending, that began deeper in each other than the onset of stiffening, or that a step without convergence left
    /// there, and have not been at less depth since. Their pressure is linear: points that were outside at the start enter while the bodies
    /// part, and a pressure that stiffens at once would throw the bodies apart.
    pub(super) parting: Vec<[Field; 2]>,
    /// Pairs of bodies, ascending, with which a step did not converge and which have been deep since: their pressure stiffens less.
    pub(super) eased: Vec<[Field; 2]>,
    /// Pairs of bodies, ascending, that a balance left deep, with the factor by which their pressure stiffens faster until they have parted.
    pub(super) firm: Vec<([Field; 2], f64)>,
}

/// The law of pressure of a pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pressure {
    /// It stiffens beyond the onset, faster where the pair is firm.
    Stiffens,
    /// It stiffens less.
    Eased,
    /// It is linear.
    Linear,
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

    /// Factor by which the pressure between a body and the one in whose field its points are stiffens faster.
    pub(super) fn firmness_of(&self, owner: Field, field: Field) -> f64 {
        if self.firm.is_empty() {
            return 1.0;
        }
        let pair = pair(owner, field);
        let found = self.firm.binary_search_by_key(&pair, |entry| entry.0);
        found.map_or(1.0, |at| self.firm[at].1)
    }

    /// Multiplies the firmness of a pair of bodies by a factor, up to a maximum.
    pub(super) fn multiply_firmness(&mut self, pair: [Field; 2], factor: f64, max: f64) {
        match self.firm.binary_search_by_key(&pair, |entry| entry.0) {
            Ok(at) => self.firm[at].1 = (self.firm[at].1 * factor).min(max),
            Err(at) => self.firm.insert(at, (pair, factor.min(max))),
        }
    }

    /// The pressure between a body and the one in whose field its points are.
    pub(super) fn pressure_of(&self, owner: Field, field: Field) -> Pressure {
        if self.parting.is_empty() && self.eased.is_empty() {
            return Pressure::Stiffens;
        }
        let pair = pair(owner, field);
        if self.parting.binary_search(&pair).is_ok() {
            Pressure::Linear
        } else if self.eased.binary_search(&pair).is_ok() {
            Pressure::Eased
        } else {
            Pressure::Stiffens
        }
    }
}
