//! Tolerances of a scene in the units of its quantities.

use super::{Quantity, Scales, Tolerances};

/// Contacts more or less that always pass: those of one manifold.
const MANIFOLD: f64 = 4.0;

/// Largest differences that pass, with units.
#[derive(Debug, Clone)]
pub struct Bars {
    tolerances: Tolerances,
    scales: Scales,
}

impl Bars {
    /// Those of a scene.
    #[must_use]
    pub fn new(tolerances: Tolerances, scales: Scales) -> Self {
        Self { tolerances, scales }
    }

    /// Largest difference that passes for a quantity whose expected value is `expected`; only volumes and numbers depend on
    /// that. Joints turn; see [`Self::joint`].
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
                return (self.tolerances.of(quantity) * expected).max(self.least_contacts());
            }
        };
        self.tolerances.of(quantity) * scale
    }

    /// Nothing is tolerated where the tolerance is zero.
    fn least_contacts(&self) -> f64 {
        if self.tolerances.of(Quantity::Contacts) > 0.0 { MANIFOLD } else { 0.0 }
    }

    /// Whether a joint, as `robot/joint`, slides: its value is a length [m] then.
    #[must_use]
    pub fn slides(&self, joint: &str) -> bool {
        self.scales.sliding.contains(joint)
    }

    /// Largest difference that passes for a joint, as `robot/joint` [rad or m].
    #[must_use]
    pub fn joint(&self, joint: &str) -> f64 {
        let scale = if self.slides(joint) { self.scales.length } else { 1.0 };
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
