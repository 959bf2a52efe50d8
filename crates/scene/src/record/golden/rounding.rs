//! How far rounding carries a run away from itself.
//!
//! Many motions magnify rounding: two piles whose steps differ in the last digit lie in different ways after some seconds. What a
//! golden file of such a scene can promise to other machines and compilers is measured by a second run whose steps are longer by
//! a few units in the last place: its distance from the first one, times a margin, is what rounding may do.

use std::collections::BTreeMap;
use std::path::Path;

use crate::record::RecordError;
use crate::record::compare::{Bars, Quantity, States, Tolerances, each_deviation};

/// Length of a step of the second run over that of the first one: four units in the last place.
pub const ROUNDED_STEP: f64 = 1.0 + 4.0 * f64::EPSILON;
/// How much farther than in the one run that was tried rounding may carry a motion.
const MARGIN: f64 = 100.0;
/// Of the margin, what leaves a state worth telling.
const WORTH_TELLING: f64 = 10.0;

/// Largest ratios of what differs between two runs to its tolerance, up to each recorded step.
#[derive(Debug, Clone, Default)]
pub(super) struct Drift {
    steps: Vec<(u64, BTreeMap<Quantity, f64>)>,
}

impl Drift {
    /// The drift between two runs of equal cadence.
    pub(super) fn between(run: &Path, rounded: &Path, bars: &Bars) -> Result<Self, RecordError> {
        let mut greatest = BTreeMap::<Quantity, f64>::new();
        let mut steps = Vec::new();
        for (a, b) in States::open(run)?.zip(States::open(rounded)?) {
            let (a, b) = (a?, b?);
            each_deviation(&a, &b, bars, &mut |deviation| {
                let ratio = greatest.entry(deviation.quantity).or_default();
                *ratio = ratio.max(deviation.ratio());
            });
            steps.push((a.step, greatest.clone()));
        }
        Ok(Self { steps })
    }

    /// The ratios up to a step.
    pub(super) fn at(&self, step: u64) -> BTreeMap<Quantity, f64> {
        let end = self.steps.partition_point(|(at, _)| *at <= step);
        self.steps[..end].last().map_or_else(BTreeMap::new, |(_, ratios)| ratios.clone())
    }

    /// The last step up to which rounding leaves states worth telling.
    pub(super) fn agrees_until(&self) -> Option<u64> {
        let is_near = |(_, ratios): &&(u64, BTreeMap<Quantity, f64>)| {
            let numbers = ratios.iter().filter(|(quantity, _)| **quantity != Quantity::Contacts);
            numbers.into_iter().all(|(_, ratio)| ratio * MARGIN <= WORTH_TELLING)
        };
        self.steps.iter().take_while(is_near).last().map(|(step, _)| *step)
    }
}

/// The widest tolerance that says anything of a quantity: wider ones become infinite.
fn widest(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Presence | Quantity::Inverted => 0.0,
        Quantity::Contacts | Quantity::Energy | Quantity::LinearVelocity | Quantity::AngularVelocity => 0.5,
        Quantity::Rotation | Quantity::Joint => 0.3,
        Quantity::Position | Quantity::Nodes | Quantity::Penetration | Quantity::Volume => 0.1,
    }
}

/// What has to be wider than `before`, which becomes that: `least` times the drift and the margin, rounded up to a power of ten.
pub(super) fn wider(
    before: &mut Tolerances,
    least: &Tolerances,
    drift: &BTreeMap<Quantity, f64>,
) -> BTreeMap<Quantity, f64> {
    let mut wider = BTreeMap::new();
    for (&quantity, ratio) in drift.iter().filter(|(quantity, _)| **quantity != Quantity::Presence) {
        let needed = least.of(quantity) * ratio * MARGIN;
        if !(needed > before.of(quantity)) {
            continue;
        }
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
    fn tolerances_grow_with_the_drift_in_powers_of_ten_until_they_say_nothing() {
        let least = Tolerances::default();
        let mut before = least;
        let drift = |ratio: f64| BTreeMap::from([(Quantity::Position, ratio)]);
        let mut next = |ratio| wider(&mut before, &least, &drift(ratio)).remove(&Quantity::Position);
        assert_eq!(next(0.009), None, "a hundred times that is within the least tolerance");
        assert_eq!(next(0.02), Some(1e-5));
        assert_eq!(next(0.08), None, "that is wide enough");
        assert_eq!(next(900.0), Some(0.1));
        assert_eq!(next(1100.0), Some(f64::INFINITY));
        assert_eq!(next(f64::INFINITY), None);
    }
}
