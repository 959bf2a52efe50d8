//! Options of queries, in one vocabulary.
//!
//! | name | meaning |
//! |---|---|
//! | `effort` | amount of work, as a bound that is reproducible |
//! | `relative_tolerance` | accepted error relative to the result |
//! | `absolute_tolerance` | accepted error \[m\]; the larger of both tolerances counts |
//! | `max_iterations` | bound on the iterations of the algorithm |
//! | `time_budget` | time after which the best result so far is returned: not reproducible |
//! | `seed` | seed of random starts: the same seed gives the same result |
//! | `parallel` | use of all threads of the current pool; the result does not depend on it |

use std::time::Duration;

use nalgebra::Point3;

use super::error::QueryError;
use crate::penetration::convex::ConvexOptions;
use crate::proximity::ContinuousOptions;

pub use crate::penetration::TranslationalOptions as PenetrationOptions;
pub use crate::proximity::{DistanceOptions, HausdorffOptions};

/// Options of [`collide`](super::collide).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CollideOptions {
    /// Distance up to which shapes that are apart count as colliding \[m\].
    pub clearance: f64,
    /// Time after which a query with meshes ends with
    /// [`ProximityError::OutOfTime`](crate::proximity::ProximityError::OutOfTime): not reproducible. It replaces the default bound on
    /// the work of two meshes, which ends them with [`ProximityError::OutOfWork`](crate::proximity::ProximityError::OutOfWork).
    pub time_budget: Option<Duration>,
}

/// Options of [`time_of_contact`](super::time_of_contact).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOfContactOptions {
    /// Gap that counts as contact, relative to the radius of the smaller shape.
    pub relative_tolerance: f64,
    /// Gap that counts as contact \[m\]; the larger of both counts.
    pub absolute_tolerance: f64,
    /// Advancement steps after which the query gives up: tests of pairs of boxes of two meshes. A distance of other shapes
    /// counts as 64 of them.
    pub max_iterations: u64,
    /// Time after which the query gives up: not reproducible.
    pub time_budget: Option<Duration>,
}

impl Default for TimeOfContactOptions {
    /// A millionth of the smaller shape, and steps for about a second of work; no time budget.
    fn default() -> Self {
        let ContinuousOptions { relative_tolerance, max_iterations, time_budget } =
            ContinuousOptions::default();
        Self { relative_tolerance, absolute_tolerance: 0.0, max_iterations, time_budget }
    }
}

/// Options of [`spanning`](super::spanning).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanningOptions {
    /// Accepted difference of the bounds where a cylinder or a cone is involved, relative to the distance; all other pairs
    /// are exact. At least 1e-7.
    pub relative_tolerance: f64,
}

impl Default for SpanningOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-5 }
    }
}

/// Options of [`growth_distance`](super::growth_distance).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrowthDistanceOptions {
    /// The points about which A and B are scaled \[m, frame of the shape\], each in its shape; `None` for the centre: the origin of
    /// its frame, or the centre of a hull.
    pub seeds: [Option<Point3<f64>>; 2],
    /// Accepted difference of the bounds, relative to the distance.
    pub relative_tolerance: f64,
    /// Maximum number of iterations of each signed distance; they may take ten times as many support evaluations.
    pub max_iterations: u32,
}

impl Default for GrowthDistanceOptions {
    /// The centres, and the bounds of penetration depths.
    fn default() -> Self {
        let PenetrationOptions { relative_tolerance, max_iterations, .. } = PenetrationOptions::default();
        Self { seeds: [None; 2], relative_tolerance, max_iterations }
    }
}

/// The convex options that correspond to those of a penetration.
pub(super) fn convex(options: &PenetrationOptions) -> ConvexOptions {
    let PenetrationOptions { relative_tolerance, max_iterations, .. } = *options;
    ConvexOptions { relative_tolerance, max_iterations: max_iterations.saturating_mul(10) }
}

/// Rejects an option that is negative or not a number.
pub(super) fn require_non_negative(option: &'static str, value: f64) -> Result<(), QueryError> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(QueryError::Option { option, value, accepted: "a number of at least zero" })
}
