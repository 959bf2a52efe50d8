//! Carriers of constraints, and frames on them.

use nalgebra::Isometry3;

/// Carrier of a frame of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintEnd {
    /// The world.
    World,
    /// A link of a movable model, both counted from 0.
    Link {
        /// The movable model.
        movable: usize,
        /// The link in its articulation.
        link: usize,
    },
}

/// A frame of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintFrame {
    /// Its carrier.
    pub end: ConstraintEnd,
    /// The frame in that of its carrier: frame → link, or frame → world.
    pub frame: Isometry3<f64>,
}
