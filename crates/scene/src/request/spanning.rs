//! Maximum distance between a point of one shape and a point of the other.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::reply::{Reply, coordinates};
use super::text::{number, text_of};
use extricate_core::query::{self, Posed, QueryError, SpanningOptions};

/// A spanning distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["exact"]))]
pub struct Span {
    /// The greatest distance between a point of A and a point of B [m].
    #[schemars(range(min = 0.0))]
    pub value: f64,
    /// Largest possible error of `value` [m], rounding apart.
    #[schemars(range(min = 0.0))]
    pub error_bound: f64,
    /// A point of A and one of B that are that far apart [m].
    pub points: [[f64; 3]; 2],
    /// The vertices of A and of B that they are, 0-based.
    pub vertices: [u32; 2],
}

/// The spanning distance of two meshes.
pub(super) fn of_meshes([a, b]: &[Posed; 2]) -> Result<Span, QueryError> {
    let found = query::spanning(a, b, &SpanningOptions::default())?;
    let vertices = found.vertices.expect("both are meshes");
    Ok(Span { value: found.value, error_bound: 0.0, points: coordinates(&found.points), vertices })
}

impl Reply for Span {
    fn status(&self) -> &'static str {
        "exact"
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [a, b] = &self.points;
        write!(f, "{} m, from ({}) to ({})", number(self.value), text_of(a), text_of(b))
    }
}
