//! Couplings of joints.

/// A joint that follows another: q_follower = factor · q_leader + offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Coupling {
    /// Places of the coordinates, follower first.
    pub(crate) q: [usize; 2],
    /// Places of the velocities.
    pub(crate) v: [usize; 2],
    pub(crate) factor: f64,
    pub(crate) offset: f64,
}
