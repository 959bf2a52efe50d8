//! Options, answers and errors of Hausdorff distances.

use nalgebra::Point3;

/// How exactly a Hausdorff distance is found, and with how much work.
///
/// The search ends as soon as the bounds differ by no more than the greatest of the three errors allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HausdorffOptions {
    /// Difference of the bounds that is allowed, relative to the lower one.
    pub relative_tolerance: f64,
    /// Difference of the bounds that is allowed, relative to [`Model::radius`] of the greater model: what ends the
    /// search where the distance itself is zero, or tiny. Less than the rounding of coordinates is never reached.
    pub size_tolerance: f64,
    /// Difference of the bounds that is allowed [m].
    pub absolute_tolerance: f64,
    /// Distances of points from a model after which the search gives what it has.
    pub max_iterations: u64,
    /// Whether to work with all threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for HausdorffOptions {
    /// One part in a thousand of the distance or one in a million of the size, whichever is greater; a hundred
    /// million distances; in parallel.
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-3,
            size_tolerance: 1e-6,
            absolute_tolerance: 0.0,
            max_iterations: 100_000_000,
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

/// A Hausdorff distance: it is at least `lower_bound` and at most `upper_bound`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hausdorff {
    /// How far the witnesses are apart [m]: the greatest deviation found.
    pub value: f64,
    /// Proved lower bound [m]: the value less what rounding may amount to.
    pub lower_bound: f64,
    /// Proved upper bound [m].
    pub upper_bound: f64,
    /// A point of A and one of B [m, world]: the one of [`Hausdorff::farthest_on`] is as far from the other model as the
    /// value says, and the other one is the closest point there.
    pub witnesses: [Point3<f64>; 2],
    /// The triangles of A and of B that hold the witnesses.
    pub triangles: [u32; 2],
    /// The model that holds the point which is far from the other model.
    pub farthest_on: Side,
    /// Whether the bounds are as close as was asked for, or as rounding allows; if not, the search ended at its bound on
    /// work.
    pub converged: bool,
    /// Distances of points from a model that were computed.
    pub evaluations: u64,
}
