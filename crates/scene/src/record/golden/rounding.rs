//! Sensitivity of a run to rounding.
//!
//! Many motions magnify rounding errors: two piles whose steps differ in the last digit lie differently after some seconds. The precision
//! that a golden file of such a scene can promise to other machines and compilers is measured by a second run whose steps are longer by
//! a few units in the last place: its distance from the first one, times a margin, bounds the effect of rounding.

use std::collections::BTreeMap;
use std::path::Path;

use crate::record::RecordError;
use crate::record::compare::{AcceptanceThresholds, Quantity, States, Tolerances, each_deviation};

/// Length of a step of the second run over that of the first one: four units in the last place above one.
pub const PERTURBED_STEP: f64 = 1.0 + 4.0 * f64::EPSILON;
/// Safety factor on the drift of the one perturbed run. A smaller one makes files that may fail on other machines, a larger one files that
/// detect fewer changes.
const MARGIN: f64 = 100.0;
/// Drift times margin, relative to the tolerances, up to which a state is worth recording.
const MAX_WIDENING: f64 = 10.0;

/// Largest ratios of the differences between two runs to their tolerances, up to each recorded step.
#[derive(Debug, Clone, Default)]
pub(super) struct Drift {
    steps: Vec<(u64, BTreeMap<Quantity, f64>)>,
}

impl Drift {
    /// The drift between two runs of equal cadence.
    pub(super) fn between(
        run: &Path,
        perturbed: &Path,
        thresholds: &AcceptanceThresholds,
    ) -> Result<Self, RecordError> {
        let mut max = BTreeMap::<Quantity, f64>::new();
        let mut steps = Vec::new();
        for (a, b) in States::open(run)?.zip(States::open(perturbed)?) {
            let (a, b) = (a?, b?);
            each_deviation(&a, &b, thresholds, &mut |deviation| {
                let ratio = max.entry(deviation.quantity).or_default();
                *ratio = ratio.max(deviation.ratio());
            });
            steps.push((a.step, max.clone()));
        }
        Ok(Self { steps })
    }

    /// The ratios up to a step.
    pub(super) fn at(&self, step: u64) -> BTreeMap<Quantity, f64> {
        let end = self.steps.partition_point(|(at, _)| *at <= step);
        self.steps[..end].last().map_or_else(BTreeMap::new, |(_, ratios)| ratios.clone())
    }

    /// Last step up to which the drift leaves states worth recording.
    pub(super) fn agrees_until(&self) -> Option<u64> {
        let is_near = |(_, ratios): &&(u64, BTreeMap<Quantity, f64>)| {
            // The number of contacts jumps at the smallest change, and says nothing of the motion.
            let numbers = ratios.iter().filter(|(quantity, _)| **quantity != Quantity::Contacts);
            numbers.into_iter().all(|(_, ratio)| ratio * MARGIN <= MAX_WIDENING)
        };
        self.steps.iter().take_while(is_near).last().map(|(step, _)| *step)
    }
}

/// Widest tolerance of a quantity that still means something: wider ones become infinite.
fn widest(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Presence | Quantity::Inverted => 0.0,
        Quantity::Contacts | Quantity::Energy | Quantity::LinearVelocity | Quantity::AngularVelocity => 0.5,
        Quantity::Rotation | Quantity::Joint => 0.3,
        Quantity::Position | Quantity::Nodes | Quantity::Penetration | Quantity::Volume => 0.1,
    }
}

/// Tolerances that must be wider than `before`, which is updated: `min` times the drift and the margin, rounded up to a power of ten.
pub(super) fn wider(
    before: &mut Tolerances,
    min: &Tolerances,
    drift: &BTreeMap<Quantity, f64>,
) -> BTreeMap<Quantity, f64> {
    let mut wider = BTreeMap::new();
    for (&quantity, ratio) in drift.iter().filter(|(quantity, _)| **quantity != Quantity::Presence) {
        let needed = min.of(quantity) * ratio * MARGIN;
        // Tolerances only widen along a run; NaN leaves them.
        if !(needed > before.of(quantity)) {
            continue;
        }
        // Parsing gives the number nearest to the power of ten, which `powi` may miss in the last place.
        let rounded: f64 = format!("1e{}", needed.log10().ceil()).parse().unwrap_or(f64::INFINITY);
        let tolerance = if rounded <= widest(quantity) { rounded } else { f64::INFINITY };
        *before = before.with(quantity, tolerance);
        wider.insert(quantity, tolerance);
    }
    wider
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_grow_with_the_drift_in_powers_of_ten_until_they_become_infinite() {
        let min = Tolerances::default();
        let mut before = min;
        let drift = |ratio: f64| BTreeMap::from([(Quantity::Position, ratio)]);
        let mut next = |ratio| wider(&mut before, &min, &drift(ratio)).remove(&Quantity::Position);
        assert_eq!(next(0.009), None, "a hundred times that is within the minimum tolerance");
        assert_eq!(next(0.02), Some(1e-5));
        assert_eq!(next(0.08), None, "that is wide enough");
        assert_eq!(next(900.0), Some(0.1));
        assert_eq!(next(1100.0), Some(f64::INFINITY));
        assert_eq!(next(f64::INFINITY), None);
    }
}
