//! Hausdorff distance of two surfaces, with proved bounds.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::parsed;
use super::reply::{Reply, coordinates};
use super::text::{number, text_of};
use super::tolerance::Tolerance;
use extricate_core::query::{self, Hausdorff, HausdorffOptions, Posed, QueryError, Side};

/// A Hausdorff distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["bounded", "not-converged"]))]
pub struct Deviation {
    /// The maximum distance found of a point of one surface from the other one \[m\].
    #[schemars(range(min = 0.0))]
    pub value: f64,
    /// Proved lower bound of the Hausdorff distance \[m\].
    pub lower_bound: f64,
    /// Proved upper bound of the Hausdorff distance \[m\].
    #[schemars(range(min = 0.0))]
    pub upper_bound: f64,
    /// Maximum possible error of `value` \[m\].
    #[schemars(range(min = 0.0))]
    pub error_bound: f64,
    /// A point of A and one of B at the distance `value` \[m\]: the point on the shape `farthest_on`, and the closest point to it.
    pub points: [[f64; 3]; 2],
    /// Triangles of A and of B that contain the points, 0-based.
    pub triangles: [u32; 2],
    /// The shape whose point is at that distance from the other shape.
    #[schemars(extend("enum" = ["a", "b"]))]
    pub farthest_on: &'static str,
    /// Whether the bounds are within the tolerance, like `status`.
    pub converged: bool,
    /// Number of computed distances of points from a shape.
    pub evaluations: u64,
}

/// Request for the Hausdorff distance of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct HausdorffRequest {
    /// Compute the one-sided distance from A to B, which ignores parts of B far from A.
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_sided: bool,
    /// Tolerance of the bounds: a length \[m\], or a fraction of the distance like 1% [default: 0.1%, or a millionth of
    /// the size where that is more].
    #[cfg_attr(feature = "clap", arg(long, value_name = "T"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub tolerance: Option<Tolerance>,
    /// Stop after N distances of points and report the bounds [default: 2000000].
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_evaluations: Option<u64>,
    /// Stop after S seconds and report the bounds; such an end depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
}

impl HausdorffRequest {
    fn options(&self) -> HausdorffOptions {
        let mut options = HausdorffOptions { one_sided: self.one_sided, ..HausdorffOptions::default() };
        if let Some(tolerance) = self.tolerance {
            (options.relative_tolerance, options.absolute_tolerance) = tolerance.parts();
            // A given tolerance replaces the default one entirely.
            options.size_tolerance = 0.0;
        }
        options.time_budget = self.time_budget;
        options.max_iterations = self.max_evaluations.unwrap_or(options.max_iterations);
        options
    }

    /// The Hausdorff distance of two surfaces.
    pub(super) fn answer(&self, [a, b]: &[Posed; 2]) -> Result<Deviation, QueryError> {
        Ok(Deviation::from(&query::hausdorff(a, b, &self.options())?))
    }
}

impl From<&Hausdorff> for Deviation {
    fn from(found: &Hausdorff) -> Self {
        Self {
            value: found.value,
            lower_bound: found.lower_bound,
            upper_bound: found.upper_bound,
            error_bound: (found.upper_bound - found.value).max(found.value - found.lower_bound),
            points: coordinates(&found.witnesses),
            triangles: found.triangles,
            farthest_on: match found.farthest_on {
                Side::A => "a",
                Side::B => "b",
            },
            converged: found.converged,
            evaluations: found.evaluations,
        }
    }
}

impl Reply for Deviation {
    fn status(&self) -> &'static str {
        if self.converged { "bounded" } else { "not-converged" }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [lower, upper] = [self.lower_bound, self.upper_bound].map(number);
        let [a, b] = &self.points;
        let side = self.farthest_on.to_uppercase();
        write!(f, "{} m, proved to lie in [{lower}, {upper}]: ", number(self.value))?;
        write!(f, "from ({}) on A to ({}) on B, farthest on {side}", text_of(a), text_of(b))?;
        if self.converged { Ok(()) } else { f.write_str("; not converged to the tolerance") }
    }
}
