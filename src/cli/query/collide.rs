//! `query collide`: do two shapes have a point in common, which triangles intersect, and along which curves?

use clap::Args;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines::{self, timed};
use super::pair::{Pair, PairArguments};
use super::{POSES, SHAPES};
use extricate_scene::batch::answers::collide::{Collision, Details, of_meshes};
use extricate_scene::batch::answers::convex;

/// Arguments of `query collide`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query collide cup.obj spoon.obj --all --poses poses.jsonl --json
  extricate query collide cup.obj spoon.obj --segments --json
  extricate query collide hull:cup.obj sphere:0.1

Touching counts, and a solid inside another one collides. A segment is what two triangles share: the same point twice
where they only touch, and one side of the polygon that they share where they lie in one plane.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Tell all pairs of triangles that intersect.
    #[arg(long)]
    all: bool,
    /// Tell the segments in which triangles intersect; with `--json` all of them, else their number and length.
    #[arg(long)]
    segments: bool,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let pair = match (arguments.all, arguments.segments) {
        (true, _) => Pair::Meshes(arguments.pair.load_meshes("`--all` names triangles")?),
        (_, true) => Pair::Meshes(arguments.pair.load_meshes("`--segments` intersects triangles")?),
        _ => arguments.pair.load()?,
    };
    let poses = arguments.pair.poses()?;
    let details = Details { pairs: arguments.all, segments: arguments.segments };
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => {
            let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
            (found.map(|found| Collision::told(found.value <= 0.0)), time)
        }
        Pair::Meshes(models) => {
            let (found, time) = timed(|| of_meshes([&models[0], &models[1]], poses, details));
            (Ok(found), time)
        }
    })
}
