//! `query spanning`: the greatest distance between a point of one shape and a point of the other.

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines::{self, timed};
use super::pair::PairArguments;
use super::{POSES, SHAPES};
use extricate_scene::batch::answers::spanning::of_meshes;

/// Arguments of `query spanning`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query spanning cup.obj spoon.obj
  extricate query spanning cup.obj box:0.1,0.1,0.1 --poses poses.jsonl --json

The answer is exact, to rounding; it is attained at vertices.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let models = arguments.pair.load_meshes("the spanning distance is that of vertices")?;
    let [a, b] = &*models;
    let poses = arguments.pair.poses()?;
    lines::answer(console, interrupt, &poses, |poses| {
        let (found, time) = timed(|| of_meshes([a, b], poses));
        (Ok(found), time)
    })
}
