//! Substeps of the solver: those of the accuracy, and more while a loaded contact sinks in.
//!
//! A light body under heavy ones is pressed in by their load over its own mass and the square of the frequency of contacts, and by what one pass
//! over the contacts of a substep does not carry through a heap. Both fall steeply with more substeps, with which contacts become stiffer: a foil of 29 g
//! under some kilograms sinks by 0.54 mm at six substeps of a step of 1/480 s, and by 0.01 mm at twelve. So where an overlap that is not being
//! [resolved by position](super::depenetration) stays deep, the substeps are doubled, and halved again after a time in which all are shallow; each return
//! makes that time longer, so that a heap which needs them keeps them. Robots are solved without substeps. Settings that are given explicitly remain.

use rapier3d::dynamics::IntegrationParameters;
use serde::{Deserialize, Serialize};

use crate::options::WorldOptions;

/// Overlap, as a fraction of the size of the smaller body, that is deep for a contact at rest.
const DEEP: f64 = 5e-4;
/// Time \[s\] for which an overlap stays deep before substeps are doubled: impacts are shorter.
const PERSISTENCE: f64 = 0.1;
/// Time \[s\] with shallow overlaps only after which fewer substeps are tried for the first time.
const CALM: f64 = 0.5;
/// Maximum factor on the substeps: 4 leaves a foil of 29 g under the edge of 5 kg above 1e-3 at `preview` (docs/sensitivity.md).
const MAX_FACTOR: u32 = 8;
/// Maximum factor on [`CALM`]: half a minute.
const MAX_CALM: u32 = 64;

/// Substeps of a world, relative to those of its accuracy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refinement {
    /// Factor on the substeps and on the frequency of contacts.
    factor: u32,
    /// Factor on the time after which fewer are tried.
    patience: u32,
    /// Time for which an overlap has been deep, and for which all have been shallow [s].
    deep: f64,
    calm: f64,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { factor: 1, patience: 1, deep: 0.0, calm: 0.0 }
    }
}

impl Refinement {
    /// Overlap, as a fraction of the size, below which fewer substeps are tried: half of them sink in four to some forty times deeper.
    pub(crate) const SHALLOW: f64 = DEEP / 16.0;

    /// Factor on the substeps.
    pub(crate) fn factor(&self) -> u32 {
        self.factor
    }

    /// The state of a checkpoint, which could be forged, within its bounds.
    pub(crate) fn bounded(self) -> Self {
        let patience = self.patience.clamp(1, MAX_CALM);
        Self { factor: self.factor.clamp(1, MAX_FACTOR), patience, ..self }
    }

    /// Takes note of the deepest overlap of a step, as a fraction of the size of the smaller body.
    pub(crate) fn update(&mut self, overlap: f64, options: &WorldOptions) {
        let given = options.solver;
        if given.substeps.is_some() || given.contact_frequency.is_some() {
            return;
        }
        let step = options.time_step;
        self.deep = if overlap > DEEP { self.deep + step } else { 0.0 };
        self.calm = if overlap < Self::SHALLOW { self.calm + step } else { 0.0 };
        if self.deep > PERSISTENCE && self.factor < MAX_FACTOR {
            self.factor *= 2;
            (self.deep, self.calm) = (0.0, 0.0);
        } else if self.factor > 1 && self.calm > CALM * f64::from(self.patience) {
            self.factor /= 2;
            self.patience = (2 * self.patience).min(MAX_CALM);
            (self.deep, self.calm) = (0.0, 0.0);
        }
    }

    /// The parameters of rapier's step, refined from those of the accuracy.
    pub(crate) fn apply(&self, parameters: &mut IntegrationParameters) {
        parameters.num_solver_iterations *= self.factor as usize;
        for softness in [&mut parameters.contact_softness, &mut parameters.static_contact_softness] {
            softness.natural_frequency *= f64::from(self.factor);
        }
    }
}
