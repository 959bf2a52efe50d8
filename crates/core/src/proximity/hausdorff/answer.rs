//! Options and result of Hausdorff distance queries.

use std::time::Duration;

use nalgebra::Point3;

/// Options of a Hausdorff distance query: tolerances and limits on the work.
///
/// The search ends as soon as the bounds differ by no more than the maximum of the three tolerances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HausdorffOptions {
    /// Tolerated difference of the bounds, relative to the lower one.
    pub relative_tolerance: f64,
    /// Tolerated difference of the bounds, relative to [`Model::radius`](crate::proximity::Model::radius) of the larger model: it ends the search where
    /// the distance itself is zero, or tiny. Less than the rounding of coordinates is never reached.
    pub size_tolerance: f64,
    /// Tolerated difference of the bounds \[m\].
    pub absolute_tolerance: f64,
    /// Maximum number of distances of points from a model, after which the search returns the bounds that it has.
    pub max_iterations: u64,
    /// Time after which the search returns the bounds that it has: not reproducible.
    pub time_budget: Option<Duration>,
    /// Whether to compute only the directed distance from A to B: the maximum distance of a point of A from B.
    pub one_sided: bool,
    /// Whether to use all threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for HausdorffOptions {
    /// A thousandth of the distance or a millionth of the size, whichever is larger; two million distances, of which two meshes
    /// of tens of thousands of triangles take some thousands; no time budget; in parallel.
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-3,
            size_tolerance: 1e-6,
            absolute_tolerance: 0.0,
            max_iterations: 2_000_000,
            time_budget: None,
            one_sided: false,
            parallel: true,
        }
    }
}

/// One of the two models of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first model.
    A,
    /// The second model.
    B,
}

/// A Hausdorff distance with proved bounds: at least `lower_bound` and at most `upper_bound`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hausdorff {
    /// Distance of the witnesses \[m\]: the maximum deviation found.
    pub value: f64,
    /// Proved lower bound \[m\]: the value less the bound of rounding.
    pub lower_bound: f64,
    /// Proved upper bound \[m\].
    pub upper_bound: f64,
    /// A point of A and one of B [m, world]: the one on [`Hausdorff::farthest_on`] has the distance `value` from the
    /// other model, and the other one is the closest point there.
    pub witnesses: [Point3<f64>; 2],
    /// The triangles of A and of B that contain the witnesses.
    pub triangles: [u32; 2],
    /// The model that contains the point of maximum distance.
    pub farthest_on: Side,
    /// Whether the bounds meet the tolerance, or rounding; if not, the search ended at its iteration limit or its time budget.
    pub converged: bool,
    /// Distances of points from a model that were computed.
    pub evaluations: u64,
}
