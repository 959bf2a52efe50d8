//! `query self-collision`: does a mesh meet itself, at rest or while it deforms, or a robot?

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use nalgebra::Isometry3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::deforming::{Deforming, FeatureContact};
use super::lines::{self, Reply, timed};
use super::poses;
use super::robot::{self, Robot, RobotArguments, is_robot};
use extricate_core::geometry::Solidity;
use extricate_core::proximity::deforming::{DeformingOptions, first_self_contact};
use extricate_scene::batch::answers::self_collision::at_rest;
use extricate_scene::batch::shape::ShapeArgument;
use extricate_scene::batch::text::text_of;

/// Arguments of `query self-collision`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  extricate query self-collision scan.obj
  extricate query self-collision scan.obj --all --json
  extricate query self-collision cloth.obj --end cloth_after.obj
  extricate query self-collision arm.urdf --poses joints.jsonl --allow hand,forearm

Neighbours share a corner or an edge, and that is no collision; corners are shared where they lie at one place. Triangles
that have another point in common collide, and so do two on the same corners. With `--end` the vertices move on straight
lines; what is told are the features that touch first, and none is a proof that the motion is free. Features that share a
vertex, by index, never touch then.

Of a robot, a .urdf file, the links are told that meet. A link may touch the link that carries it, and what `--allow` names.
A line of `--poses` holds \"joints\" as {\"name\": value} in rad and m, joints that are not named being at zero, and \"a\", the
pose of its root. With \"joints_end\" the joints move there, and the first contact on the way is told.")]
pub(in crate::cli) struct Arguments {
    /// A mesh file, or a robot.
    a: String,
    /// Tell all pairs of triangles that collide.
    #[arg(long, conflicts_with = "end")]
    all: bool,
    /// Triangles that touch without crossing do not collide.
    #[arg(long, conflicts_with = "end")]
    crossing: bool,
    /// The mesh deforms: its vertices move to those of FILE, which has the same triangles.
    #[arg(long, value_name = "FILE")]
    end: Option<PathBuf>,
    /// File of configurations of a robot, one query a line [default: all joints at zero].
    #[arg(long, value_name = "FILE.jsonl")]
    poses: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Options of robots")]
    robot: RobotArguments,
}

/// Whether and when a mesh meets itself while it deforms, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct InMotion {
    collides: bool,
    contact: Option<FeatureContact>,
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    if is_robot(&arguments.a) {
        return of_robot(console, interrupt, arguments);
    }
    arguments.robot.refuse()?;
    if arguments.poses.is_some() {
        return Err(Failure::new(
            Exit::Usage,
            "`--poses` belongs to robots: a mesh alone meets itself anywhere",
        ));
    }
    let shape = ShapeArgument::parse(&arguments.a)?;
    if !shape.has_triangles() {
        let why = "self-collision is that of triangles";
        return Err(Failure::new(Exit::Usage, format!("`{}` has no triangles: {why}", shape.text())));
    }
    let model = shape.model(Some(Solidity::Surface), None)?;
    let Some(end) = &arguments.end else {
        return lines::answer(console, interrupt, &[()], |()| {
            let (found, time) = timed(|| at_rest(&model, arguments.all, arguments.crossing));
            (Ok(found), time)
        });
    };
    let mut mesh = Deforming::new(model.mesh().clone(), Some(end))?;
    let still = Isometry3::identity();
    lines::answer(console, interrupt, &[()], |()| {
        let (found, time) = timed(|| {
            let mesh = mesh.moved(&still, &still)?;
            let found = first_self_contact(mesh, &DeformingOptions::default());
            let found = found.map_err(|error| error.to_string())?;
            Ok(found.map(|found| FeatureContact::new(&found, mesh, mesh)))
        });
        (found.map(|contact| InMotion { collides: contact.is_some(), contact }), time)
    })
}

fn of_robot(console: &mut Console, interrupt: &Interrupt, arguments: &Arguments) -> Result<(), Failure> {
    if arguments.all || arguments.crossing || arguments.end.is_some() {
        return Err(Failure::new(Exit::Usage, "`--all`, `--crossing` and `--end` do not go with a robot"));
    }
    let robot = Robot::read(&arguments.a, &arguments.robot, None)?;
    let courses = match &arguments.poses {
        Some(path) => poses::read_lines(path, "configurations", |line| robot.course(line))?,
        None => vec![robot.zero()?],
    };
    robot::self_collision(console, interrupt, &robot, &courses)
}

fn status(collides: bool) -> &'static str {
    if collides { "colliding" } else { "separate" }
}

impl Reply for InMotion {
    fn status(&self) -> &'static str {
        status(self.collides)
    }
}

impl fmt::Display for InMotion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(found) = &self.contact else { return f.write_str("free of self-collision all the way") };
        let ([first, second], [p, _]) = (found.features(), found.points());
        write!(f, "collides with itself at time {}: ", number(found.time()))?;
        write!(f, "{first} and {second} at ({})", text_of(p))
    }
}
