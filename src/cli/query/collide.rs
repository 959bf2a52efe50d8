//! `query collide`: do two shapes have a point in common, which triangles intersect, and along which curves?

use std::fmt;

use clap::Args;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::lines::{self, Reply, timed};
use super::pair::{Pair, PairArguments};
use super::poses::Poses;
use super::{POSES, SHAPES, convex, coordinates};
use crate::proximity::{IntersectionSegment, Model, collide, intersecting_pairs, intersection_segments};

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

/// Whether two shapes collide.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Collision {
    collides: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<Vec<Segment>>,
}

/// What two triangles share, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Segment {
    triangles: [u32; 2],
    points: [[f64; 3]; 2],
    coplanar: bool,
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
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => {
            let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
            (found.map(|found| Collision::told(found.value <= 0.0)), time)
        }
        Pair::Meshes(models) => {
            let (found, time) = timed(|| of_meshes(models, poses, arguments));
            (Ok(found), time)
        }
    })
}

fn of_meshes([a, b]: &[Model; 2], poses: &Poses, arguments: &Arguments) -> Collision {
    let (mut pairs, mut segments) = (Vec::new(), Vec::new());
    if arguments.all {
        intersecting_pairs(a, &poses.a, b, &poses.b, &mut pairs);
    }
    if arguments.segments {
        intersection_segments(a, &poses.a, b, &poses.b, &mut segments);
    }
    let touch = !pairs.is_empty() || !segments.is_empty();
    Collision {
        collides: touch || collide(a, &poses.a, b, &poses.b),
        pairs: arguments.all.then_some(pairs),
        segments: arguments.segments.then(|| segments.iter().map(Segment::from).collect()),
    }
}

impl Collision {
    /// An answer without triangles.
    fn told(collides: bool) -> Self {
        Self { collides, pairs: None, segments: None }
    }
}

impl Segment {
    /// Its length [m].
    fn length(&self) -> f64 {
        let [p, q] = self.points.map(nalgebra::Point3::from);
        nalgebra::distance(&p, &q)
    }
}

impl From<&IntersectionSegment> for Segment {
    fn from(segment: &IntersectionSegment) -> Self {
        let points = coordinates(&segment.points);
        Self { triangles: segment.triangles, points, coplanar: segment.coplanar }
    }
}

impl Reply for Collision {
    fn status(&self) -> &'static str {
        if self.collides { "colliding" } else { "separate" }
    }
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.status())?;
        if let Some(pairs) = &self.pairs {
            write!(f, ", {} pairs of triangles intersect", pairs.len())?;
        }
        if let Some(segments) = &self.segments {
            let length: f64 = segments.iter().map(Segment::length).sum();
            write!(f, ", in {} segments of together {} m", segments.len(), number(length))?;
        }
        Ok(())
    }
}
