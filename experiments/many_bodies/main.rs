//! Growth of the time and the memory of a simulation with the number of bodies, beside rapier alone:
//!
//! ```text
//! cargo run --release --example many_bodies -- [--most 27000] [--threads 1]
//! ```
//!
//! Boxes of 0.2 m rest on a plane in a grid, 1 000, 8 000 and 27 000 of them, and are poured into a bin. Each is stepped by
//! this crate with and without sleep, and by rapier with its own broad and narrow phase and the same settings of the solver.
//! Every case runs in a process of its own. Prints a Markdown table: medians of the times of steps, the first state and a
//! recorded one, maximum memory for each body above that of a run of one, and exponents of the power laws.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a program that prints tables and counts"
)]

#[path = "../against_rapier/arm.rs"]
#[expect(dead_code, reason = "the comparison of meshes uses the rest")]
mod arm;
#[path = "../chart/exponent.rs"]
mod exponent;
#[path = "../against_rapier/peer.rs"]
mod peer;
#[path = "../against_rapier/peer_shapes.rs"]
mod peer_shapes;

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use extricate::record::{RunDirectory, RunOptions, run};
use extricate::scene::Scene;

use crate::arm::Arm;
use crate::exponent::exponent;
use crate::peer::Peer;
use crate::peer_shapes::Meshes;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Steps before those whose times count.
const WARM_UP: u64 = 30;
/// Steps whose times count.
const STEPS: u64 = 60;
/// Steps in which everything falls asleep.
const TO_SLEEP: u64 = 330;
/// Every so many steps are recorded: sixty a second.
const EVERY: u64 = 8;

/// Growth of the time and the memory of a simulation with the number of bodies.
#[derive(Debug, Parser)]
struct Arguments {
    /// Maximum number of bodies.
    #[arg(long, default_value_t = 27_000)]
    most: u32,
    /// Number of threads; 0 for all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// One case: its place, engine and number of bodies; prints its numbers.
    #[arg(long, hide = true, num_args = 3)]
    case: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// At rest on a plane, apart from each other.
    Grid,
    /// Falling into a bin.
    Bin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// This crate.
    Ours,
    /// This crate, where bodies sleep.
    Asleep,
    /// rapier alone.
    Rapier,
}

/// Numbers of a case.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    /// Median time of a step [ms].
    step: f64,
    /// Time of the first state [ms].
    first: f64,
    /// Time of a recorded state [ms].
    recorded: f64,
    /// Maximum resident memory [KiB].
    memory: f64,
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The file of a scene.
fn scene(place: Place, count: u32, sleep: bool) -> String {
    let side = f64::from(count).cbrt().round();
    let options = if sleep { "sleep: (time: 0.25), " } else { "" };
    let (bodies, ground) = match place {
        Place::Grid => {
            let counts = format!("({side}, {}, 1)", side * side);
            let boxes = format!(
                r#"(name: "box", shape: "box", position: (0, 0, 0.1), copies: (count: {counts}, spacing: (0.25, 0.25, 0)))"#
            );
            (boxes, String::new())
        }
        Place::Bin => {
            let counts = format!("({side}, {side}, {side})");
            let boxes = format!(
                r#"(name: "box", shape: "box", position: (0, 0, 0.15), copies: (count: {counts}, spacing: (0.3, 0.3, 0.3), random_rotation: true))"#
            );
            let half = 0.15 * side + 0.15;
            let middle = 0.15 * side - 0.15;
            let walls = [(-half, 0.0, 0), (half, 0.0, 0), (0.0, -half, 90), (0.0, half, 90)];
            let walls = walls.iter().enumerate().map(|(i, (x, y, angle))| {
                let at = format!("({}, {}, {half})", middle + x * 1.0, middle + y);
                format!(
                    r#"(name: "wall-{i}", shape: "wall", kind: fixed, position: {at}, rotation: euler_degrees(0, 0, {angle})),"#
                )
            });
            let shape = format!(r#""wall": cuboid(size: (0.2, {}, {})),"#, 2.0 * half + 0.4, 4.0 * half);
            (boxes + ", " + &walls.collect::<String>(), shape)
        }
    };
    format!(
        r#"(title: "boxes", duration: 10, {options}
        shapes: {{"box": cuboid(size: (0.2, 0.2, 0.2)), {ground} "ground": half_space}},
        bodies: [(name: "ground", shape: "ground", kind: fixed), {bodies}])"#
    )
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| 1e3 * time.as_secs_f64())
}

