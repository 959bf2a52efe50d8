//! `query hausdorff`: how far do two surfaces deviate from one another?

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines::{self, timed};
use super::pair::PairArguments;
use super::{POSES, SHAPES};
use extricate_scene::batch::answers::hausdorff::Wanted;
use extricate_scene::batch::tolerance::Tolerance;

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

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let models = arguments.pair.load_meshes("the Hausdorff distance is that of triangles")?;
    let poses = arguments.pair.poses()?;
    let &Arguments { one_sided, tolerance, max_evaluations, .. } = arguments;
    let wanted = Wanted { one_sided, tolerance, max_evaluations };
    lines::answer(console, interrupt, &poses, |poses| timed(|| wanted.ask([&models[0], &models[1]], poses)))
}
