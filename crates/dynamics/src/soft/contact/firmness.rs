//! Firmness: where a balance leaves a pair of bodies deep, its pressure stiffens faster, in the same step and until the bodies have parted.
//!
//! One law of pressure does not serve both a rigid edge that a few points of small area carry and a body that lies on a whole face: as steep
//! as the former needs it, Newton's method overshoots in the latter. Each step is solved with the common law. Where the balance is deeper than
//! [`FIRM_BEYOND`] onsets e₀, the growth of the pressure of the pair is multiplied by (s/s')² for its excess s = e/e₀ − 1 over the one at
//! [`TARGET`], so that the deepest contact would have its force there, and the solve continues from the balance that it has found. A pair that was deep at the
//! start of the step is pushed out slowly: a steeper law stores more energy at a given depth. Where bodies have parted all laws agree,
//! so that the end of firmness changes no energy.

use nalgebra::Vector3;

use super::contacts::SoftContact;
use super::initial::{Pressure, pair};
use super::point::Field;

/// Depth over the onset of stiffening beyond which the pressure of a pair in balance is made to stiffen faster. Smaller: more solves continue;
/// at 2 and the default onset contacts are at most 2 % of the thickness deep. Not varied.
const FIRM_BEYOND: f64 = 1.9;

/// Depth over the onset at which the deepest contact is to have its force then. Closer to [`FIRM_BEYOND`]: several rounds, as the load moves
/// to it from its neighbours; smaller: a steeper law. Not varied.
const TARGET: f64 = 1.7;

/// Minimum of that target over the depth at the start of the step. Smaller: pairs that a step without convergence left deep gain more energy as
/// they are pushed out; 1: they stay. Not varied.
const KEPT: f64 = 0.9;

/// Maximum factor of one round, and of all of a pair. Safeguards against laws that rounding decides.
const MAX_FACTOR: f64 = 100.0;
const MAX_FIRMNESS: f64 = 1e5;

/// Pairs of bodies, ascending, with the maximum depth of the contacts of each [m].
type PairDepths = Vec<([Field; 2], f64)>;

impl SoftContact {
    /// Lets the pressure of pairs that are too deep at the blocks `x` stiffen faster; returns whether that of any does.
    pub(super) fn firm_pairs(&mut self, x: &[Vector3<f64>]) -> bool {
        if !self.options.stiffens() || self.easing || self.start.len() != x.len() {
            return false;
        }
        let onset = self.onset();
        self.detect(x);
        let deep = self.pairs_beyond(FIRM_BEYOND * onset);
        if deep.is_empty() {
            return false;
        }
        let before = self.pairs_beyond_at_start(FIRM_BEYOND * onset);
        let initial = self.initial.get_or_insert_default();
        let unchanged = initial.firm.clone();
        for (pair, depth) in deep {
            let at_start = before.binary_search_by_key(&pair, |entry| entry.0);
            let at_start = at_start.map_or(0.0, |at| before[at].1);
            let target = (TARGET * onset).max(KEPT * at_start);
            if depth > target.max(FIRM_BEYOND * onset) {
                let excess = (depth - onset) / (target - onset);
                initial.multiply_firmness(pair, (excess * excess).min(MAX_FACTOR), MAX_FIRMNESS);
            }
        }
        if initial.firm == unchanged {
            return false;
        }
        self.firm_before = unchanged;
        self.detected_at.clear();
        true
    }

    /// Undoes the last call of [`Self::firm_pairs`] that changed the pressure of a pair.
    pub(super) fn undo_firmness(&mut self) {
        if let Some(initial) = &mut self.initial {
            initial.firm.clone_from(&self.firm_before);
        }
        self.detected_at.clear();
    }

    /// The pairs whose pressure stiffens with a contact beyond the depth `limit` [m], without what was folded or overlapped before.
    fn pairs_beyond(&self, limit: f64) -> PairDepths {
        let onset = self.onset();
        let mut pairs = PairDepths::new();
        for contact in &self.detected.contacts {
            let depth = onset + contact.law.beyond_onset(contact.effective_depth);
            if !(depth > limit) {
                continue;
            }
            let owner = self.owner(contact.probe);
            if self.pressure_of(owner, contact.field) != Pressure::Stiffens {
                continue;
            }
            let pair = pair(owner, contact.field);
            match pairs.binary_search_by_key(&pair, |entry| entry.0) {
                Ok(at) => pairs[at].1 = pairs[at].1.max(depth),
                Err(at) => pairs.insert(at, (pair, depth)),
            }
        }
        pairs
    }

    /// The same at the start of the step, in the pieces of the fields that the contacts are in there.
    fn pairs_beyond_at_start(&mut self, limit: f64) -> PairDepths {
        let (active_set, start) = (std::mem::take(&mut self.active_set), std::mem::take(&mut self.start));
        self.detected_at.clear();
        self.detect(&start);
        let pairs = self.pairs_beyond(limit);
        (self.active_set, self.start) = (active_set, start);
        self.detected_at.clear();
        pairs
    }
}
