//! Random robots: trees of 1 to 80 links with all kinds of joints, limits, motors, couplings and friction, which fall onto a floor and
//! onto boxes.
//!
//! ```text
//! cargo run --release --example random_robots -- [--scenes 300] [--seed 1] [--only 17] [--keep DIR] [--trace]
//! ```
//!
//! Of each is checked that it is read and built, that no step fails, that every number is finite, that the energy without
//! motors keeps its bound, and that the solver converges. A table; exit code 1 when a robot failed. `--keep` writes the robot and the
//! scene of those that failed, or of the only one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

mod draft;
#[path = "../soak/random.rs"]
mod random;

use std::error::Error;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use cpu_time::ProcessTime;
use draft::Draft;
use extricate::Scene;
use extricate::geometry::read::FileScope;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Energy above that of the start that is accepted, as a fraction of what the fall frees.
const GAIN: f64 = 0.02;
/// Residual of the solver [m/s or rad/s] that is accepted.
const RESIDUAL: f64 = 1e-2;
/// Processor time of a scene [s] beyond which it fails.
const PATIENCE: f64 = 60.0;

/// Random robots, each run and judged.
#[derive(Debug, Parser)]
struct Arguments {
    /// Number of robots.
    #[arg(long, default_value_t = 300)]
    scenes: u64,
    /// Seed of all of them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this robot.
    #[arg(long)]
    only: Option<u64>,
    /// Folder to write the robots and scenes to that failed.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Close loops between links, where a configuration near the start closes all of a robot.
    #[arg(long)]
    loops: bool,
    /// Print each step as well.
    #[arg(long)]
    trace: bool,
}

/// Result of a robot.
#[derive(Default)]
struct Trial {
    steps: u64,
    /// Steps that ended with the maximum number of sweeps.
    stopped: u64,
    sweeps: usize,
    residual: f64,
    /// Rise of the energy over what the fall frees.
    gain: f64,
    deepest: f64,
    deepest_at_end: f64,
    seconds: f64,
    failure: Option<String>,
}

fn run(draft: &Draft, (folder, trace): (&Path, bool)) -> Result<Trial> {
    std::fs::write(folder.join("robot.urdf"), &draft.urdf)?;
    std::fs::write(folder.join("scene.ron"), &draft.scene)?;
    let scene = Scene::parse_within(&folder.join("scene.ron"), draft.scene.clone(), &FileScope::anywhere())?;
    let mut world = scene.world()?;
    let started = ProcessTime::now();
    let start = world.energy().total();
    let (mut trial, mut lifted) = (Trial::default(), 0.0);
    for _ in 0..scene.steps(scene.duration) {
        let report = match world.step() {
            Ok(report) => report,
            Err(error) => {
                trial.failure = Some(format!("step {}: {error}", trial.steps + 1));
                break;
            }
        };
        trial.steps += 1;
        lifted += report.lifted;
        let energy = report.energy.total() - start - lifted;
        if !(energy.is_finite() && report.max_speed.is_finite()) {
            trial.failure = Some(format!("not finite at step {}", trial.steps));
            break;
        }
        trial.gain = trial.gain.max(energy / draft.energy);
        trial.deepest = trial.deepest.max(report.max_penetration);
        trial.deepest_at_end = report.max_penetration;
        let robots = report.robots.unwrap_or_default();
        if trace {
            eprintln!(
                "step {} energy {energy:.5e} J kinetic {:.4e} speed {:.3e} deepest {:.3e} m {robots:?}",
                trial.steps, report.energy.kinetic, report.max_speed, report.max_penetration
            );
        }
        trial.sweeps += robots.sweeps;
        trial.residual = trial.residual.max(robots.residual);
        trial.stopped += u64::from(robots.residual > RESIDUAL);
        if started.elapsed().as_secs_f64() > PATIENCE {
            trial.failure = Some(format!("slow: {} steps", trial.steps));
            break;
        }
    }
    trial.seconds = started.elapsed().as_secs_f64();
    if trial.failure.is_none() && !draft.is_driven && trial.gain > GAIN {
        trial.failure = Some(format!("energy gain {:.3}", trial.gain));
    }
    Ok(trial)
}

/// Whether the loops of a robot can be closed.
fn closes(draft: &Draft, folder: &Path) -> bool {
    let scene = folder.join("scene.ron");
    std::fs::write(folder.join("robot.urdf"), &draft.urdf).is_ok()
        && draft.scene.contains("links:")
        && Scene::parse_within(&scene, draft.scene.clone(), &FileScope::anywhere()).is_ok()
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let folder = std::env::temp_dir().join(format!("random_robots-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    println!(
        "| robot | links | driven | ms a step | sweeps a step | stopped | residual | energy gain | deepest, mm | at the end | failure |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|---|");
    let numbers = arguments.only.map_or(0..arguments.scenes, |only| only..only + 1);
    let (mut failures, mut stopped, mut looped, mut seconds) = (0, 0, 0, 0.0);
    for number in numbers {
        let mut draft = draft::draw(arguments.seed, number, arguments.loops);
        if arguments.loops {
            if closes(&draft, &folder) {
                looped += 1;
            } else {
                draft = draft::draw(arguments.seed, number, false);
            }
        }
        let ran = panic::catch_unwind(|| {
            run(&draft, (&folder, arguments.trace)).map_err(|error| error.to_string())
        });
        let trial = ran
            .unwrap_or_else(|_| Err("panic".to_owned()))
            .unwrap_or_else(|error| Trial { failure: Some(error.replace('\n', " ")), ..Trial::default() });
        #[expect(clippy::cast_precision_loss, reason = "a few thousand steps")]
        let steps = trial.steps.max(1) as f64;
        let sweeps = f64::from(u32::try_from(trial.sweeps)?) / steps;
        println!(
            "| {number} | {} | {} | {:.3} | {sweeps:.1} | {} | {:.1e} | {:.1e} | {:.2} | {:.2} | {} |",
            draft.links,
            draft.is_driven,
            1e3 * trial.seconds / steps,
            trial.stopped,
            trial.residual,
            trial.gain,
            1e3 * trial.deepest,
            1e3 * trial.deepest_at_end,
            trial.failure.as_deref().unwrap_or("")
        );
        seconds += trial.seconds;
        stopped += u64::from(trial.stopped > 0);
        failures += u64::from(trial.failure.is_some());
        if let Some(keep) =
            arguments.keep.as_ref().filter(|_| trial.failure.is_some() || arguments.only.is_some())
        {
            let own = keep.join(format!("{}-{number}", arguments.seed));
            std::fs::create_dir_all(&own)?;
            std::fs::write(own.join("robot.urdf"), &draft.urdf)?;
            std::fs::write(own.join("scene.ron"), &draft.scene)?;
        }
    }
    std::fs::remove_dir_all(&folder)?;
    let loops = if arguments.loops { format!(", {looped} of them with loops") } else { String::new() };
    eprintln!(
        "{failures} failed{loops}; {stopped} with steps that did not converge; {seconds:.1} s of processor time"
    );
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
