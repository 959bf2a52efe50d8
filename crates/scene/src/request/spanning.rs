//! Spanning distance: the maximum distance between a point of one shape and a point of the other.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::reply::{Reply, coordinates};
use super::text::{number, text_of};
use extricate_core::query::{self, Posed, QueryError, SpanningOptions};

/// A spanning distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["exact"]))]
pub struct SpanningDistance {
    /// The maximum distance between a point of A and a point of B \[m\].
    #[schemars(range(min = 0.0))]
    pub value: f64,
    /// Maximum possible error of `value` \[m\], apart from rounding.
    #[schemars(range(min = 0.0))]
    pub error_bound: f64,
    /// A point of A and one of B at that distance \[m\].
    pub points: [[f64; 3]; 2],
    /// The vertices of A and of B at these points, 0-based.
    pub vertices: [u32; 2],
}

/// The spanning distance of two meshes.
pub(super) fn of_meshes([a, b]: &[Posed; 2]) -> Result<SpanningDistance, QueryError> {
    let found = query::spanning(a, b, &SpanningOptions::default())?;
    let vertices = found.vertices.expect("both shapes are meshes");
    Ok(SpanningDistance {
        value: found.value,
        error_bound: 0.0,
        points: coordinates(&found.points),
        vertices,
    })
}

impl Reply for SpanningDistance {
    fn status(&self) -> &'static str {
        "exact"
    }
}

impl fmt::Display for SpanningDistance {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [a, b] = &self.points;
        write!(f, "{} m, from ({}) to ({})", number(self.value), text_of(a), text_of(b))
    }
}