/// Maximum resident memory of this process so far [KiB].
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN)
}

/// Runs a case in this process.
fn measure(scene: &Scene, engine: Engine, folder: &Path) -> Result<Numbers> {
    let warm_up = if engine == Engine::Asleep { TO_SLEEP } else { WARM_UP };
    let steps = warm_up + STEPS;
    let mut times = Vec::new();
    let mut numbers = Numbers::default();
    if engine == Engine::Rapier {
        let mut peer = Peer::new(scene, Meshes::Parts)?;
        for step in 0..steps {
            let started = Instant::now();
            peer.step()?;
            if step >= warm_up {
                times.push(started.elapsed());
            }
        }
    } else {
        let options = RunOptions { steps, every: EVERY, check_expectations: false };
        let directory = RunDirectory::create(folder)?;
        let outcome = run(scene, scene.world()?, &options, Some(directory), &mut |report| {
            if report.step > warm_up {
                times.push(report.timings.total);
            }
            ControlFlow::Continue(())
        })?;
        let outside = outcome.timing.outside;
        numbers.first = 1e3 * outside.first_state;
        numbers.recorded = 1e3 * outside.recording / (steps / EVERY) as f64;
    }
    Ok(Numbers { step: median(&mut times), memory: memory(), ..numbers })
}

/// Runs the case in the arguments and prints its numbers.
fn one_case(case: &[String]) -> Result<()> {
    let [place, engine, count] = case else { return Err("a case has three parts".into()) };
    let (place, engine) = (Place::from_str(place, true)?, Engine::from_str(engine, true)?);
    let folder = std::env::temp_dir().join(format!("extricate-bodies-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("scene.ron");
    std::fs::write(&file, scene(place, count.parse()?, engine == Engine::Asleep))?;
    let numbers = Scene::load(&file)
        .map_err(|error| error.to_string().into())
        .and_then(|scene| measure(&scene, engine, &folder.join("run")));
    std::fs::remove_dir_all(&folder)?;
    let Numbers { step, first, recorded, memory } = numbers?;
    println!("{step} {first} {recorded} {memory}");
    Ok(())
}

/// Numbers of a case in a process of its own.
fn case(arguments: &Arguments, place: Place, engine: Engine, count: u32) -> Result<Numbers> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--case", &name(place), &name(engine), &count.to_string()]);
    if arguments.threads > 0 {
        command.env("RAYON_NUM_THREADS", arguments.threads.to_string());
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let read: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match read[..] {
        [step, first, recorded, memory] => Ok(Numbers { step, first, recorded, memory }),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

fn table(arguments: &Arguments) -> Result<()> {
    println!(
        "| place | boxes | engine | step [ms] | of rapier's | first state [ms] | a state [ms] | memory [kB a body] |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|");
    for (place, counts) in [(Place::Grid, &[1_000, 8_000, 27_000][..]), (Place::Bin, &[1_000, 8_000][..])] {
        let mut points: [[Vec<[f64; 2]>; 2]; 3] = Default::default();
        let engines = [Engine::Rapier, Engine::Ours, Engine::Asleep];
        let engines = &engines[..if place == Place::Grid { 3 } else { 2 }];
        for &count in counts.iter().filter(|&&count| count <= arguments.most) {
            let mut rapiers = f64::NAN;
            for (number, &engine) in engines.iter().enumerate() {
                let empty = case(arguments, Place::Grid, engine, 1)?;
                let found = case(arguments, place, engine, count)?;
                if engine == Engine::Rapier {
                    rapiers = found.step;
                }
                let memory = (found.memory - empty.memory) * 1.024 / f64::from(count);
                println!(
                    "| {} | {count} | {} | {:.3} | {:.2} | {:.1} | {:.1} | {memory:.2} |",
                    name(place),
                    name(engine),
                    found.step,
                    found.step / rapiers,
                    found.first,
                    found.recorded
                );
                points[number][0].push([f64::from(count), found.step]);
                points[number][1].push([f64::from(count), memory * f64::from(count)]);
            }
        }
        for (&engine, [times, memory]) in
            engines.iter().zip(&points).filter(|(_, [times, _])| times.len() > 1)
        {
            println!(
                "| {} | growth | {} | n^{:.2} | | | | n^{:.2} |",
                name(place),
                name(engine),
                exponent(times),
                exponent(memory)
            );
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.case.is_empty() { table(&arguments) } else { one_case(&arguments.case) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
