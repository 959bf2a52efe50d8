//! `extricate field`: the signed distance field of a closed mesh, as a file, an image or a picture of a slice.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::field::{DistanceField, FieldError, FieldOptions, Order, Side};
use extricate_scene::request::MeshUnits;

/// FieldArguments of `extricate field`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct FieldArguments {
    /// Closed mesh to read: .obj, .stl, .ply, .off, .gltf or .glb.
    input: PathBuf,
    /// File to write: .field (the complete field), .vti (VTK image data) or .svg (a slice); may be repeated.
    #[arg(short, long, required = true, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Nodes along the longest side of the grid.
    #[arg(long, value_name = "COUNT", default_value_t = FieldOptions::default().resolution, conflicts_with = "spacing")]
    resolution: usize,
    /// Distance between neighbouring nodes [m], instead of --resolution.
    #[arg(long, value_name = "LENGTH")]
    spacing: Option<f64>,
    /// Margin around the mesh, as a fraction of the longest side of its box.
    #[arg(long, value_name = "FRACTION", default_value_t = FieldOptions::default().padding)]
    padding: f64,
    /// Order of the finite differences.
    #[arg(long, value_enum, default_value = "second")]
    order: OrderName,
    /// Side of the surface on which distances are computed.
    #[arg(long, value_enum, default_value = "both")]
    side: SideName,
    /// Distance from the surface up to which values are computed [m] [default: everywhere].
    #[arg(long, value_name = "LENGTH")]
    band: Option<f64>,
    /// Distance from the surface up to which values are exact instead of marched [cells] [default: 1 on fine grids, 2 on coarse ones].
    #[arg(long, value_name = "CELLS")]
    exact: Option<f64>,
    /// Plane of the picture, such as z=0.25 [m] [default: normal to z through the centre of the grid].
    #[arg(long, value_name = "AXIS=VALUE", value_parser = plane)]
    slice: Option<(usize, f64)>,
    #[command(flatten)]
    pub(super) units: MeshUnits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderName {
    First,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SideName {
    Inside,
    Outside,
    Both,
}

const EXAMPLES: &str = "\
Examples:
  extricate field ring.obj -o ring.vti -o ring.svg --slice z=0
  extricate field cup.ply -o cup.field --resolution 128 --side inside --json";

/// Properties of the field.
#[derive(Debug, Serialize)]
struct FieldReport {
    input: String,
    outputs: Vec<String>,
    /// Nodes along the axes.
    counts: [usize; 3],
    /// Position of the first node [m].
    origin: [f64; 3],
    /// Distance between neighbours [m].
    spacing: f64,
    nodes: usize,
    /// Nodes with a distance.
    known: usize,
    /// Nodes inside, with a distance or not.
    inside: usize,
    /// Minimum and maximum distance [m].
    #[serde(rename = "least")]
    min: Option<f64>,
    #[serde(rename = "greatest")]
    max: Option<f64>,
    /// Times of computing and of writing it [s].
    seconds: f64,
    seconds_writing: f64,
    /// Memory of the values [bytes].
    memory: usize,
}

/// Computes the field, writes it and reports its properties.
pub(super) fn execute(console: &mut Console, arguments: &FieldArguments) -> Result<(), Failure> {
    let FieldArguments { input, output, .. } = arguments;
    check_outputs(arguments)?;
    let mesh = console.access().mesh(input).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let started = Instant::now();
    let field = DistanceField::of(&mesh, &options(arguments)).map_err(|error| {
        let exit = if matches!(error, FieldError::Shape(_)) { Exit::BadFile } else { Exit::Usage };
        Failure::new(exit, format!("{}: {error}", input.display()))
    })?;
    let seconds = started.elapsed().as_secs_f64();
    for path in output {
        write(&field, path, arguments.slice).map_err(|error| Failure::of(Exit::Usage, &error))?;
    }
    let mut report = describe(&field);
    report.input = input.display().to_string();
    report.outputs = output.iter().map(|path| path.display().to_string()).collect();
    report.seconds = seconds;
    report.seconds_writing = started.elapsed().as_secs_f64() - seconds;
    if console.json() { console.json_line(&report) } else { print_report(console, &report) }
}

fn options(arguments: &FieldArguments) -> FieldOptions {
    FieldOptions {
        resolution: arguments.resolution,
        spacing: arguments.spacing,
        padding: arguments.padding,
        order: match arguments.order {
            OrderName::First => Order::First,
            OrderName::Second => Order::Second,
        },
        side: match arguments.side {
            SideName::Inside => Side::Inside,
            SideName::Outside => Side::Outside,
            SideName::Both => Side::Both,
        },
        band: arguments.band,
        exact: arguments.exact,
    }
}

/// Reads a plane such as `z=0.25`.
fn plane(text: &str) -> Result<(usize, f64), String> {
    let wrong = || format!("expected a plane AXIS=VALUE with a value in metres, such as z=0.25, not {text}");
    let (name, at) = text.split_once('=').ok_or_else(wrong)?;
    let axis = ["x", "y", "z"].iter().position(|&axis| axis == name).ok_or_else(wrong)?;
    Ok((axis, at.parse().map_err(|_| wrong())?))
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// Checks before the computation that all outputs have a known format, and that an output shows the slice.
fn check_outputs(arguments: &FieldArguments) -> Result<(), Failure> {
    let outputs = &arguments.output;
    if let Some(path) = outputs.iter().find(|path| !["field", "vti", "svg"].contains(&extension(path))) {
        let message = format!("{}: a field is written as .field, .vti or .svg", path.display());
        return Err(Failure::new(Exit::Usage, message));
    }
    if arguments.slice.is_some() && !outputs.iter().any(|path| extension(path) == "svg") {
        return Err(Failure::new(Exit::Usage, "--slice needs an output that ends in .svg"));
    }
    Ok(())
}

fn write(field: &DistanceField, path: &Path, slice: Option<(usize, f64)>) -> Result<(), FieldError> {
    match extension(path) {
        "vti" => Ok(field.write_vtk(path)?),
        "svg" => {
            let (axis, at) = slice.unwrap_or((2, field.grid().bounds().center().z));
            field.draw_slice(axis, at, path)
        }
        _ => Ok(field.save(path)?),
    }
}

fn describe(field: &DistanceField) -> FieldReport {
    let grid = field.grid();
    let (mut min, mut max, mut inside) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for value in field.values() {
        inside += usize::from(value < 0.0);
        if value.is_finite() {
            (min, max) = (min.min(value), max.max(value));
        }
    }
    FieldReport {
        input: String::new(),
        outputs: Vec::new(),
        counts: grid.counts,
        origin: grid.origin.into(),
        spacing: grid.spacing,
        nodes: grid.len(),
        known: field.known(),
        inside,
        min: Some(min).filter(|value| value.is_finite()),
        max: Some(max).filter(|value| value.is_finite()),
        seconds: 0.0,
        seconds_writing: 0.0,
        memory: field.memory(),
    }
}

fn print_report(console: &mut Console, report: &FieldReport) -> Result<(), Failure> {
    let [x, y, z] = report.counts;
    console.line(format_args!("{} → {}", report.input, report.outputs.join(", ")))?;
    console.line(format_args!("  grid       {x} × {y} × {z} nodes, {:.4e} m apart", report.spacing))?;
    console.line(format_args!(
        "  distances  at {} of {} nodes, {} inside",
        report.known, report.nodes, report.inside
    ))?;
    if let (Some(min), Some(max)) = (report.min, report.max) {
        console.line(format_args!("  from       {min:.6} m to {max:.6} m"))?;
    }
    let (nanoseconds, mebibytes) =
        (1e9 * report.seconds / report.nodes as f64, report.memory as f64 / f64::from(1 << 20));
    console.line(format_args!(
        "  computed   in {:.4} s, {nanoseconds:.0} ns per node, {mebibytes:.1} MiB",
        report.seconds
    ))
}
