//! `query collide`: do two shapes have a point in common, and which triangles intersect?

use std::fmt;

use clap::Args;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::lines::{self, Reply, timed};
use super::pair::{Pair, PairArguments};
use super::poses::Poses;
use super::{POSES, SHAPES, convex};
use crate::proximity::{Model, collide, intersecting_pairs};

/// Arguments of `query collide`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query collide cup.obj spoon.obj --all --poses poses.jsonl --json
  extricate query collide hull:cup.obj sphere:0.1

Touching counts, and a solid inside another one collides.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Tell all pairs of triangles that intersect.
    #[arg(long)]
    all: bool,
}

/// Whether two shapes collide.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Collision {
    collides: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<[u32; 2]>>,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let all = arguments.all;
    let pair = if all {
        Pair::Meshes(arguments.pair.load_meshes("`--all` names triangles")?)
    } else {
        arguments.pair.load()?
    };
    let poses = arguments.pair.poses()?;
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => {
            let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
            (found.map(|found| Collision { collides: found.value <= 0.0, pairs: None }), time)
        }
        Pair::Meshes(models) => {
            let (found, time) = timed(|| of_meshes(models, poses, all));
            (Ok(found), time)
        }
    })
}

fn of_meshes([a, b]: &[Model; 2], poses: &Poses, all: bool) -> Collision {
    let mut pairs = Vec::new();
    if all {
        intersecting_pairs(a, &poses.a, b, &poses.b, &mut pairs);
    }
    let collides = !pairs.is_empty() || collide(a, &poses.a, b, &poses.b);
    Collision { collides, pairs: all.then_some(pairs) }
}

impl Reply for Collision {
    fn status(&self) -> &'static str {
        if self.collides { "colliding" } else { "separate" }
    }
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.status())?;
        self.pairs.iter().try_for_each(|pairs| write!(f, ", {} pairs of triangles intersect", pairs.len()))
    }
}
