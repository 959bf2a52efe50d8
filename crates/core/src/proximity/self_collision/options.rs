//! Options of self-collision queries.

/// Options of a self-collision query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelfCollisionOptions {
    /// Whether triangles collide that touch without crossing, beyond the corners that they share.
    pub touching: bool,
    /// Whether to use all threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for SelfCollisionOptions {
    /// Touching counts, as it does between models; in parallel.
    fn default() -> Self {
        Self { touching: true, parallel: true }
    }
}
