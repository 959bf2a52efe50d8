//! Support points of convex shapes.

use nalgebra::Vector3;

/// Support point of a core: a point that is extreme in a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// The point \[m\], frame of the core.
    pub point: Vector3<f64>,
    /// Index of the vertex, for cores that have vertices; the warm start of the next support query.
    pub vertex: u32,
}

/// Start of a support query without a warm start.
pub const START_ANYWHERE: u32 = u32::MAX;
