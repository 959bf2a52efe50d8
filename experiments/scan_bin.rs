//! Dense meshes fall into a bin: real-time factor, slowest steps, and whether they lie still in the end.
//!
//! ```text
//! cargo run --release --example scan_bin                  # procedural meshes of 12 000 to 33 000 triangles
//! cargo run --release --example scan_bin -- FILE…         # these meshes as well, scaled to the same size
//! cargo run --release --example scan_bin -- --files FILE… # these alone
//! cargo run --release --example scan_bin -- --seed 5 --seconds 1 --meshes   # another drop, shorter, and not with hulls
//! cargo run --release --example scan_bin -- --accuracy standard --rolling 0.001   # another accuracy, and coefficient of rolling friction [m]
//! cargo run --release --example scan_bin -- --sleep         # bodies at rest fall asleep
//! ```
//!
//! Each mesh is in the bin three times or more, until there are at least 27 bodies; the run is 3 s at `preview` (steps of 1/240 s), with the meshes as they
//! are and with their hulls. Files whose meshes are not closed are left out, and named. A second table has the phases of each half second.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

#[path = "step_times/mod.rs"]
mod step_times;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use extricate::dynamics::StepReport;
use extricate::geometry::read::read_mesh;
use extricate::geometry::write::write_mesh;
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::nalgebra::Point3;
use extricate::penetration::Effort;
use extricate::scene::overlaps;
use extricate::{Scene, Shape, World};

use step_times::StepTimes;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Simulated time without `--seconds` [s].
const DURATION: f64 = 3.0;
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

/// Length of a part of a run [s].
const PART: f64 = 0.5;

/// Phases of a run, and its energy.
struct Course {
    /// Step [s].
    step: f64,
    /// Energy at the start [J].
    before: f64,
    /// Work of separating overlaps so far [J].
    lifted: f64,
    /// Maximum gain and loss of energy since the start [J].
    gain: f64,
    loss: f64,
    parts: Vec<Part>,
}

/// Sums over the steps of a part of a run.
#[derive(Default)]
struct Part {
    steps: u32,
    total: Duration,
    /// Contacts, summed over the threads; narrow phase, solver, continuous collision, passes.
    phases: [Duration; 5],
    contacts: usize,
    /// Maximum speed at its end [m/s], and maximum overlap [m].
    speed: f64,
    overlap: f64,
}

impl Course {
    fn of(world: &World) -> Self {
        let step = world.options().time_step;
        Self { step, before: world.energy().total(), lifted: 0.0, gain: 0.0, loss: 0.0, parts: Vec::new() }
    }

    fn add(&mut self, report: &StepReport) {
        self.lifted += report.lifted;
        let gain = report.energy.total() - self.before - self.lifted;
        (self.gain, self.loss) = (self.gain.max(gain), self.loss.max(-gain));
        if report.time > PART * self.parts.len() as f64 + 0.5 * self.step {
            self.parts.push(Part::default());
        }
        let Some(part) = self.parts.last_mut() else { return };
        let timings = &report.timings;
        let phases =
            [timings.contacts, timings.narrow_phase, timings.solver, timings.continuous, timings.passes];
        part.phases.iter_mut().zip(phases).for_each(|(sum, time)| *sum += time);
        part.total += timings.total;
        part.steps += 1;
        part.contacts += report.contacts;
        part.speed = report.max_speed;
        part.overlap = part.overlap.max(report.max_penetration);
    }

    /// Maximum gain of energy over the maximum loss, which is what the run dissipates.
    fn relative_gain(&self) -> f64 {
        self.gain / self.loss
    }

