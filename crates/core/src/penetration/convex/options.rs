//! Options of convex queries.

/// Bounds of accuracy and work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvexOptions {
    /// The bounds shall agree to this share of the distance.
    pub relative_tolerance: f64,
    /// Greatest number of supports of the pair that are computed; beyond it the bounds reached are returned.
    pub max_iterations: u32,
}

impl Default for ConvexOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-9, max_iterations: 1000 }
    }
}
