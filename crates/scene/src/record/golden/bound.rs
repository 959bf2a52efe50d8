//! Extremes over all steps of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::Summary;
use crate::record::compare::{Bars, Quantity};

/// An extreme over all steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Worst penetration of the recorded states over the size of the smaller body.
    WorstPenetration,
    /// Deepest contact of rigid bodies [m].
    DeepestContact,
    /// Deepest contact of soft bodies [m].
    DeepestSoftContact,
    /// Largest rise of the energy above the start, over its scale.
    EnergyGain,
    /// Greatest speed of a centre of mass [m/s].
    GreatestSpeed,
    /// Greatest change of the volume of a soft body, over that at rest.
    VolumeDrift,
}

impl Bound {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 6] = [
        Self::WorstPenetration,
        Self::DeepestContact,
        Self::DeepestSoftContact,
        Self::EnergyGain,
        Self::GreatestSpeed,
        Self::VolumeDrift,
    ];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WorstPenetration => "worst_penetration",
            Self::DeepestContact => "deepest_contact",
            Self::DeepestSoftContact => "deepest_soft_contact",
            Self::EnergyGain => "energy_gain",
            Self::GreatestSpeed => "greatest_speed",
            Self::VolumeDrift => "volume_drift",
        }
    }

    /// What it is a bound of, and how far it may be from what is expected: the tolerance of that quantity, where the bound is
    /// a share over what it is a share of.
    pub(super) fn tolerance(self, bars: &Bars) -> (Quantity, f64) {
        let tolerances = bars.tolerances();
        match self {
            Self::WorstPenetration => {
                (Quantity::Penetration, bars.of(Quantity::Penetration, 0.0) / bars.scales().body)
            }
            Self::DeepestContact | Self::DeepestSoftContact => {
                (Quantity::Penetration, bars.of(Quantity::Penetration, 0.0))
            }
            Self::EnergyGain => (Quantity::Energy, tolerances.of(Quantity::Energy)),
            Self::GreatestSpeed => (Quantity::LinearVelocity, bars.of(Quantity::LinearVelocity, 0.0)),
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
        bounds.extend(summary.greatest_speed.as_ref().map(|greatest| (Self::GreatestSpeed, greatest.speed)));
        if let Some(soft) = &summary.soft {
            let deepest = soft.deepest_contact.as_ref();
            bounds.extend(deepest.map(|contact| (Self::DeepestSoftContact, contact.depth)));
            let drift = soft.bodies.values().map(|body| body.volume_drift).fold(0.0, f64::max);
            bounds.insert(Self::VolumeDrift, drift);
        }
        bounds
    }
}
