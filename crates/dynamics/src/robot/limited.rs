//! Limits of joints.

/// Distance beyond a limit [rad or m] above which what led a joint there is done again: contacts without the limit's row, or a motion back within a
/// step. The spring of limits takes twenty steps to bring the joint back.
pub(crate) const PASSED: f64 = 1e-4;

/// Limits of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limited {
    pub(crate) q: usize,
    pub(crate) v: usize,
    /// Minimum and maximum [rad or m].
    pub(crate) limits: [f64; 2],
}

impl Limited {
    /// Distance beyond its limits at a value, zero within them [rad or m].
    pub(crate) fn distance_beyond(&self, value: f64) -> f64 {
        let [lower, upper] = self.limits;
        (lower - value).max(value - upper).max(0.0)
    }
}
