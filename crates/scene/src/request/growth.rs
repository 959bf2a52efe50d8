//! Growth distance: the factor by which two convex shapes are scaled about their seeds so that they touch.

use std::fmt;

use nalgebra::Point3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::{Reply, coordinates};
use super::text::{number, text_of};
use extricate_core::query::{self, GrowthDistanceOptions, Posed, QueryError};

/// A growth distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["overlapping", "apart"]))]
pub struct Growth {
    /// The factor by which both shapes are scaled about their seeds so that they touch.
    #[schemars(range(min = 0.0))]
    pub value: f64,
    /// Proved lower bound of the factor.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Proved upper bound of the factor; absent where none was proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0.0))]
    pub upper_bound: Option<f64>,
    /// A point of A and one of B \[m\] that the scaling moves to `contact`.
    pub points: [[f64; 3]; 2],
    /// The point in which the scaled shapes touch \[m\].
    pub contact: [f64; 3],
    /// Unit normal of the plane that separates the scaled shapes, from B to A.
    pub normal: [f64; 3],
    /// The seeds of A and of B \[m\].
    pub seeds: [[f64; 3]; 2],
    /// Whether the bounds agree.
    pub converged: bool,
}

/// Request for the growth distance of two convex shapes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct GrowthRequest {
    /// Point of A about which it is scaled, X,Y,Z in its frame \[m\] [default: its centre].
    #[cfg_attr(feature = "clap", arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true))]
    pub a_seed: Option<[f64; 3]>,
    /// Point of B about which it is scaled, X,Y,Z in its frame \[m\] [default: its centre].
    #[cfg_attr(feature = "clap", arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true))]
    pub b_seed: Option<[f64; 3]>,
}

/// Parses a point `X,Y,Z` [m].
#[cfg_attr(
    not(any(test, feature = "clap")),
    expect(dead_code, reason = "used by options of the command line only")
)]
fn point(text: &str) -> Result<[f64; 3], String> {
    let numbers = text.split(',').map(|number| number.trim().parse().ok().filter(|x: &f64| x.is_finite()));
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers
        .and_then(|numbers| <[f64; 3]>::try_from(numbers).ok())
        .ok_or_else(|| String::from("expected three finite numbers X,Y,Z"))
}

impl GrowthRequest {
    /// The growth distance of two convex shapes.
    pub(super) fn answer(&self, [a, b]: &[Posed; 2]) -> Result<Growth, QueryError> {
        let seeds = [self.a_seed, self.b_seed].map(|seed| seed.map(Point3::from));
        let found = query::growth_distance(a, b, &GrowthDistanceOptions { seeds, ..Default::default() })?;
        Ok(Growth {
            value: found.value,
            lower_bound: found.lower_bound,
            upper_bound: Some(found.upper_bound).filter(|bound| bound.is_finite()),
            points: coordinates(&found.points),
            contact: found.contact.coords.into(),
            normal: found.normal.into_inner().into(),
            seeds: coordinates(&found.seeds),
            converged: found.converged,
        })
    }
}

impl Reply for Growth {
    fn status(&self) -> &'static str {
        if self.value > 1.0 { "apart" } else { "overlapping" }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [value, contact] = [number(self.value), text_of(&self.contact)];
        write!(f, "{}: they touch at ({contact}) when both are scaled by {value}", self.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_parsed_and_errors_name_the_form() {
        assert_eq!(point("1, -2,3e-1"), Ok([1.0, -2.0, 0.3]));
        for bad in ["", "1,2", "1,2,3,4", "1,x,3", "1,2,inf"] {
            assert!(point(bad).unwrap_err().contains("X,Y,Z"), "{bad}");
        }
    }
}