    /// Times of a step by phase, for each part of the run.
    fn print(&self) {
        println!(
            "| until, s | × real time | step, ms | contacts (threads added), ms | narrow phase, ms | solver, ms | \
             continuous, ms | passes, ms | contacts in a step | overlap, µm | speed, m/s |\n|{}|",
            ["--:"; 11].join("|")
        );
        for (index, part) in self.parts.iter().enumerate() {
            let ms = |time: &Duration| format!("{:.2}", 1e3 * time.as_secs_f64() / f64::from(part.steps));
            println!(
                "| {:.1} | {:.2} | {} | {} | {} | {:.1} | {:.3} |",
                PART * (index + 1) as f64,
                self.step * f64::from(part.steps) / part.total.as_secs_f64(),
                ms(&part.total),
                part.phases.iter().map(ms).collect::<Vec<_>>().join(" | "),
                part.contacts / part.steps as usize,
                1e6 * part.overlap,
                part.speed,
            );
        }
    }
}

/// The shape of a file as a scene names it, about its middle and scaled to [`RADIUS`], if it is a closed mesh, and its number of triangles.
fn of_file(file: &Path, index: usize) -> Result<Option<(String, usize)>> {
    let mesh = read_mesh(file)?;
    let aabb = mesh.aabb();
    let (middle, scale) = (aabb.center(), RADIUS / (0.5 * aabb.extents().norm()));
    let vertices = mesh.vertices().iter().map(|vertex| Point3::from((vertex - middle) * scale)).collect();
    let mesh = TriangleMesh::new(vertices, mesh.triangles().to_vec())?;
    let placed = std::env::temp_dir().join(format!("scan_bin-{index}.obj"));
    write_mesh(&mesh, &placed)?;
    let shape = Shape::mesh(mesh);
    let Some(model) = shape.model().filter(|model| model.solidity() == Solidity::Solid) else {
        return Ok(None);
    };
    let triangles = model.mesh().triangles().len();
    let usable = shape.mass_properties().is_ok();
    Ok(usable.then(|| (format!("mesh(file: {placed:?})"), triangles)))
}

/// Arguments of the program.
struct Arguments {
    duration: f64,
    seed: u64,
    files_alone: bool,
    hulls: bool,
    accuracy: String,
    /// Coefficient of rolling friction of all bodies [m].
    rolling: f64,
    /// Whether bodies at rest sleep.
    sleep: bool,
    files: Vec<PathBuf>,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut this = Self {
            duration: DURATION,
            seed: 3,
            files_alone: false,
            hulls: true,
            accuracy: "preview".to_owned(),
            rolling: 0.0,
            sleep: false,
            files: Vec::new(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument}: needs a value"));
            match argument.as_str() {
                "--seconds" => this.duration = value()?.parse()?,
                "--seed" => this.seed = value()?.parse()?,
                "--accuracy" => this.accuracy = value()?,
                "--rolling" => this.rolling = value()?.parse()?,
                "--sleep" => this.sleep = true,
                "--files" => this.files_alone = true,
                "--meshes" => this.hulls = false,
                _ => this.files.push(argument.into()),
            }
        }
        Ok(this)
    }
}

fn scene_text(shapes: &[String], arguments: &Arguments, as_hulls: bool) -> String {
    let layers = shapes.len().max(LAYERS * LAYER).div_ceil(LAYER);
    let mut text = format!(
        "(title: \"Scans in a bin\", duration: {}, accuracy: {}, seed: {}, {}shapes: {{\
         \"floor\": cuboid(size: (1.4, 1.4, 0.2)), \"wall\": cuboid(size: (0.2, 1.4, {})), ",
        arguments.duration,
        arguments.accuracy,
        arguments.seed,
        if arguments.sleep { "sleep: (), " } else { "" },
        0.6 * layers as f64
    );
    for (index, shape) in shapes.iter().enumerate() {
        let shape = if as_hulls { format!("hull(of: {shape})") } else { shape.clone() };
        text += &format!("\"shape-{index}\": {shape}, ");
    }
    let rolling = format!("rolling_friction: {}", arguments.rolling);
    text += &format!(
        "}}, bodies: [(name: \"floor\", shape: \"floor\", kind: fixed, position: (0, 0, -0.1), {rolling}), "
    );
    for (index, (x, y, angle)) in
        [(-0.5, 0, 0), (0.5, 0, 0), (0.0, -1, 90), (0.0, 1, 90)].into_iter().enumerate()
    {
        let y = 0.5 * f64::from(y);
        text += &format!(
            "(name: \"wall-{index}\", shape: \"wall\", kind: fixed, position: ({x}, {y}, {}), rotation: euler_degrees(0, 0, {angle}), {rolling}), ",
            0.3 * layers as f64
        );
    }
    for body in 0..layers * LAYER {
        let (layer, place) = (body / LAYER, body % LAYER);
        let (x, y) = (0.26 * ((place % 3) as f64 - 1.0), 0.26 * ((place / 3) as f64 - 1.0));
        let z = 0.2 + 0.28 * layer as f64;
        let shape = (body + layer) % shapes.len();
        text += &format!(
            "(name: \"body-{body}\", shape: \"shape-{shape}\", position: ({x}, {y}, {z}), {rolling}, copies: (count: (1, 1, 1), spacing: (0, 0, 0), random_rotation: true)), "
        );
    }
    text + "])"
}

