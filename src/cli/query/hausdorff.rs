//! `query hausdorff`: how far do two surfaces deviate from one another?

use std::fmt;

use clap::Args;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::lines::{self, Answered, Reply, timed};
use super::pair::PairArguments;
use super::poses::Poses;
use super::{POSES, SHAPES, coordinates, text_of};
use crate::batch::tolerance::Tolerance;
use crate::proximity::{
    Hausdorff, HausdorffOptions, Model, Side, hausdorff_distance, one_sided_hausdorff_distance,
};

/// Arguments of `query hausdorff`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query hausdorff scan.obj simplified.obj
  extricate query hausdorff simplified.obj scan.obj --one-sided --tolerance 0.1%
  extricate query hausdorff cup.obj box:0.1,0.1,0.1 --json

The greatest distance of a point of one surface from the other surface; of solids it is that of their boundaries.
`value` is found, and the true one is at least `lower_bound` and at most `upper_bound`, both proved.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Tell how far A deviates from B, whatever B has beyond A.
    #[arg(long)]
    one_sided: bool,
    /// How close the bounds must be: a length [m], or a share of the distance like 1% [default: 0.1%, or a millionth of
    /// the size where that is more].
    #[arg(long, value_name = "T")]
    tolerance: Option<Tolerance>,
    /// Give what is known after N distances of points.
    #[arg(long, value_name = "N")]
    max_evaluations: Option<u64>,
}

/// A Hausdorff distance, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Deviation {
    value: f64,
    lower_bound: f64,
    upper_bound: f64,
    error_bound: f64,
    points: [[f64; 3]; 2],
    triangles: [u32; 2],
    farthest_on: &'static str,
    converged: bool,
    evaluations: u64,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let models = arguments.pair.load_meshes("the Hausdorff distance is that of triangles")?;
    let poses = arguments.pair.poses()?;
    let options = arguments.options();
    lines::answer(console, interrupt, &poses, |poses| timed(|| arguments.ask(&models, poses, &options)))
}

impl Arguments {
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

    fn ask(&self, [a, b]: &[Model; 2], poses: &Poses, options: &HausdorffOptions) -> Answered<Deviation> {
        let distance = if self.one_sided { one_sided_hausdorff_distance } else { hausdorff_distance };
        let found = distance(a, &poses.a, b, &poses.b, options);
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
