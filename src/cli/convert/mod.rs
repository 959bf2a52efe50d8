//! `extricate convert`: converts a mesh to another format and reports its quality; converts golden files of the old format.

mod golden;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::terminal::{Console, Exit, Failure};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::write::{Encoding, write_mesh_as};
use extricate_scene::request::MeshUnits;

/// ConvertArguments of `extricate convert`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArguments {
    /// Mesh to read: .obj, .stl, .ply, .off, .gltf or .glb; or a golden file, or a folder of them.
    input: PathBuf,
    /// Mesh to write: .obj, .ply or .stl; or file or folder of the converted golden files [default for golden files: in place].
    output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) units: MeshUnits,
    /// Reverse the orientation of all triangles, which swaps inside and outside.
    #[arg(long)]
    reverse: bool,
    /// Write .ply and .stl as text instead of binary.
    #[arg(long)]
    text: bool,
}

const EXAMPLES: &str = "\
Examples:
  extricate convert part.stl part.obj --scale 0.001
  extricate convert scan.ply scan.stl --json
  extricate convert tests/golden

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
    let ConvertArguments { input, output, units, reverse, text } = arguments;
    let has_mesh_options = *reverse || *text || !units.is_default();
    if golden::is_golden(input) {
        let message = "--scale, --up, --reverse and --text apply to meshes, not to golden files";
        let wrong = has_mesh_options.then(|| Failure::new(Exit::Usage, message));
        return wrong.map_or_else(|| golden::convert(console, input, output.as_deref()), Err);
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
