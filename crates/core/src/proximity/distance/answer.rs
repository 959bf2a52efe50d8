//! Result of a distance query.

use nalgebra::Point3;

/// Separation distance of two models with its witnesses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The distance of the witnesses \[m\]; zero where the models collide.
    pub value: f64,
    /// Proved lower bound of the distance, up to rounding \[m\]: equal to `value` without a tolerance, unless a time budget or the bound on
    /// work was spent.
    pub lower_bound: f64,
    /// A point of A and one of B at this distance [m, world]; the same point where the models collide.
    pub witnesses: [Point3<f64>; 2],
    /// The triangles of A and of B that contain the witnesses; `None` if these are inside a solid.
    pub triangles: Option<[u32; 2]>,
}
