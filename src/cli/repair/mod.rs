//! `extricate repair`: the nearest collision-free poses of a robot, or of the bodies and robots of a scene.

mod robot;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

pub(super) use self::robot::srdf_of;
use super::terminal::{Console, Exit, Failure};
use extricate_scene::record;
use extricate_scene::request::{
    MeshUnits, RepairFields, RepairStatus, Response, SceneChange, SceneRepairRequest,
};
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
  extricate repair --robot figure.urdf --joints q.json --obstacle bench.urdf --keep com:left_foot,right_foot
  extricate repair --robot arm.urdf --joints q.json --obstacle car.obj --attach hand=box:0.1,0.1,0.2@0,0,0.15
  extricate repair --robot arm.urdf --list-allowed --format srdf > arm.srdf
  extricate repair --robot ur5e.urdf.xacro --xacro-arg name=ur5e --package ros_ws/src --joints q.json

In a scene, overlapping dynamic bodies are translated together, with a small sum of squared displacements; fixed and kinematic
ones stay. Bodies connected by joints move as one, and stay if one of them stays. With `--turn`, and in scenes with robots,
overlapping bodies are rotated as well, robots move their joints (and their bases if floating), and other bodies stay if
possible. OUT is the scene with its positions, rotations, copies and joints replaced; comments and layout are preserved.
Meshes and robots that it may not name from its folder are copied to NAME.assets beside it, for OUT = NAME.ron. NAME of
`--fix` and `--weight` is a body, a robot (its base), ROBOT/JOINT or ROBOT/LINK.

For a robot, the change of the joints (and with `--base floating` of its root) is minimised in the object norm, the root mean
square of the displacement of its points, within the limits of the joints. A line of Q.json is
{\"joints\": {name: value}, \"base\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}} in rad and m; joints that are not
named are at zero. Several lines are a sequence: the search also starts from previous free configurations. OUT has the same
format, a line for each. NAME of `--fix` and `--weight` is a joint, a link (all joints above it) or `base`.

Soft bodies are moved rigidly, and stay where handles or attachments hold their nodes. `--attach` makes an object move with a link or
body and part of what is repaired; it may touch the link, those fixed to it and those that it carries. Every answer is checked by an independent collision query.
Exit code 6 means that bodies still collide in OUT, which is the best result found.";

/// RepairArguments of `repair`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RepairArguments {
    /// The scene file.
    #[arg(required_unless_present = "robot", conflicts_with = "robot")]
    scene: Option<PathBuf>,
    /// Repaired file: a scene, or for a robot a line for each configuration.
    #[arg(short, long, value_name = "OUT", required_unless_present = "robot")]
    output: Option<PathBuf>,
    #[command(flatten)]
    fields: RepairFields,
    /// Also rotate bodies of a scene; always enabled in scenes with robots or with joints that are not fixed.
    #[arg(long, conflicts_with = "robot")]
    turn: bool,
    #[command(flatten, next_help_heading = "Options of robots")]
    of_robot: robot::RobotArguments,
    #[command(flatten)]
    pub(super) units: MeshUnits,
}

/// An answer as a line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a, A> {
    index: usize,
    status: RepairStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(flatten)]
    answer: &'a A,
    time_ms: f64,
}

impl<'a, A> Line<'a, A> {
    fn new(
        index: usize,
        status: RepairStatus,
        error: Option<&'a str>,
        answer: &'a A,
        time: Duration,
    ) -> Self {
        Self { index, status, error, answer, time_ms: time.as_secs_f64() * 1e3 }
    }
}

/// Repairs a robot or a scene.
pub(super) fn execute(console: &mut Console, arguments: &RepairArguments) -> Result<(), Failure> {
    match (&arguments.scene, &arguments.output) {
        (Some(scene), Some(output)) => {
            arguments.of_robot.refuse()?;
            if !arguments.units.is_default() {
                let message =
                    "--scale and --up apply to meshes of `--obstacle`; a scene states `scale` of its own";
                return Err(Failure::new(Exit::Usage, message));
            }
            repair_scene(console, arguments, (scene, output))
        }
        _ => robot::execute(console, arguments),
    }
}

/// Repairs a scene and writes it.
fn repair_scene(
    console: &mut Console,
    arguments: &RepairArguments,
    (path, output): (&Path, &Path),
) -> Result<(), Failure> {
    let started = Instant::now();
    let scene = console.access().scene(path)?;
    let request = SceneRepairRequest { rotate: arguments.turn, fields: arguments.fields.clone() };
    let folder = output.parent().unwrap_or(Path::new(""));
    let response = request.repair(&scene, true, |scene, change| -> Result<_, Failure> {
        let text = match change {
            SceneChange::Moved(moves) => scene.text_with_moves(moves, folder)?,
            SceneChange::Posed(poses) => scene.text_with_poses(poses, folder)?,
        };
        write_scene(console, scene, &text, output)
    });
    let mut response = response?;
    // The refusal of the written poses is the error, unless the remaining overlaps are listed anyway.
    let (status, refusal, error) = match &mut response {
        Response::BodiesRepair(found) => {
            found.report.written_to = Some(output.to_owned());
            (found.status, found.refusal.clone(), None)
        }
        Response::SceneRepair(found) => {
            found.report.written_to = Some(output.to_owned());
            let error = found.refusal.clone().filter(|_| found.overlaps_after.is_empty());
            (found.status, found.refusal.clone(), error)
        }
        _ => unreachable!("a scene is repaired"),
    };
    if console.json() {
        console.json_line(&Line::new(0, status, error.as_deref(), &response, started.elapsed()))?;
    } else {
        console.line(&response)?;
    }
    match (status, refusal) {
        (RepairStatus::NotFound, Some(message)) => Err(Failure::new(Exit::NoFreePose, message)),
        (RepairStatus::NotFound, None) => Err(Failure::Silent(Exit::NoFreePose)),
        _ => Ok(()),
    }
}

/// Writes the text of a scene derived from `scene`, with copies of the files that it may not name from there, and reads it
/// back.
fn write_scene(console: &Console, scene: &Scene, text: &str, output: &Path) -> Result<Scene, Failure> {
    let reach = console.access().scope_of_scene(output);
    let written = record::write_scene(scene, text, output, &reach);
    let text = written.map_err(|error| Failure::of(Exit::Usage, &error))?;
    Ok(Scene::parse_within(output, text, &reach)?)
}

/// Writes a file atomically: an existing file is always complete.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    record::write_whole(path, text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))
}
