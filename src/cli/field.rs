//! `extricate field`: the signed distance field of a closed mesh, as a file, an image or a picture of a slice.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::field::{DistanceField, FieldError, FieldOptions, Order, Side};

/// Arguments of `extricate field`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Closed mesh to read: .obj, .stl, .ply, .off, .gltf or .glb.
    input: PathBuf,
    /// File to write: .field (all there is to it), .vti (image of VTK) or .svg (a slice); may be repeated.
    #[arg(short, long, required = true, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Nodes along the longest side of the grid.
    #[arg(long, value_name = "COUNT", default_value_t = FieldOptions::default().resolution, conflicts_with = "spacing")]
    resolution: usize,
    /// Instead: distance between neighbouring nodes [m].
    #[arg(long, value_name = "LENGTH")]
    spacing: Option<f64>,
    /// Room around the mesh, as a share of the longest side of its box.
    #[arg(long, value_name = "SHARE", default_value_t = FieldOptions::default().padding)]
    padding: f64,
    /// Order of the differences.
    #[arg(long, value_enum, default_value = "second")]
    order: OrderName,
    /// Side of the surface on which distances are wanted.
    #[arg(long, value_enum, default_value = "both")]
    side: SideName,
    /// Distance from the surface up to which values are wanted [m]; everywhere unless it is given.
    #[arg(long, value_name = "LENGTH")]
    band: Option<f64>,
    /// Distance from the surface up to which values are exact instead of marched [cells]; 1 on fine grids, 2 on coarse.
    #[arg(long, value_name = "CELLS")]
    exact: Option<f64>,
    /// Plane of the picture, such as z=0.25 [m]; through the middle of the grid at a right angle to z by default.
    #[arg(long, value_name = "AXIS=VALUE", value_parser = plane)]
    slice: Option<(usize, f64)>,
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

/// What is told of the field.
#[derive(Debug, Serialize)]
struct Told {
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
    /// Least and greatest distance [m].
    least: Option<f64>,
    greatest: Option<f64>,
    /// Time of making and of writing it [s].
    seconds: f64,
    seconds_writing: f64,
    /// Memory of the values [bytes].
    memory: usize,
}

/// Makes the field, writes it and tells what it is like.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { input, output, .. } = arguments;
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
    let mut told = describe(&field);
    told.input = input.display().to_string();
    told.outputs = output.iter().map(|path| path.display().to_string()).collect();
    told.seconds = seconds;
    told.seconds_writing = started.elapsed().as_secs_f64() - seconds;
    if console.json() { console.json_line(&told) } else { tell(console, &told) }
}

fn options(arguments: &Arguments) -> FieldOptions {
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
    let wrong = || format!("a plane is an axis and a number of metres, such as z=0.25, not {text}");
    let (name, at) = text.split_once('=').ok_or_else(wrong)?;
    let axis = ["x", "y", "z"].iter().position(|&axis| axis == name).ok_or_else(wrong)?;
    Ok((axis, at.parse().map_err(|_| wrong())?))
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// Before anything is computed: whether all outputs can be written, and something shows the slice.
fn check_outputs(arguments: &Arguments) -> Result<(), Failure> {
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

fn describe(field: &DistanceField) -> Told {
    let grid = field.grid();
    let (mut least, mut greatest, mut inside) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for value in field.values() {
        inside += usize::from(value < 0.0);
        if value.is_finite() {
            (least, greatest) = (least.min(value), greatest.max(value));
        }
    }
    Told {
        input: String::new(),
        outputs: Vec::new(),
        counts: grid.counts,
        origin: grid.origin.into(),
        spacing: grid.spacing,
        nodes: grid.len(),
        known: field.known(),
        inside,
        least: Some(least).filter(|value| value.is_finite()),
        greatest: Some(greatest).filter(|value| value.is_finite()),
        seconds: 0.0,
        seconds_writing: 0.0,
        memory: field.memory(),
    }
}

fn tell(console: &mut Console, told: &Told) -> Result<(), Failure> {
    let [x, y, z] = told.counts;
    console.line(format_args!("{} → {}", told.input, told.outputs.join(", ")))?;
    console.line(format_args!("  grid       {x} × {y} × {z} nodes, {:.4e} m apart", told.spacing))?;
    console.line(format_args!(
        "  distances  at {} of {} nodes, {} inside",
        told.known, told.nodes, told.inside
    ))?;
    if let (Some(least), Some(greatest)) = (told.least, told.greatest) {
        console.line(format_args!("  from       {least:.6} m to {greatest:.6} m"))?;
    }
    let (nanoseconds, mebibytes) =
        (1e9 * told.seconds / told.nodes as f64, told.memory as f64 / f64::from(1 << 20));
    console.line(format_args!(
        "  made in    {:.4} s, {nanoseconds:.0} ns a node, {mebibytes:.1} MiB",
        told.seconds
    ))
}
