//! `query distance`: how far are two shapes apart, and where? Exactly, within a tolerance, or up to a limit; with
//! `--signed` also how deep they overlap.

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines;
use super::pair::{Pair, PairArguments};
use super::{POSES, SHAPES};
use extricate_core::proximity::DistanceCache;
use extricate_scene::batch::answers::distance::{Wanted, of_convex, of_meshes, signed};
use extricate_scene::batch::tolerance::Tolerance;

/// Arguments of `query distance`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query distance cup.obj spoon.obj --tolerance 1% --json
  extricate query distance cup.obj spoon.obj --signed --poses poses.jsonl
  extricate query distance cylinder:0.2,0.5 sphere:0.1

The distance is zero where the shapes collide. It is proved to be at least `lower_bound`: with a tolerance the answer
may be farther than the closest points by so much, which saves looking at all that is about as close. With `--signed` it
is minus the penetration depth where the shapes overlap, and `lower_bound` and `upper_bound` tell what is proved. Along a
sequence of poses a query starts from where the last one ended.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Look for a distance of at most D [m] only, and stop early where there is none.
    #[arg(long, value_name = "D", value_parser = length)]
    closer_than: Option<f64>,
    /// How much farther than the closest points the answer may be: a length [m], or a share of the distance like 1%.
    #[arg(long, value_name = "T")]
    tolerance: Option<Tolerance>,
    /// Tell how deep the shapes overlap as a negative distance.
    #[arg(long, conflicts_with_all = ["closer_than", "tolerance"])]
    signed: bool,
}

/// A length from the command line [m].
pub(super) fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("a length in metres, zero or above, is needed")),
    }
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let pair = arguments.pair.load()?;
    let poses = arguments.pair.poses()?;
    let Arguments { closer_than, tolerance, signed: negative, .. } = *arguments;
    let wanted = Wanted { closer_than, tolerance, signed: negative };
    let parallel = !arguments.pair.is_sequence();
    let mut cache = DistanceCache::default();
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => of_convex(shapes, poses, &wanted),
        Pair::Meshes(models) if negative => signed([&models[0], &models[1]], poses, parallel),
        Pair::Meshes(models) => of_meshes([&models[0], &models[1]], poses, &wanted.options(), &mut cache),
    })
}
