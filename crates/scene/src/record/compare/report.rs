//! Result of the comparison of two runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::series::Series;
use super::state::Field;
use super::{AcceptanceThresholds, Deviation, Quantity, each_deviation};
use crate::state::WorldState;

/// A field of a state that deviates from its expected value, or the one that deviates most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// The step.
    pub step: u64,
    /// Time of the step \[s\].
    pub time: f64,
    /// Name of the body, soft body or robot; null for fields of the whole scene.
    pub body: Option<String>,
    /// Name of the field.
    pub field: String,
    /// Quantity of the field.
    pub quantity: Quantity,
    /// Expected value.
    #[schemars(with = "Vec<Option<f64>>")]
    pub expected: Vec<f64>,
    /// Measured value.
    #[schemars(with = "Vec<Option<f64>>")]
    pub measured: Vec<f64>,
    /// Difference, in the unit of the quantity.
    #[schemars(with = "Option<f64>")]
    pub difference: f64,
    /// Largest accepted difference.
    #[schemars(with = "Option<f64>")]
    pub tolerance: f64,
}

impl Difference {
    fn of(deviation: &Deviation) -> Self {
        let field = match deviation.field {
            Field::Named(name) => name.to_owned(),
            Field::Joint(name) => format!("joint {name}"),
        };
        Self {
            step: deviation.step,
            time: deviation.time,
            body: Some(deviation.body).filter(|name| !name.is_empty()).map(str::to_owned),
            field,
            quantity: deviation.quantity,
            expected: deviation.expected.to_vec(),
            measured: deviation.measured.to_vec(),
            difference: deviation.difference,
            tolerance: deviation.tolerance,
        }
    }
}

/// First state that is not equal bit for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BitDifference {
    /// The first step whose hash differs.
    pub step: u64,
    /// Last step before it whose hash is equal, if any was compared.
    pub after: Option<u64>,
}

/// Result of a comparison.
#[derive(Debug, Clone, Default)]
pub struct ComparisonReport {
    /// Number of states that were compared.
    pub states: u64,
    /// Number of states of which some field was beyond its tolerance.
    pub states_beyond: u64,
    /// Differences of the first such state: fields of bodies, farthest beyond their tolerance first, then fields of the whole
    /// scene.
    pub first: Vec<Difference>,
    /// Last state before it, which agrees; none where the first compared state differs.
    pub agrees_until: Option<u64>,
    /// Of every quantity the field that deviates most, relative to its tolerance.
    pub worst: BTreeMap<Quantity, Difference>,
    /// First state that is not equal bit for bit; none where all are.
    pub bits: Option<BitDifference>,
    /// Last step whose hash was equal, while all were.
    equal_bits: Option<u64>,
    /// Last step that agreed, while all did.
    agreed: Option<u64>,
    worst_ratios: BTreeMap<Quantity, f64>,
    by_quantity: BTreeMap<Quantity, Series>,
    by_body: BTreeMap<String, Series>,
}

/// Maximum number of reported differences of the first state.
const MAX_REPORTED: usize = 8;

impl ComparisonReport {
    /// Takes two states of one step into account.
    pub fn add(&mut self, expected: &WorldState, measured: &WorldState, thresholds: &AcceptanceThresholds) {
        self.add_with(expected, measured, thresholds, &[]);
    }

    /// The same with further deviations of that step.
    pub(in crate::record) fn add_with(
        &mut self,
        expected: &WorldState,
        measured: &WorldState,
        thresholds: &AcceptanceThresholds,
        further: &[Deviation],
    ) {
        let mut beyond = Vec::new();
        let mut visit = |deviation: &Deviation| self.follow(deviation, &mut beyond);
        each_deviation(expected, measured, thresholds, &mut visit);
        further.iter().for_each(&mut visit);
        self.states += 1;
        self.add_hash(measured.step, expected.hash == measured.hash);
        self.close(measured.step, beyond);
    }

    /// Takes into account whether the hashes of a step are equal. Steps come in their order.
    pub fn add_hash(&mut self, step: u64, equal: bool) {
        if !equal && self.bits.is_none() {
            self.bits = Some(BitDifference { step, after: self.equal_bits });
        } else if self.bits.is_none() {
            self.equal_bits = Some(step);
        }
    }

    /// Takes deviations of the whole run into account.
    pub(in crate::record) fn add_final(&mut self, deviations: &[Deviation]) {
        let mut beyond = Vec::new();
        deviations.iter().for_each(|deviation| self.follow(deviation, &mut beyond));
        if let Some(step) = deviations.first().map(|deviation| deviation.step) {
            self.close(step, beyond);
        }
    }

    fn follow(&mut self, deviation: &Deviation, beyond: &mut Vec<(f64, Difference)>) {
        let ratio = deviation.ratio();
        let quantity = deviation.quantity;
        self.by_quantity.entry(quantity).or_default().add(deviation.time, ratio);
        match self.by_body.get_mut(deviation.body) {
            Some(series) => series.add(deviation.time, ratio),
            None if deviation.body.is_empty() => {}
            None => self.by_body.entry(deviation.body.to_owned()).or_default().add(deviation.time, ratio),
        }
        if self.worst_ratios.get(&quantity).is_none_or(|worst| ratio > *worst) {
            self.worst_ratios.insert(quantity, ratio);
            self.worst.insert(quantity, Difference::of(deviation));
        }
        // Of later states one entry suffices, to count the state. The comparison is negated so that NaN fails.
        if !(ratio <= 1.0) && (self.first.is_empty() || beyond.is_empty()) {
            beyond.push((ratio, Difference::of(deviation)));
        }
    }

    /// Ends a state of which the fields `beyond` exceed their tolerance.
    fn close(&mut self, step: u64, mut beyond: Vec<(f64, Difference)>) {
        if beyond.is_empty() {
            if self.first.is_empty() {
                self.agreed = Some(step);
            }
            return;
        }
        self.states_beyond += 1;
        if self.first.is_empty() {
            // Fields of the whole scene follow from those of its bodies, and come last.
            let is_whole = |difference: &Difference| difference.body.is_none();
            beyond.sort_by(|a, b| is_whole(&a.1).cmp(&is_whole(&b.1)).then_with(|| b.0.total_cmp(&a.0)));
            beyond.truncate(MAX_REPORTED);
            self.first = beyond.into_iter().map(|(_, difference)| difference).collect();
            self.agrees_until = self.agreed;
        }
    }

    /// Whether everything was within its tolerance.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.first.is_empty()
    }

    /// Whether all states that were compared are equal bit for bit.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.bits.is_none()
    }

    /// Ratio of difference to tolerance by quantity, as plotted.
    pub(super) fn quantities(&self) -> impl Iterator<Item = (Quantity, &Series)> {
        self.by_quantity.iter().map(|(quantity, series)| (*quantity, series))
    }

    /// The same by body, the largest over all its quantities.
    pub(super) fn bodies(&self) -> impl Iterator<Item = (&str, &Series)> {
        self.by_body.iter().map(|(name, series)| (name.as_str(), series))
    }
}
