//! Acceptance thresholds of a scene: its tolerances in the units of its quantities.

use super::{Quantity, Scales, Tolerances};

/// Difference of the number of contacts that always passes: the points of one manifold.
const MANIFOLD: f64 = 4.0;

/// Acceptance thresholds: largest accepted differences, with units.
#[derive(Debug, Clone)]
pub struct AcceptanceThresholds {
    tolerances: Tolerances,
    scales: Scales,
}

impl AcceptanceThresholds {
    /// Thresholds of a scene.
    #[must_use]
    pub fn new(tolerances: Tolerances, scales: Scales) -> Self {
        Self { tolerances, scales }
    }

    /// Largest accepted difference of a quantity whose expected value is `expected`; only volumes and counts depend on
    /// that. Joints are taken as revolute; see [`Self::joint`].
    #[must_use]
    pub fn of(&self, quantity: Quantity, expected: f64) -> f64 {
        let scales = &self.scales;
        let scale = match quantity {
            Quantity::Presence => return 0.0,
            Quantity::Position | Quantity::Nodes | Quantity::Penetration => scales.length,
            Quantity::Rotation | Quantity::Joint | Quantity::Inverted => 1.0,
            Quantity::LinearVelocity => scales.speed,
            Quantity::AngularVelocity => scales.speed / scales.body,
            Quantity::Volume => expected.abs(),
            Quantity::Energy => scales.energy,
            Quantity::Contacts => {
                return (self.tolerances.of(quantity) * expected).max(self.min_contacts());
            }
        };
        self.tolerances.of(quantity) * scale
    }

    /// Minimum threshold of the number of contacts; zero where the tolerance is zero.
    fn min_contacts(&self) -> f64 {
        if self.tolerances.of(Quantity::Contacts) > 0.0 { MANIFOLD } else { 0.0 }
    }

    /// Whether a joint, as `robot/joint`, is prismatic: its value is a length \[m\] then.
    #[must_use]
    pub fn is_prismatic(&self, joint: &str) -> bool {
        self.scales.sliding.contains(joint)
    }

    /// Largest accepted difference of a joint, as `robot/joint` [rad or m].
    #[must_use]
    pub fn joint(&self, joint: &str) -> f64 {
        let scale = if self.is_prismatic(joint) { self.scales.length } else { 1.0 };
        self.tolerances.of(Quantity::Joint) * scale
    }

    /// The scales.
    #[must_use]
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// The tolerances.
    #[must_use]
    pub fn tolerances(&self) -> &Tolerances {
        &self.tolerances
    }
}
