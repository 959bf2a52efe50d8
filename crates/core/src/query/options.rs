//! Options of queries, in one vocabulary.
//!
//! | name | meaning |
//! |---|---|
//! | `effort` | amount of work, as a bound that is reproducible |
//! | `relative_tolerance` | accepted error relative to the answer |
//! | `absolute_tolerance` | accepted error [m]; the greater of both tolerances counts |
//! | `max_iterations` | bound on the iterations of the algorithm |
//! | `time_budget` | time after which the best answer so far is returned: not reproducible |
//! | `seed` | seed of random starts: the same seed gives the same answer |
//! | `parallel` | use of all threads of the current pool; the answer does not depend on it |

use std::time::Duration;

use super::error::QueryError;
use crate::penetration::{Effort, FreeConfiguration, LowerBound, TranslationalOptions};
use crate::proximity::HausdorffOptions as SearchOptions;

/// Options of [`collide`](super::collide).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CollideOptions {
    /// Distance up to which shapes that are apart count as colliding [m].
    pub clearance: f64,
}

/// Options of [`distance`](super::distance) and [`closest_points`](super::closest_points).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DistanceOptions {
    /// Accepted excess of the answer over the distance, relative to the answer. Of two convex shapes the bounds agree to
    /// 1e-9 whatever is accepted.
    pub relative_tolerance: f64,
    /// Accepted excess of the answer over the distance [m].
    pub absolute_tolerance: f64,
}

/// Options of [`penetration`](super::penetration), [`signed_distance`](super::signed_distance) and
/// [`local_penetrations`](super::local_penetrations).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenetrationOptions {
    /// Amount of work of a search among triangles.
    pub effort: Effort,
    /// The one source of starts of a search among triangles; `None` leaves the choice to the effort.
    pub start: Option<FreeConfiguration>,
    /// Bound on the in-projections of one walk among triangles, and, tenfold, on the supports of convex shapes.
    pub max_iterations: u32,
    /// Amount of work of the lower bound of a search among triangles.
    pub lower_bound: LowerBound,
    /// Accepted difference of the bounds of two convex shapes, relative to the depth.
    pub relative_tolerance: f64,
    /// Time after which the best answer so far is returned; `None` for no such limit.
    pub time_budget: Option<Duration>,
    /// Seed of random starts.
    pub seed: u64,
    /// Use of all threads of the current pool.
    pub parallel: bool,
}

impl Default for PenetrationOptions {
    fn default() -> Self {
        let TranslationalOptions { effort, start, max_iterations, lower_bound, time_budget, seed, parallel } =
            TranslationalOptions::default();
        let relative_tolerance = 1e-9;
        Self { effort, start, max_iterations, lower_bound, relative_tolerance, time_budget, seed, parallel }
    }
}

impl From<&PenetrationOptions> for TranslationalOptions {
    fn from(options: &PenetrationOptions) -> Self {
        let PenetrationOptions { effort, start, max_iterations, lower_bound, .. } = *options;
        let PenetrationOptions { time_budget, seed, parallel, .. } = *options;
        Self { effort, start, max_iterations, lower_bound, time_budget, seed, parallel }
    }
}

/// Options of [`time_of_contact`](super::time_of_contact).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOfContactOptions {
    /// Gap that counts as contact, relative to the radius of the smaller shape.
    pub relative_tolerance: f64,
    /// Gap that counts as contact [m]; the greater of both counts.
    pub absolute_tolerance: f64,
    /// Advancement steps after which the query gives up.
    pub max_iterations: u64,
}

impl Default for TimeOfContactOptions {
    /// A millionth of the smaller shape, and steps for seconds of work.
    fn default() -> Self {
        Self { relative_tolerance: 1e-6, absolute_tolerance: 0.0, max_iterations: 10_000_000 }
    }
}

/// Options of [`hausdorff`](super::hausdorff).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HausdorffOptions {
    /// Accepted difference of the bounds, relative to the lower one.
    pub relative_tolerance: f64,
    /// Accepted difference of the bounds [m].
    pub absolute_tolerance: f64,
    /// Accepted difference of the bounds, relative to the radius of the greater shape: it ends the search where the
    /// distance is zero.
    pub size_tolerance: f64,
    /// Distances of points from a model after which the search returns what it has.
    pub max_iterations: u64,
    /// Only the deviation of A from B: the greatest distance of a point of A from B.
    pub one_sided: bool,
    /// Use of all threads of the current pool.
    pub parallel: bool,
}

impl Default for HausdorffOptions {
    fn default() -> Self {
        let SearchOptions {
            relative_tolerance,
            size_tolerance,
            absolute_tolerance,
            max_iterations,
            parallel,
        } = SearchOptions::default();
        Self {
            relative_tolerance,
            absolute_tolerance,
            size_tolerance,
            max_iterations,
            one_sided: false,
            parallel,
        }
    }
}

impl From<&HausdorffOptions> for SearchOptions {
    fn from(options: &HausdorffOptions) -> Self {
        let HausdorffOptions {
            relative_tolerance,
            absolute_tolerance,
            size_tolerance,
            max_iterations,
            parallel,
            ..
        } = *options;
        Self { relative_tolerance, size_tolerance, absolute_tolerance, max_iterations, parallel }
    }
}

/// Options of [`spanning`](super::spanning).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanningOptions {
    /// Accepted difference of the bounds where a cylinder or a cone takes part, relative to the distance; all other pairs
    /// are exact. At least 1e-7.
    pub relative_tolerance: f64,
}

impl Default for SpanningOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-5 }
    }
}

/// Refuses an option that is negative or not a number.
pub(super) fn at_least_zero(option: &'static str, value: f64) -> Result<(), QueryError> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(QueryError::Option { option, value, accepted: "a number of at least zero" })
}
