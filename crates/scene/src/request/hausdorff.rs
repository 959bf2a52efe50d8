//! Hausdorff distance of two surfaces, with proved bounds.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::parsed;
use super::poses::Poses;
use super::reply::{Answered, Reply, coordinates};
use super::text::{number, text_of};
use super::tolerance::Tolerance;
use extricate_core::proximity::{
    Hausdorff, HausdorffOptions, Model, Side, hausdorff_distance, one_sided_hausdorff_distance,
};

/// A Hausdorff distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["bounded", "not-converged"]))]
pub struct Deviation {
    /// The greatest distance found of a point of one surface from the other one [m].
    #[schemars(range(min = 0.0))]
    pub value: f64,
    /// Proved lower bound of the Hausdorff distance [m].
    pub lower_bound: f64,
    /// Proved upper bound of the Hausdorff distance [m].
    #[schemars(range(min = 0.0))]
    pub upper_bound: f64,
    /// Largest possible error of `value` [m].
    #[schemars(range(min = 0.0))]
    pub error_bound: f64,
    /// A point of A and one of B that are `value` apart [m]; the one not of `farthest_on` is the closest one to the other.
    pub points: [[f64; 3]; 2],
    /// Triangles of A and of B that hold the points, 0-based.
    pub triangles: [u32; 2],
    /// The shape whose point is that far from the other shape.
    #[schemars(extend("enum" = ["a", "b"]))]
    pub farthest_on: &'static str,
    /// Whether the bounds are as close as asked for, like `status`.
    pub converged: bool,
    /// Distances of points from a shape that were computed.
    pub evaluations: u64,
}

/// Question how far two surfaces deviate from one another.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct HausdorffRequest {
    /// Tell how far A deviates from B, whatever B has beyond A.
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_sided: bool,
    /// How close the bounds must be: a length [m], or a share of the distance like 1% [default: 0.1%, or a millionth of
    /// the size where that is more].
    #[cfg_attr(feature = "clap", arg(long, value_name = "T"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub tolerance: Option<Tolerance>,
    /// Give what is known after N distances of points.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_evaluations: Option<u64>,
}

impl HausdorffRequest {
    fn options(&self) -> HausdorffOptions {
        let default = HausdorffOptions::default();
        let max_iterations = self.max_evaluations.unwrap_or(default.max_iterations);
        let (relative_tolerance, absolute_tolerance) = match self.tolerance {
            None => (default.relative_tolerance, default.absolute_tolerance),
            Some(Tolerance::Length(length)) => (0.0, length),
            Some(Tolerance::Share(share)) => (share, 0.0),
        };
        let size_tolerance = if self.tolerance.is_some() { 0.0 } else { default.size_tolerance };
        HausdorffOptions { relative_tolerance, absolute_tolerance, size_tolerance, max_iterations, ..default }
    }

    /// The deviation of two meshes.
    pub(super) fn ask(&self, [a, b]: [&Model; 2], poses: &Poses) -> Answered<Deviation> {
        let distance = if self.one_sided { one_sided_hausdorff_distance } else { hausdorff_distance };
        let found = distance(a, &poses.a, b, &poses.b, &self.options());
        found.map(|found| Deviation::from(&found)).map_err(|error| error.to_string())
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
        if self.converged { Ok(()) } else { f.write_str("; the bounds are not as close as asked for") }
    }
}
