//! Dense meshes fall into a bin: real-time factor, slowest steps, and whether they lie still in the end.
//!
//! ```text
//! cargo run --release --example scan_bin                  # procedural meshes of 12 000 to 33 000 triangles
//! cargo run --release --example scan_bin -- FILE…         # these meshes as well, scaled to the same size
//! ```
//!
//! Each mesh is in the bin three times or more, until there are at least 27 bodies; the run is 3 s at 1/240 s, with the meshes as they
//! are and with their hulls. Files whose meshes are not closed are left out, and named.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

#[path = "step_times/mod.rs"]
mod step_times;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::penetration::Effort;
use extricate::scene::overlaps;
use extricate::{Scene, Shape};

use step_times::StepTimes;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Simulated time [s].
const DURATION: f64 = 3.0;
/// Step [s].
const STEP: f64 = 1.0 / 240.0;
/// Radius to which files are scaled [m].
const RADIUS: f64 = 0.11;
/// Bodies in a layer, and the minimum number of layers.
const LAYER: usize = 9;
const LAYERS: usize = 3;
/// Meshes of the project's own generators, with their scale to about [`RADIUS`].
const PROCEDURAL: [&str; 3] = [
    "procedural(kind: \"blob\", parameters: {\"frequency\": 39}, scale: 0.12)",
    "procedural(kind: \"figurine\", scale: 0.12)",
    "procedural(kind: \"torus_knot\", parameters: {\"segments\": 400, \"sides\": 40}, scale: 0.05)",
];

/// The shape of a file as a scene names it, if it is a closed mesh, and its number of triangles.
fn of_file(file: &PathBuf) -> Result<Option<(String, usize)>> {
    let shape = Shape::mesh(read_mesh(file)?);
    let Some(model) = shape.model().filter(|model| model.solidity() == Solidity::Solid) else {
        return Ok(None);
    };
    let triangles = model.mesh().triangles().len();
    let scale = RADIUS / model.radius();
    let usable = shape.mass_properties().is_ok();
    Ok(usable.then(|| {
        (format!("mesh(file: {:?}, scale: {scale})", file.canonicalize().unwrap_or_default()), triangles)
    }))
}

fn scene_text(shapes: &[String], as_hulls: bool) -> String {
    let layers = shapes.len().max(LAYERS * LAYER).div_ceil(LAYER);
    let mut text = format!(
        "(title: \"Scans in a bin\", duration: {DURATION}, time_step: {STEP}, accuracy: preview, seed: 3, shapes: {{\
         \"floor\": cuboid(size: (1.4, 1.4, 0.2)), \"wall\": cuboid(size: (0.2, 1.4, {})), ",
        0.6 * layers as f64
    );
    for (index, shape) in shapes.iter().enumerate() {
        let shape = if as_hulls { format!("hull(of: {shape})") } else { shape.clone() };
        text += &format!("\"shape-{index}\": {shape}, ");
    }
    text += "}, bodies: [(name: \"floor\", shape: \"floor\", kind: fixed, position: (0, 0, -0.1)), ";
    for (index, (x, y, angle)) in
        [(-0.5, 0, 0), (0.5, 0, 0), (0.0, -1, 90), (0.0, 1, 90)].into_iter().enumerate()
    {
        let y = 0.5 * f64::from(y);
        text += &format!(
            "(name: \"wall-{index}\", shape: \"wall\", kind: fixed, position: ({x}, {y}, {}), rotation: euler_degrees(0, 0, {angle})), ",
            0.3 * layers as f64
        );
    }
    for body in 0..layers * LAYER {
        let (layer, place) = (body / LAYER, body % LAYER);
        let (x, y) = (0.26 * ((place % 3) as f64 - 1.0), 0.26 * ((place / 3) as f64 - 1.0));
        let z = 0.2 + 0.28 * layer as f64;
        let shape = (body + layer) % shapes.len();
        text += &format!(
            "(name: \"body-{body}\", shape: \"shape-{shape}\", position: ({x}, {y}, {z}), copies: (count: (1, 1, 1), spacing: (0, 0, 0), random_rotation: true)), "
        );
    }
    text + "])"
}

fn pour(name: &str, shapes: &[String], as_hulls: bool) -> Result<()> {
    let path = std::env::temp_dir().join("scan_bin.ron");
    let scope = extricate::geometry::read::FileScope::anywhere();
    let scene = Scene::parse_within(&path, scene_text(shapes, as_hulls), &scope)?;
    let mut world = scene.world()?;
    let times = StepTimes::run(&mut world, DURATION)?;
    let overlap =
        overlaps(&world, Effort::Fast)?.iter().map(|pair| pair.depth / pair.size).fold(0.0, f64::max);
    let bodies = world.descriptions().len() - 5;
    println!("| {name} | {bodies} | {overlap:.1e} | {times} |");
    Ok(())
}

fn run() -> Result<()> {
    let mut shapes: Vec<_> = PROCEDURAL.map(str::to_owned).into();
    for file in std::env::args().skip(1).map(PathBuf::from) {
        match of_file(&file)? {
            Some((shape, triangles)) => {
                println!("{}: {triangles} triangles", file.display());
                shapes.push(shape);
            }
            None => println!("{}: not a closed mesh, left out", file.display()),
        }
    }
    println!("| shapes | bodies | overlap ÷ size at the end | {} |", StepTimes::HEADER);
    println!("|---|--:|--:|{}", StepTimes::RULE);
    pour("meshes", &shapes, false)?;
    pour("hulls", &shapes, true)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
