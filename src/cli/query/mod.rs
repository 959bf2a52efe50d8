//! `extricate query`: two shapes at given poses, asked one question per pose.

mod answer;
mod convex;
mod pair;
mod penetration;
mod poses;
mod shape;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::answer::Question;
use self::pair::{Pair, Wish};
use self::poses::Poses;
use self::shape::ShapeArgument;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::interrupt::Interrupt;
use crate::geometry::Solidity;
use crate::penetration::MotionCoherence;

const EXAMPLES: &str = "\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query collide cup.obj spoon.obj --all --poses poses.jsonl --json
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query penetration cup.obj box:0.1,0.1,0.1 --effort fast
  extricate query penetration hull:cup.obj capsule:0.1,0.5 --json
  extricate query penetration cup.obj spoon.obj --start coherence --poses motion.jsonl --json

Shapes, sizes in metres:
  FILE              a mesh file (.obj .stl .ply .off .gltf .glb); a closed mesh is solid
  hull:FILE         the convex hull of its vertices
  sphere:R          around the origin, like all that follow
  box:X,Y,Z         full sizes
  capsule:R,LENGTH  along z, the length without the caps
  cylinder:R,H      along z
  cone:R,H          along z, the apex up, the origin at half height
  halfspace         all that has z of zero or below
  rounded:R:SHAPE   all points at most R from a shape that is no mesh file

Two convex shapes are answered exactly, with a lower bound of the depth. A mesh file is asked about together with another
one, a box or a hull. `--all` and `--surface` take the triangles of meshes, boxes and hulls.
A pose line: {\"a\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}, \"b\": {...}}; a rotation of nine numbers is a
matrix, rows first; what is missing is the identity; further keys are ignored. Points, directions and translations are
in the world frame; the time of an answer is that of the query alone. Exit code 5 tells that a query failed.";

/// Arguments of `query`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// What to ask.
    kind: Kind,
    /// The first shape.
    a: String,
    /// The second shape.
    b: String,
    /// File of poses, one query a line [default: both shapes where they are].
    #[arg(long, value_name = "FILE.jsonl")]
    poses: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Options of penetration")]
    penetration: penetration::Arguments,
    /// Take both meshes as solids; an open mesh is an error then.
    #[arg(long, conflicts_with = "surface")]
    solid: bool,
    /// Take both meshes as surfaces without an inside.
    #[arg(long)]
    surface: bool,
    /// Look for a distance below D [m] only, and stop early where there is none (distance only).
    #[arg(long, value_name = "D", value_parser = limit)]
    closer_than: Option<f64>,
    /// Tell all pairs of triangles that intersect (collide only).
    #[arg(long)]
    all: bool,
}

/// What to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Do they collide? Touching counts.
    Collide,
    /// How far apart are they? Zero where they collide.
    Distance,
    /// How far must A move to be free of B?
    Penetration,
}

fn limit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("a length in metres, zero or above, is needed")),
    }
}

/// Answers the question for every pose, in their order.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let question = question(arguments)?;
    let shapes = [ShapeArgument::parse(&arguments.a)?, ShapeArgument::parse(&arguments.b)?];
    let solidity = match (arguments.solid, arguments.surface) {
        (true, _) => Some(Solidity::Solid),
        (_, true) => Some(Solidity::Surface),
        _ => None,
    };
    let poses = match &arguments.poses {
        Some(path) => poses::read(path)?,
        None => vec![Poses::default()],
    };
    let mut pair = Pair::load(&shapes, Wish { triangles: arguments.all, solidity })?;
    arguments.penetration.prepare(&mut pair)?;
    let mut coherence = MotionCoherence::default();
    let mut progress = console.progress(poses.len() as u64);
    let mut failures = 0_usize;
    for (index, pose) in poses.iter().enumerate() {
        if interrupt.is_asked() {
            return Err(Failure::Silent(Exit::Interrupted));
        }
        let (answer, time) = question.ask(&pair, pose, &mut coherence);
        failures += usize::from(answer.is_failure());
        if console.json() {
            console.json_line(&answer.line(index, time))?;
        } else {
            console.line(format_args!("{index}: {answer}"))?;
        }
        progress.update(index as u64 + 1, || format!("{failures} failures"));
    }
    if failures > 0 {
        return Err(Failure::new(Exit::Numerical, format!("{failures} of {} queries failed", poses.len())));
    }
    Ok(())
}

/// The question, with options that belong to another one refused.
fn question(arguments: &Arguments) -> Result<Question, Failure> {
    let refuse = |given: bool, option: &str, kind: &str| {
        let message = format!("`{option}` belongs to `query {kind}`");
        if given { Err(Failure::new(Exit::Usage, message)) } else { Ok(()) }
    };
    if arguments.kind != Kind::Collide {
        refuse(arguments.all, "--all", "collide")?;
    }
    let of_penetration = arguments.penetration.given(false).filter(|_| arguments.kind != Kind::Penetration);
    if let Some(option) = of_penetration {
        refuse(true, option, "penetration")?;
    }
    if arguments.kind != Kind::Distance {
        refuse(arguments.closer_than.is_some(), "--closer-than", "distance")?;
    }
    Ok(match arguments.kind {
        Kind::Distance => Question::Distance { closer_than: arguments.closer_than },
        Kind::Collide => Question::Collide { all: arguments.all },
        Kind::Penetration => Question::Penetration(arguments.penetration.options(arguments.poses.is_some())?),
    })
}
