//! Options of convex queries.

/// Bounds of accuracy and work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvexOptions {
    /// Accepted difference of the bounds, relative to the distance.
    pub relative_tolerance: f64,
    /// Maximum number of support evaluations of the pair; beyond it the bounds reached are returned.
    pub max_iterations: u32,
}

impl Default for ConvexOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-9, max_iterations: 1000 }
    }
}
