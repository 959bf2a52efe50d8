//! `extricate tetrahedralize`: fills a closed mesh with tetrahedra and reports their quality.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::field::FieldError;
use extricate_core::field::tetrahedralize::{Tetrahedralization, TetrahedralizeOptions, tetrahedralize};
use extricate_core::geometry::tet_mesh::write::write_tets;
use extricate_core::geometry::{ShapeError, TriangleMesh};
use extricate_scene::request::MeshUnits;

/// TetrahedralizeArguments of `extricate tetrahedralize`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TetrahedralizeArguments {
    /// Closed mesh to read: .obj, .stl, .ply, .off, .gltf or .glb.
    input: PathBuf,
    /// File to write: .node or .ele (both are written), .msh or .vtu.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Length of a lattice cell [m] [default: derived from the mesh, for a volume error of at most 2 %].
    #[arg(long, value_name = "LENGTH", conflicts_with = "cells")]
    resolution: Option<f64>,
    /// Number of lattice cells along the longest side of the mesh's box.
    #[arg(long, value_name = "COUNT")]
    cells: Option<u32>,
    #[command(flatten)]
    pub(super) units: MeshUnits,
}

const EXAMPLES: &str = "\
Examples:
  extricate tetrahedralize ring.obj -o ring.ele
  extricate tetrahedralize bunny.ply -o bunny.vtu --cells 40 --json";

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct TetrahedralizeAnswer<'a> {
    input: String,
    output: String,
    #[serde(flatten)]
    filled: &'a Tetrahedralization,
}

/// Fills the mesh, writes the tetrahedra and reports their quality.
pub(super) fn execute(console: &mut Console, arguments: &TetrahedralizeArguments) -> Result<(), Failure> {
    let TetrahedralizeArguments { input, output, .. } = arguments;
    let mesh = console.access().mesh(input).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let options = TetrahedralizeOptions { cell: cell(arguments, &mesh), ..Default::default() };
    let filled = tetrahedralize(&mesh, &options).map_err(|error| {
        let exit = match error {
            FieldError::Shape(ShapeError::NotClosed { .. } | ShapeError::ZeroVolume { .. }) => Exit::BadFile,
            FieldError::Shape(_) => Exit::Numerical,
            _ => Exit::Usage,
        };
        Failure::new(exit, format!("{}: {error}", input.display()))
    })?;
    write_tets(&filled.mesh, output).map_err(|error| Failure::of(Exit::Usage, &error))?;
    if console.json() {
        let [input, output] = [input, output].map(|path| path.display().to_string());
        return console.json_line(&TetrahedralizeAnswer { input, output, filled: &filled });
    }
    console.line(format_args!("{} → {}", input.display(), output.display()))?;
    console.line(format_args!("  cell             {:.4e} m", filled.cell))?;
    console.line(format_args!("  volume error     {:+.2} %", 100.0 * filled.volume_error))?;
    console.line(format_args!("  surface deviates {:.2e} m", filled.surface_deviation))?;
    console.line(&filled.quality)
}

/// Length of a cell [m] from the command line.
fn cell(arguments: &TetrahedralizeArguments, mesh: &TriangleMesh) -> Option<f64> {
    let of_count = |count: u32| mesh.aabb().extents().max() / f64::from(count);
    arguments.resolution.or(arguments.cells.map(of_count))
}
