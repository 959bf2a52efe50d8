//! A long run: an hour of simulated time of a stirred bin, monitored for drift.
//!
//! ```text
//! cargo run --release --example long_run -- [--minutes 60]
//! ```
//!
//! Every simulated minute prints the resident memory, the mean number of contacts, the mean processor time of a step, the energy and
//! the maximum speed. Lines fitted to memory, contacts and time of a step after the first sixth show how they drift. Exits with 1
//! when memory or contacts grow beyond their bounds, a body leaves the bin, or one is faster than the paddle can make it.
//! Resident memory is that of `/proc/self/status`; where there is none, it is not judged, and the table says so.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a program that prints a table of counts"
)]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use cpu_time::ProcessTime;
use extricate::dynamics::{BodyKind, World};
use extricate::scene::Scene;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The bin: a closed box of half-spaces, a paddle that rotates above its floor, and twenty bodies.
const SCENE: &str = include_str!("long_run.ron");
/// Half the inner edges of the bin [m], and how far origins may be beyond them.
const BIN: [f64; 3] = [0.5, 0.5, 0.5];
const RIM: f64 = 0.06;
/// Maximum speed [m/s] of a body: the paddle's tip moves at 1.4 m/s, a fall through the bin ends with 4.4 m/s, and what is squeezed
/// out of a gap is faster for a moment.
const SPEED: f64 = 15.0;
/// Maximum growth of the resident memory in an hour [MiB]: a forgotten contact a second would be more.
const MEMORY: f64 = 2.0;
/// Maximum drift of the number of contacts and of the time of a step over the run, relative to the mean.
const DRIFT: f64 = 0.3;

/// An hour of a stirred bin.
#[derive(Debug, Parser)]
struct Arguments {
    /// Simulated minutes.
    #[arg(long, default_value_t = 60)]
    minutes: u32,
}

/// A simulated minute.
struct Minute {
    /// Resident memory [MiB], if the system reports it.
    memory: Option<f64>,
    contacts: f64,
    /// Mean processor time of a step [ms].
    step: f64,
    energy: f64,
    speed: f64,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let scene = Scene::parse(Path::new("long_run.ron"), SCENE.to_owned())?;
    let mut world = scene.world()?;
    let steps = scene.steps(60.0);
    println!("minute  memory [MiB]  contacts  step [ms]    energy [J]  speed [m/s]");
    let mut minutes = Vec::new();
    for minute in 1..=arguments.minutes {
        let now = simulate(&mut world, steps)?;
        let memory = now.memory.map_or_else(|| "unknown".to_owned(), |memory| format!("{memory:.2}"));
        let Minute { contacts, step, energy, speed, .. } = now;
        println!("{minute:>6} {memory:>13} {contacts:>9.1} {step:>10.3} {energy:>13.3} {speed:>12.2}");
        minutes.push(now);
    }
    println!("hash {:016x} after {} steps", world.hash(), world.steps());
    let complaints = judge(&minutes);
    complaints.iter().for_each(|complaint| eprintln!("FAILED: {complaint}"));
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A minute with this number of steps.
fn simulate(world: &mut World, steps: u64) -> Result<Minute> {
    let started = ProcessTime::now();
    let (mut contacts, mut speed) = (0, 0.0_f64);
    for _ in 0..steps {
        let report = world.step()?;
        contacts += report.contacts;
        speed = speed.max(report.max_speed);
    }
    let step = started.elapsed().as_secs_f64() * 1e3 / steps as f64;
    let dynamic: Vec<&str> = world
        .descriptions()
        .iter()
        .filter(|body| body.kind == BodyKind::Dynamic)
        .map(|body| body.name.as_str())
        .collect();
    for body in world.bodies().iter().filter(|body| dynamic.contains(&body.name.as_str())) {
        let outside = (0..3).any(|axis| !(body.position[axis].abs() <= BIN[axis] + RIM));
        if outside {
            return Err(format!("{} left the bin: it is at {}", body.name, body.position).into());
        }
    }
    let (energy, contacts) = (world.energy().total(), contacts as f64 / steps as f64);
    Ok(Minute { memory: resident(), contacts, step, energy, speed })
}

/// Resident memory of this process [MiB], where there is `/proc`.
fn resident() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0)
}

/// A quantity monitored for drift: its name, its value, and whether it is judged.
type Series = (&'static str, fn(&Minute) -> f64, bool);

/// Quantities that drifted; prints the drift of all.
fn judge(minutes: &[Minute]) -> Vec<String> {
    let warm = &minutes[minutes.len() / 6..];
    let mut complaints = Vec::new();
    let memory: Option<Vec<f64>> = warm.iter().map(|minute| minute.memory).collect();
    match memory.and_then(|memory| slope(&memory)) {
        None => println!("memory: not reported by this system, or too few minutes"),
        Some((by, mean)) => {
            let hourly = 60.0 * by;
            println!("memory: {mean:.2} MiB, {hourly:+.3} MiB an hour (at most {MEMORY})");
            if !(hourly <= MEMORY) {
                complaints.push(format!("memory grows by {hourly:.3} MiB an hour"));
            }
        }
    }
    let series: [Series; 3] = [
        ("contacts", |minute| minute.contacts, true),
        ("time of a step [ms]", |minute| minute.step, false),
        ("energy [J]", |minute| minute.energy, false),
    ];
    for (name, of, judged) in series {
        let values: Vec<f64> = warm.iter().map(of).collect();
        let Some((by, mean)) = slope(&values) else { continue };
        let drift = by * values.len() as f64 / mean.abs();
        println!("{name}: {mean:.3} in the mean, drift over the run {:+.1} %", 100.0 * drift);
        if judged && !(drift <= DRIFT) {
            complaints.push(format!("{name} drift by {:.1} %", 100.0 * drift));
        }
    }
    let speed = minutes.iter().map(|minute| minute.speed).fold(0.0, f64::max);
    println!("maximum speed: {speed:.2} m/s (at most {SPEED})");
    if !(speed <= SPEED) {
        complaints.push(format!("a body moved at {speed:.2} m/s"));
    }
    complaints
}

/// Slope per entry and mean of a series, by least squares; none of fewer than two.
fn slope(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let (middle, mean) = (0.5 * (n - 1.0), values.iter().sum::<f64>() / n);
    let offsets = || (0..values.len()).map(|i| i as f64 - middle);
    let spread: f64 = offsets().map(|x| x * x).sum();
    let product: f64 = offsets().zip(values).map(|(x, y)| x * (y - mean)).sum();
    (spread > 0.0).then(|| (product / spread, mean))
}
