//! `query time-of-contact`: when do two moving shapes first touch? Rigid motions, robots, or meshes that deform.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nalgebra::Isometry3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::SHAPES;
use super::deforming::{Deforming, FeatureContact};
use super::lines::{self, Answered, Reply, timed};
use super::pair::PairArguments;
use super::poses::{self, Motions};
use super::robot::{Robot, RobotArguments, is_robot};
use extricate_core::kinematics::Motion;
use extricate_core::proximity::Model;
use extricate_core::proximity::deforming::{DeformingOptions, first_contact};
use extricate_scene::batch::answers::time_of_contact::{RigidContact, rigid_contact};
use extricate_scene::batch::text::text_of;
use extricate_scene::batch::tolerance::Tolerance;

/// Why the shapes are asked about as triangles.
const WHY: &str = "the time of contact is that of triangles";

/// Arguments of `query time-of-contact`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query time-of-contact cup.obj spoon.obj --poses motions.jsonl
  extricate query time-of-contact cup.obj box:1,1,1 --poses motions.jsonl --motion screw --json
  extricate query time-of-contact cloth.obj table.obj --a-end cloth_after.obj
  extricate query time-of-contact arm.urdf shelf.obj --poses motions.jsonl --self-collision

A line of a motion: {{\"a\": POSE, \"a_end\": POSE, \"b\": POSE, \"b_end\": POSE}}, each POSE as {{\"translation\": [x,y,z],
\"rotation\": [w,x,y,z]}}; a body without an end rests, what is missing is the identity. Times are in [0, 1]. No contact is a
proof; up to the time that is told the motion is proved free, and then the gap is within the tolerance. A start in
contact gives time 0, for rigid solids also one inside the other. With `--a-end` or `--b-end` the vertices move on straight lines, and
what is told are the features that touch first; adjacent ones of a mesh never do. A may be a robot, a .urdf file: its root
is at `a`, and a line holds \"joints\" and \"joints_end\" as {{\"name\": value}} in rad and m; joints that are not named are at
zero, and without \"joints_end\" they rest.

{SHAPES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// How a rigid body moves from pose to pose [default: linear].
    #[arg(long, value_name = "MOTION")]
    motion: Option<MotionArgument>,
    /// Gap that counts as contact of rigid bodies: a length [m], or a share of the smaller shape's radius [default: 0.0001%].
    #[arg(long, value_name = "T", conflicts_with_all = ["a_end", "b_end"])]
    tolerance: Option<Tolerance>,
    /// A deforms: its vertices move to those of FILE, which has the same triangles.
    #[arg(long, value_name = "FILE", conflicts_with = "motion")]
    a_end: Option<PathBuf>,
    /// B deforms: its vertices move to those of FILE, which has the same triangles.
    #[arg(long, value_name = "FILE", conflicts_with = "motion")]
    b_end: Option<PathBuf>,
    /// Look for contacts of a robot's links with one another as well.
    #[arg(long)]
    self_collision: bool,
    #[command(flatten, next_help_heading = "Options of robots")]
    robot: RobotArguments,
}

/// How a rigid body moves between two poses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MotionArgument {
    /// The origin on a straight line, the rotation at a constant rate.
    Linear,
    /// About and along one fixed axis.
    Screw,
}

/// The first contact, world frame; no time where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum FirstContact {
    None { time: Option<f64> },
    Rigid(RigidContact),
    Deforming(FeatureContact),
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    if is_robot(arguments.pair.first()) {
        return of_robot(console, interrupt, arguments);
    }
    arguments.robot.refuse()?;
    if arguments.self_collision {
        let why = "`--self-collision` belongs to robots; `query self-collision` asks about one mesh";
        return Err(Failure::new(Exit::Usage, why));
    }
    let models = arguments.pair.load_meshes(WHY)?;
    let motions = arguments.pair.motions()?;
    if arguments.a_end.is_none() && arguments.b_end.is_none() {
        return lines::answer(console, interrupt, &motions, |motions| {
            timed(|| arguments.of_rigid(&models, motions))
        });
    }
    let [a, b] = *models;
    let mut pair = [
        Deforming::new(a.mesh().clone(), arguments.a_end.as_deref())?,
        Deforming::new(b.mesh().clone(), arguments.b_end.as_deref())?,
    ];
    lines::answer(console, interrupt, &motions, |motions| of_deforming(&mut pair, motions))
}

impl Arguments {
    /// How a body moves from one pose to another.
    fn motion(&self) -> fn(&Isometry3<f64>, &Isometry3<f64>) -> Motion {
        match self.motion {
            None | Some(MotionArgument::Linear) => Motion::linear,
            Some(MotionArgument::Screw) => Motion::screw,
        }
    }

    fn of_rigid(&self, [a, b]: &[Model; 2], motions: &Motions) -> Answered<FirstContact> {
        let found = rigid_contact([a, b], motions, self.motion(), self.tolerance)?;
        Ok(found.map_or(FirstContact::None { time: None }, FirstContact::Rigid))
    }
}

fn of_robot(console: &mut Console, interrupt: &Interrupt, arguments: &Arguments) -> Result<(), Failure> {
    if arguments.a_end.is_some() || arguments.b_end.is_some() || arguments.tolerance.is_some() {
        let why = "`--a-end`, `--b-end` and `--tolerance` do not go with a robot";
        return Err(Failure::new(Exit::Usage, why));
    }
    let robot = Robot::read(arguments.pair.first(), &arguments.robot, arguments.pair.wish())?;
    let obstacle = arguments.pair.load_second(WHY)?;
    let courses = match arguments.pair.file() {
        Some(path) => poses::read_lines(path, "motions", |line| robot.course(line))?,
        None => vec![robot.zero()?],
    };
    lines::answer(console, interrupt, &courses, |course| {
        timed(|| robot.first_contact(course, arguments.motion(), Some(&obstacle), arguments.self_collision))
    })
}

fn of_deforming([a, b]: &mut [Deforming; 2], motions: &Motions) -> (Answered<FirstContact>, Duration) {
    let (start, end) = (&motions.start, &motions.end);
    let (found, time) = timed(|| {
        let (a, b) = (a.moved(&start.a, &end.a)?, b.moved(&start.b, &end.b)?);
        let found = first_contact(a, b, &DeformingOptions::default()).map_err(|error| error.to_string())?;
        Ok(found.map(|found| FeatureContact::new(&found, a, b)))
    });
    (found.map(|found| found.map_or(FirstContact::None { time: None }, FirstContact::Deforming)), time)
}

impl Reply for FirstContact {
    fn status(&self) -> &'static str {
        match self {
            Self::None { .. } => "free",
            Self::Rigid(_) | Self::Deforming(_) => "contact",
        }
    }
}

impl fmt::Display for FirstContact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::None { .. } => f.write_str("free of contact"),
            Self::Rigid(found) => {
                let [a, b] = &found.points;
                write!(f, "contact at time {}, ", number(found.time))?;
                write!(f, "at ({}) and ({}), normal ({})", text_of(a), text_of(b), text_of(&found.normal))
            }
            Self::Deforming(found) => {
                let ([of_a, of_b], [a, b]) = (found.features(), found.points());
                write!(f, "contact at time {}, {of_a} of A at ", number(found.time()))?;
                write!(f, "({}) and {of_b} of B at ({})", text_of(a), text_of(b))
            }
        }
    }
}
