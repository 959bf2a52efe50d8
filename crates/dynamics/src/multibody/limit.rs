//! A limit of a joint as a row: 0 ≤ λ ⊥ s u − target ≥ 0, s = 1 at a minimum and −1 at a maximum.

/// A joint that may reach a limit within a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Tree, by its place in the problem.
    pub(super) tree: usize,
    /// Velocity of the joint in its tree.
    pub(super) freedom: usize,
    /// Port of the joint.
    pub(super) port: usize,
    /// 1 at a minimum, −1 at a maximum.
    pub(super) sign: f64,
    /// Distance to the limit at the start of the step, negative beyond it [rad or m].
    pub(super) gap: f64,
    /// Response of the joint's velocity to an impulse.
    pub(super) response: f64,
    /// Impulse, along the sign.
    pub(super) impulse: f64,
}
