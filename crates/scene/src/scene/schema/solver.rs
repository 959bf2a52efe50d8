//! Settings of the solver that a scene may replace one by one.

use serde::Deserialize;

/// What replaces single settings of the accuracy; what is missing stays as it is there.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Solver", deny_unknown_fields)]
pub struct SolverEntry {
    /// Substeps of the solver in one step.
    #[serde(default)]
    pub substeps: Option<u32>,
    /// Natural frequency of contacts [Hz].
    #[serde(default)]
    pub contact_frequency: Option<f64>,
    /// Damping ratio of contacts.
    #[serde(default)]
    pub contact_damping: Option<f64>,
    /// Passes of a substep that take out the speed with which positions are corrected.
    #[serde(default)]
    pub relax_passes: Option<u32>,
    /// Approach [m/s] below which nothing bounces.
    #[serde(default)]
    pub least_bounce_speed: Option<f64>,
    /// Whether fast bodies are swept and stopped where they meet something.
    #[serde(default)]
    pub sweeps: Option<bool>,
}
