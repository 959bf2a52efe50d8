//! Overrides of single solver settings, and sleep of bodies at rest.

use serde::Deserialize;

/// Overrides of single settings of the accuracy; missing ones keep the values of the accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Solver", deny_unknown_fields)]
pub struct SolverEntry {
    /// Substeps of the solver in one step.
    #[serde(default)]
    pub substeps: Option<u32>,
    /// Natural frequency of contacts \[Hz\].
    #[serde(default)]
    pub contact_frequency: Option<f64>,
    /// Damping ratio of contacts.
    #[serde(default)]
    pub contact_damping: Option<f64>,
    /// Relaxation passes of a substep, which remove the velocity of position correction.
    #[serde(default)]
    pub relax_passes: Option<u32>,
    /// Approach speed [m/s] below which restitution is not applied.
    #[serde(default, alias = "least_bounce_speed")]
    pub min_bounce_speed: Option<f64>,
    /// Whether continuous collision detection stops fast bodies where they meet something.
    #[serde(default, alias = "sweeps")]
    pub ccd: Option<bool>,
}

/// Sleep of bodies at rest, which are then left out of all computation until something wakes them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename = "Sleep", deny_unknown_fields)]
pub struct SleepEntry {
    /// Maximum mean speed of the points of a body at rest, in its bounding radii per second.
    #[serde(default)]
    pub speed: Option<f64>,
    /// Time at rest after which connected bodies fall asleep \[s\].
    #[serde(default)]
    pub time: Option<f64>,
}
