//! `extricate repair`: the nearest collision-free poses of a robot, or of the bodies and robots of a scene.

mod bodies;
mod posed;
pub(super) mod robot;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::access;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::interrupt::Interrupt;
use extricate_core::penetration::Effort;
use extricate_scene::batch::answers::Status;
use extricate_scene::record;
use extricate_scene::repair::Change;
use extricate_scene::scene::Scene;

const EXAMPLES: &str = "\
Examples:
  extricate repair scene.ron -o repaired.ron
  extricate repair scene.ron -o repaired.ron --clearance 0.001 --fix cup --weight knot=5
  extricate repair scene.ron -o repaired.ron --max-move 0.1 --json
  extricate repair scene.ron -o repaired.ron --turn
  extricate repair --robot arm.urdf --joints q.json --obstacle car.obj
  extricate repair --robot arm.urdf --joints path.jsonl --obstacle car.obj --obstacle halfspace@0,0,-0.1 -o free.jsonl
  extricate repair --robot figure.urdf --joints q.json --obstacle bench.urdf --base floating --fix head --json
  extricate repair --robot arm.urdf --list-allowed

Of a scene, dynamic bodies are translated, all at once and as little as possible; fixed and kinematic ones stay. Bodies
that joints tie together move as one, and not at all where one of them stays. With `--turn`, and in scenes with robots, bodies
that overlap are turned as well, robots move their joints (and their bases where these float), and the rest stays where
that is possible. OUT is the scene with its positions, rotations, copies, joints replaced; comments and layout stay. Meshes
and robots that it may not name from its folder are copied to NAME.assets beside it, for OUT = NAME.ron. NAME of `--fix` and
`--weight` is a body, a robot (its base), ROBOT/JOINT or ROBOT/LINK.

Of a robot, joints (and with `--base floating` its root) change as little as possible in the object norm, the root mean
square of how far its points move, within the limits of the joints. A line of Q.json is
{\"joints\": {name: value}, \"base\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}} in rad and m; joints that are not
named are at zero. Several lines are a sequence: what was free before is where the search begins, too. OUT has the same
form, a line for each. NAME of `--fix` and `--weight` is a joint, a link (all joints that carry it) or `base`.
Soft bodies stay where they are, and so does what overlaps with them: exit code 6.
Every answer was checked by a second collision query. Exit code 6 tells that something still collides in OUT, which is the
best that was found.";

/// Arguments of `repair`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file.
    #[arg(required_unless_present = "robot", conflicts_with = "robot")]
    scene: Option<PathBuf>,
    /// File of what was repaired: a scene, or of a robot a line for each of Q.json.
    #[arg(short, long, value_name = "OUT", required_unless_present = "robot")]
    output: Option<PathBuf>,
    /// How much work to do.
    #[arg(long, value_name = "EFFORT", default_value = "best")]
    effort: EffortArgument,
    /// Distance that everything shall keep [m].
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = not_negative, allow_negative_numbers = true)]
    clearance: f64,
    /// Distance that nothing may be moved beyond [m]; exit code 6 where something would have to.
    #[arg(long, value_name = "D", value_parser = not_negative, allow_negative_numbers = true)]
    max_move: Option<f64>,
    /// What stays where it is: a body, a joint, a link, a base; may be given several times.
    #[arg(long, value_name = "NAME")]
    fix: Vec<String>,
    /// How dear the motion of a body, joint, link or base is, 1 for all others; may be given several times.
    #[arg(long, value_name = "NAME=W", value_parser = weight)]
    weight: Vec<(String, f64)>,
    /// Bodies of a scene may turn, too; so they do in scenes with robots.
    #[arg(long, conflicts_with = "robot")]
    turn: bool,
    #[command(flatten, next_help_heading = "Options of robots")]
    of_robot: robot::RobotArguments,
}

/// How much work to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EffortArgument {
    /// One look at each pair of bodies; one search for a robot.
    Fast,
    /// A thorough search of each pair; many searches for a robot.
    Best,
}

impl From<EffortArgument> for Effort {
    fn from(argument: EffortArgument) -> Self {
        match argument {
            EffortArgument::Fast => Self::Fast,
            EffortArgument::Best => Self::Best,
        }
    }
}

/// An answer as a line of JSON.
#[derive(Debug, Serialize)]
struct Told<'a, A> {
    index: usize,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(flatten)]
    answer: &'a A,
    time_ms: f64,
}

impl<'a, A> Told<'a, A> {
    fn new(status: Status, error: Option<&'a str>, answer: &'a A, time: Duration) -> Self {
        Self { index: 0, status, error, answer, time_ms: time.as_secs_f64() * 1e3 }
    }
}

/// What a repair came to, as a person is told.
fn word(status: Status) -> &'static str {
    match status {
        Status::Repaired => "repaired",
        Status::AlreadyFree => "free already",
        Status::NotFound => "NOT repaired",
    }
}

/// Share of the whole motion below which a change is not listed for people.
const UNLISTED: f64 = 1e-3;

/// The changes worth listing, which come first, and the number of the others.
fn matter(changes: &[Change], depth: f64) -> (&[Change], usize) {
    let listed = changes.iter().take_while(|change| change.sigma.sqrt() >= UNLISTED * depth).count();
    (&changes[..listed], changes.len() - listed)
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("a number of metres, not below zero, is needed")),
    }
}

fn weight(text: &str) -> Result<(String, f64), String> {
    let wrong = || String::from("NAME=W with a number W above zero is needed");
    // A name may hold an equals sign, a number does not.
    let (name, number) = text.rsplit_once('=').ok_or_else(wrong)?;
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok((name.to_owned(), value)),
        _ => Err(wrong()),
    }
}

/// Repairs what the arguments name.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let started = Instant::now();
    match (&arguments.scene, &arguments.output) {
        (Some(scene), Some(output)) => {
            arguments.of_robot.refuse()?;
            let scene = access::scene(scene)?;
            if arguments.turn || !scene.robots.is_empty() {
                return posed::execute(console, arguments, (&scene, output), started);
            }
            bodies::execute(console, arguments, (&scene, output), started)
        }
        _ => robot::execute(console, interrupt, arguments),
    }
}

/// The folder that a file is written to.
fn folder_of(output: &Path) -> &Path {
    output.parent().unwrap_or(Path::new(""))
}

/// Writes the text of a scene that was made of `scene`, with copies of the files that it may not name from there, and reads
/// it back.
fn write_scene(scene: &Scene, text: &str, output: &Path) -> Result<Scene, Failure> {
    let reach = access::reach_of_scene(output);
    let written = record::write_scene(scene, text, output, &reach);
    let text = written.map_err(|error| Failure::of(Exit::Usage, &error))?;
    Ok(Scene::parse_within(output, text, &reach)?)
}

/// Writes a file as a whole: one that is there has all of its text.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    record::write_whole(path, text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))
}
