//! Extreme points of convex shapes.

use nalgebra::Vector3;

/// A point of a core that is extreme in a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// The point [m], frame of the core.
    pub point: Vector3<f64>,
    /// Which vertex it is, where the core has vertices; where to start the search for the next support.
    pub vertex: u32,
}

/// Start of a search for a support of which nothing is known.
pub const START_ANYWHERE: u32 = u32::MAX;
