//! `extricate convert`: converts a mesh to another format and reports its quality, a run to a format of other programs, a robot
//! to URDF or SRDF, and golden files of the old format.

mod golden;
pub(super) mod recording;
mod robot;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::terminal::{Console, Exit, Failure};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::write::{Encoding, write_mesh_as};
use extricate_scene::request::{LinkFields, MeshUnits};

/// ConvertArguments of `extricate convert`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArguments {
    /// Mesh to read: .obj, .stl, .ply, .off, .gltf, .glb or .dae; a run, its folder or an .mcap file of it; a robot in URDF, xacro or MJCF; or a
    /// golden file, or a folder of them.
    input: PathBuf,
    /// Mesh to write: .obj, .ply or .stl; of a run: .glb, .mcap, .usda, .csv or, of an .mcap file, a new folder; of a robot: .urdf, or .srdf for its allowed pairs; or
    /// file or folder of the converted golden files [default for golden files: in place].
    output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) units: MeshUnits,
    /// Reverse the orientation of all triangles, which swaps inside and outside.
    #[arg(long)]
    reverse: bool,
    /// Write .ply and .stl as text instead of binary.
    #[arg(long)]
    text: bool,
    /// Time of the state of a run that is written to .usda [s] [default: the last one].
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    #[command(flatten, next_help_heading = "Options of robots")]
    links: LinkFields,
}

const EXAMPLES: &str = "\
Examples:
  extricate convert part.stl part.obj --scale 0.001
  extricate convert scan.ply scan.stl --json
  extricate convert out/ring_stack ring_stack.glb
  extricate convert out/ring_stack ring_stack.usda --time 0.5
  extricate convert ring_stack.mcap out/again
  extricate convert arm.urdf.xacro arm.urdf --package ros_ws/src
  extricate convert arm.urdf arm.srdf
  extricate convert tests/golden

Of a run, .glb is an animation of all recorded states with every mesh once (soft bodies as morph targets), .mcap has them as messages
for Foxglove and similar programs and the run itself, for `view`, `serve`, `render` and `convert`, .usda is one state, and .csv a table of energies, joints and sensors. A robot is written with all corrections of its file applied, and what
URDF cannot hold is listed.

Golden files of the old format, lines of words, are converted to the present one, lines of JSON, with the same numbers. Those of
the present format stay unchanged.";

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct ConvertAnswer<'a> {
    input: String,
    output: String,
    #[serde(flatten)]
    report: &'a MeshReport,
}

/// Converts the file and reports the quality of the mesh as written.
pub(super) fn execute(console: &mut Console, arguments: &ConvertArguments) -> Result<(), Failure> {
    let ConvertArguments { input, output, units, reverse, text, time, links } = arguments;
    let has_mesh_options = *reverse || *text || !units.is_default();
    let is_run = recording::is_run(input) || recording::is_attached(input);
    let is_robot = output.as_deref().is_some_and(robot::is_output);
    let misused = [
        (time.is_some() && !is_run, "--time applies to runs"),
        (*links != LinkFields::default() && !is_robot, "options of robots apply to .urdf and .srdf as OUT"),
        (
            has_mesh_options && (is_run || is_robot || golden::is_golden(input)),
            "--scale, --up, --reverse and --text apply to meshes",
        ),
    ];
    if let Some((_, message)) = misused.iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(Failure::new(Exit::Usage, *message));
    }
    match output {
        Some(output) if is_run => return recording::convert(console, input, output, *time),
        Some(output) if is_robot => return robot::convert(console, (input, output), links),
        output if !is_run && golden::is_golden(input) => {
            return golden::convert(console, input, output.as_deref());
        }
        _ => {}
    }
    let Some(output) = output else {
        return Err(Failure::new(Exit::Usage, "missing output: expected `extricate convert IN OUT`"));
    };
    let read = console.access().mesh(input).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let mesh = if *reverse { read.reversed() } else { read };
    let encoding = if *text { Encoding::Text } else { Encoding::Binary };
    write_mesh_as(&mesh, output, encoding).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let report = MeshReport::of(&mesh);
    if console.json() {
        let [input, output] = [input, output].map(|path| path.display().to_string());
        return console.json_line(&ConvertAnswer { input, output, report: &report });
    }
    console.line(format_args!("{} → {}", input.display(), output.display()))?;
    console.line(report)
}
