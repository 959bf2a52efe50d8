//! Extremes over all steps of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Summary;
use crate::record::compare::{AcceptanceThresholds, Quantity};

/// An extreme over all steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Worst penetration of the recorded states, relative to the size of the smaller body.
    WorstPenetration,
    /// Deepest contact of rigid bodies \[m\].
    DeepestContact,
    /// Deepest contact of soft bodies \[m\].
    DeepestSoftContact,
    /// Largest rise of the energy above the start, relative to its scale.
    EnergyGain,
    /// Maximum speed of a centre of mass [m/s].
    #[serde(rename = "greatest_speed")]
    MaxSpeed,
    /// Maximum change of the volume of a soft body, relative to that at rest.
    VolumeDrift,
}

impl Bound {
    /// All bounds, in the order in which they are written.
    pub const ALL: [Self; 6] = [
        Self::WorstPenetration,
        Self::DeepestContact,
        Self::DeepestSoftContact,
        Self::EnergyGain,
        Self::MaxSpeed,
        Self::VolumeDrift,
    ];

    /// Name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WorstPenetration => "worst_penetration",
            Self::DeepestContact => "deepest_contact",
            Self::DeepestSoftContact => "deepest_soft_contact",
            Self::EnergyGain => "energy_gain",
            Self::MaxSpeed => "greatest_speed",
            Self::VolumeDrift => "volume_drift",
        }
    }

    /// Quantity of the bound, and its largest accepted difference: the threshold of that quantity, over the same reference where the bound
    /// is a ratio.
    pub(super) fn tolerance(self, thresholds: &AcceptanceThresholds) -> (Quantity, f64) {
        let tolerances = thresholds.tolerances();
        match self {
            Self::WorstPenetration => {
                (Quantity::Penetration, thresholds.of(Quantity::Penetration, 0.0) / thresholds.scales().body)
            }
            Self::DeepestContact | Self::DeepestSoftContact => {
                (Quantity::Penetration, thresholds.of(Quantity::Penetration, 0.0))
            }
            Self::EnergyGain => (Quantity::Energy, tolerances.of(Quantity::Energy)),
            Self::MaxSpeed => (Quantity::LinearVelocity, thresholds.of(Quantity::LinearVelocity, 0.0)),
            Self::VolumeDrift => (Quantity::Volume, tolerances.of(Quantity::Volume)),
        }
    }

    /// The bounds of a run.
    pub(super) fn of(summary: &Summary) -> BTreeMap<Self, f64> {
        let mut bounds = BTreeMap::from([
            (Self::WorstPenetration, summary.worst_penetration.relative),
            (Self::EnergyGain, summary.energy.gain),
        ]);
        bounds.extend(summary.deepest_contact.as_ref().map(|contact| (Self::DeepestContact, contact.depth)));
        bounds.extend(summary.max_speed.as_ref().map(|max| (Self::MaxSpeed, max.speed)));
        if let Some(soft) = &summary.soft {
            let deepest = soft.deepest_contact.as_ref();
            bounds.extend(deepest.map(|contact| (Self::DeepestSoftContact, contact.depth)));
            let drift = soft.bodies.values().map(|body| body.volume_drift).fold(0.0, f64::max);
            bounds.insert(Self::VolumeDrift, drift);
        }
        bounds
    }
}
