//! Constraints of a repair with their errors.

use schemars::JsonSchema;
use serde::Serialize;

use super::text::number;
use crate::repair::Repair;
use extricate_core::penetration::generalized::ConstraintError;

/// A constraint of a repair with its error.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ConstraintResponse {
    /// Its name: that of the joint that closes a loop, or what was to be kept.
    pub name: String,
    /// Error of positions \[m\].
    #[schemars(range(min = 0.0))]
    pub length: f64,
    /// Error of rotations \[rad\].
    #[schemars(range(min = 0.0))]
    pub angle: f64,
}

impl ConstraintResponse {
    /// The constraints of a repair; none where nothing was repaired.
    pub(super) fn of(repair: Option<&Repair>) -> Vec<Self> {
        let own = |error: &ConstraintError| Self {
            name: error.name.clone(),
            length: error.length,
            angle: error.angle,
        };
        repair.map(|repair| repair.constraints.iter().map(own).collect()).unwrap_or_default()
    }
}

/// The number of constraints and their maximum errors; none without constraints.
pub(super) fn text(constraints: &[ConstraintResponse]) -> Option<String> {
    let max = |of: fn(&ConstraintResponse) -> f64| constraints.iter().map(of).fold(0.0, f64::max);
    let errors = [max(|own| own.length), max(|own| own.angle)].map(number);
    let count = constraints.len();
    (count > 0).then(|| format!("{count} kept to {} m and {} rad", errors[0], errors[1]))
}
