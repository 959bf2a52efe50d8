//! The greatest distance between a point of one shape and a point of the other.

use std::fmt;

use serde::Serialize;

use super::{Reply, coordinates};
use crate::batch::poses::Poses;
use crate::batch::text::{number, text_of};
use extricate_core::proximity::{Model, spanning_distance};

/// A spanning distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    pub value: f64,
    pub(crate) error_bound: f64,
    pub points: [[f64; 3]; 2],
    pub(crate) vertices: [u32; 2],
}

/// The spanning distance of two meshes.
pub fn of_meshes([a, b]: [&Model; 2], poses: &Poses) -> Span {
    let found = spanning_distance(a, &poses.a, b, &poses.b);
    let points = coordinates(&found.witnesses);
    Span { value: found.value, error_bound: 0.0, points, vertices: found.vertices }
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