fn pour(name: &str, shapes: &[String], arguments: &Arguments, as_hulls: bool) -> Result<()> {
    let path = std::env::temp_dir().join("scan_bin.ron");
    let scope = extricate::geometry::read::FileScope::anywhere();
    let scene = Scene::parse_within(&path, scene_text(shapes, arguments, as_hulls), &scope)?;
    let mut world = scene.world()?;
    let mut course = Course::of(&world);
    let times = StepTimes::run(&mut world, arguments.duration, |report| course.add(report))?;
    let overlap =
        overlaps(&world, Effort::Fast)?.iter().map(|pair| pair.depth / pair.size).fold(0.0, f64::max);
    let bodies = world.descriptions().len() - 5;
    println!("| shapes | bodies | overlap ÷ size at the end | energy gained | {} |", StepTimes::HEADER);
    println!("|---|--:|--:|--:|{}", StepTimes::RULE);
    println!("| {name} | {bodies} | {overlap:.1e} | {:.1e} | {times} |\n", course.relative_gain());
    course.print();
    println!();
    print_moving(&mut world)?;
    println!();
    Ok(())
}

/// Runs a world for another part and prints the bodies that move meanwhile by more than a ten-thousandth of [`RADIUS`], farthest first, with their speeds at its end.
fn print_moving(world: &mut World) -> Result<()> {
    let before = world.bodies();
    let end = world.time() + PART - 0.5 * world.options().time_step;
    while world.time() < end {
        world.step()?;
    }
    let mut moving: Vec<_> = world
        .bodies()
        .into_iter()
        .zip(before)
        .map(|(body, before)| {
            let by =
                (body.position - before.position).norm() + RADIUS * body.rotation.angle_to(&before.rotation);
            let speed = body.linear_velocity.norm() + RADIUS * body.angular_velocity.norm();
            (by, speed, body.name)
        })
        .filter(|(by, speed, _)| *by > 1e-4 * RADIUS || *speed > 1e-3)
        .collect();
    moving.sort_by(|a, b| b.0.total_cmp(&a.0));
    let list: Vec<_> = moving
        .iter()
        .map(|(by, speed, name)| format!("{name} by {:.2} mm, {:.1} mm/s", 1e3 * by, 1e3 * speed))
        .collect();
    println!("{} bodies move in the {PART} s after the end: {}", moving.len(), list.join("; "));
    Ok(())
}

fn run() -> Result<()> {
    let arguments = Arguments::read()?;
    let mut shapes: Vec<_> =
        PROCEDURAL.iter().filter(|_| !arguments.files_alone).map(|&shape| shape.to_owned()).collect();
    for (index, file) in arguments.files.iter().enumerate() {
        match of_file(file, index)? {
            Some((shape, triangles)) => {
                println!("{}: {triangles} triangles", file.display());
                shapes.push(shape);
            }
            None => println!("{}: not a closed mesh, left out", file.display()),
        }
    }
    pour("meshes", &shapes, &arguments, false)?;
    if arguments.hulls {
        pour("hulls", &shapes, &arguments, true)?;
    }
    Ok(())
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
