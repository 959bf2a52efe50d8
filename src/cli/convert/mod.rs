//! `extricate convert`: reads a mesh in one format and writes it in another, and tells what it is like; makes golden files of the
//! first form into those of the second one.

mod golden;

use std::path::PathBuf;

use clap::Args;
use nalgebra::Vector3;
use serde::Serialize;

use super::terminal::{Console, Exit, Failure};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::write::{Encoding, write_mesh_as};

/// Arguments of `extricate convert`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Mesh to read: .obj, .stl, .ply, .off, .gltf or .glb; or a golden file, or a folder of them.
    input: PathBuf,
    /// Mesh to write: .obj, .ply or .stl; file or folder of golden files, which are converted in place without.
    output: Option<PathBuf>,
    /// Factor on every length; 0.001 makes metres of millimetres.
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
    /// Turn every triangle round, so that inside and outside change places.
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

Golden files of the first form, lines of words, become those of the second one, lines of JSON, with the same numbers. Those of
the second form stay as they are.";

/// What is told of the mesh.
#[derive(Debug, Serialize)]
struct Converted<'a> {
    input: String,
    output: String,
    #[serde(flatten)]
    report: &'a MeshReport,
}

/// Converts the file and tells what the mesh is like as it is written.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { input, output, scale, reverse, text } = arguments;
    let for_meshes = *reverse || *text || scale.to_bits() != 1.0_f64.to_bits();
    if golden::is_meant(input) {
        let message = "--scale, --reverse and --text are for meshes, not for golden files";
        let wrong = for_meshes.then(|| Failure::new(Exit::Usage, message));
        return wrong.map_or_else(|| golden::convert(console, input, output.as_deref()), Err);
    }
    let Some(output) = output else {
        return Err(Failure::new(Exit::Usage, "the mesh to write is missing: extricate convert IN OUT"));
    };
    if !(*scale > 0.0 && scale.is_finite()) {
        return Err(Failure::new(Exit::Usage, format!("the scale must be a positive factor, not {scale}")));
    }
    let read = console.access().mesh(input).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let scaled = read.scaled(&Vector3::repeat(*scale)).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let mesh = if *reverse { scaled.reversed() } else { scaled };
    let encoding = if *text { Encoding::Text } else { Encoding::Binary };
    write_mesh_as(&mesh, output, encoding).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let report = MeshReport::of(&mesh);
    if console.json() {
        let [input, output] = [input, output].map(|path| path.display().to_string());
        return console.json_line(&Converted { input, output, report: &report });
    }
    console.line(format_args!("{} → {}", input.display(), output.display()))?;
    console.line(report)
}
