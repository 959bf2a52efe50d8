//! Robots of a corpus fall onto a floor with their joints held: real-time factor and slowest steps.
//!
//! ```text
//! cargo run --release --example falling_robots -- DIR [NAME…]
//! ```
//!
//! `DIR/expect.jsonl` holds a robot a line: `robot` (its name), `urdf` (its file, relative to `DIR`), `packages` (folders) and
//! `expect`; those with `load` are tried. Each starts with its joints at zero, or at the limits nearest to it, a quarter of a metre
//! above the floor by its bounding box, and is simulated for 1 s at 1/480 s; motors hold the joints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

#[path = "step_times/mod.rs"]
mod step_times;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use extricate::Scene;
use extricate::geometry::read::FileScope;
use extricate::kinematics::JointKind;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use serde_json::Value;

use step_times::StepTimes;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Simulated time [s].
const DURATION: f64 = 1.0;
/// Step [s].
const STEP: f64 = 1.0 / 480.0;
/// Height of the lowest point above the floor at the start [m].
const HEIGHT: f64 = 0.25;

/// The scene of a robot with its base at a height [m].
fn scene_text(file: &Path, packages: &[PathBuf], height: f64) -> Result<String> {
    let options = UrdfOptions { packages: packages.to_vec(), sound_masses: true, ..UrdfOptions::default() };
    let robot = read_urdf(file, &options)?;
    let held = robot.articulation.coordinates().iter().map(|&joint| {
        let joint = &robot.articulation.joints()[joint];
        let start = joint.limits.map_or(0.0, |[min, max]| 0.0_f64.clamp(min, max));
        let unit = if matches!(joint.kind, JointKind::Prismatic { .. }) { "metres" } else { "radians" };
        format!("{:?}: position(target: {unit}({start}), stiffness: 2000, damping: 100)", joint.name)
    });
    let held = held.collect::<Vec<_>>().join(", ");
    Ok(format!(
        "(title: \"A robot falls\", duration: {DURATION}, time_step: {STEP}, shapes: {{\"floor\": half_space}}, \
         bodies: [(name: \"floor\", shape: \"floor\", kind: fixed)], \
         robots: [(name: \"robot\", file: {file:?}, packages: {packages:?}, base: floating, \
         position: (0, 0, {height}), motors: {{{held}}})])"
    ))
}

fn load(file: &Path, packages: &[PathBuf], root: &Path, height: f64) -> Result<Scene> {
    let text = scene_text(file, packages, height)?;
    Ok(Scene::parse_within(&root.join("falling.ron"), text, &FileScope::anywhere())?)
}

/// Height of the lowest point of all bodies but the floor [m].
fn lowest(scene: &Scene) -> Result<f64> {
    let world = scene.world()?;
    let bodies = world.descriptions().iter().filter(|body| !body.shape.is_half_space());
    Ok(bodies.map(|body| body.shape.aabb(&body.pose).min.z).fold(f64::INFINITY, f64::min))
}

fn fall(root: &Path, robot: &Value) -> Result<StepTimes> {
    let file = root.join(robot["urdf"].as_str().ok_or("a robot without a file")?);
    let packages = robot["packages"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let packages: Vec<_> = packages.map(|package| root.join(package)).collect();
    let at_origin = lowest(&load(&file, &packages, root, 0.0)?)?;
    let scene = load(&file, &packages, root, if at_origin.is_finite() { HEIGHT - at_origin } else { 0.0 })?;
    let mut world = scene.world()?;
    StepTimes::run(&mut world, DURATION, |_| ())
}

fn fall_all() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("usage: falling_robots DIR [NAME…]")?).canonicalize()?;
    let only: Vec<_> = arguments.collect();
    println!("| robot | {} |\n|---|{}", StepTimes::HEADER, StepTimes::RULE);
    for line in std::fs::read_to_string(root.join("expect.jsonl"))?.lines() {
        let robot: Value = serde_json::from_str(line)?;
        let name = robot["robot"].as_str().unwrap_or_default();
        if robot["expect"] != "load" || !(only.is_empty() || only.iter().any(|wanted| wanted == name)) {
            continue;
        }
        match fall(&root, &robot) {
            Ok(times) => println!("| {name} | {times} |"),
            Err(error) => println!("| {name} | failed: {error} |"),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match fall_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
