//! How far two surfaces deviate from one another.

use std::fmt;

use serde::Serialize;

use super::{Answered, Reply, coordinates};
use crate::batch::poses::Poses;
use crate::batch::text::{number, text_of};
use crate::batch::tolerance::Tolerance;
use extricate_core::proximity::{
    Hausdorff, HausdorffOptions, Model, Side, hausdorff_distance, one_sided_hausdorff_distance,
};

/// A Hausdorff distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Deviation {
    pub value: f64,
    pub lower_bound: f64,
    pub upper_bound: f64,
    pub(crate) error_bound: f64,
    pub points: [[f64; 3]; 2],
    pub(crate) triangles: [u32; 2],
    pub farthest_on: &'static str,
    pub converged: bool,
    pub(crate) evaluations: u64,
}

/// Which deviation is wanted, and how exactly.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wanted {
    /// How far A deviates from B alone.
    pub one_sided: bool,
    /// How close the bounds must be.
    pub tolerance: Option<Tolerance>,
    /// Distances of points after which what is known is told.
    pub max_evaluations: Option<u64>,
}

impl Wanted {
    fn options(&self) -> HausdorffOptions {
        let default = HausdorffOptions::default();
        let max_evaluations = self.max_evaluations.unwrap_or(default.max_evaluations);
        let (relative_error, absolute_error) = match self.tolerance {
            None => (default.relative_error, default.absolute_error),
            Some(Tolerance::Length(length)) => (0.0, length),
            Some(Tolerance::Share(share)) => (share, 0.0),
        };
        let error_per_size = if self.tolerance.is_some() { 0.0 } else { default.error_per_size };
        HausdorffOptions { relative_error, absolute_error, error_per_size, max_evaluations, ..default }
    }

    /// The deviation of two meshes.
    pub fn ask(&self, [a, b]: [&Model; 2], poses: &Poses) -> Answered<Deviation> {
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
