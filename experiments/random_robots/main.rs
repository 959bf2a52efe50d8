//! Random robots: trees of 1 to 80 links with all kinds of joints, limits, motors, couplings and friction, which fall onto a floor and
//! onto boxes.
//!
//! ```text
//! cargo run --release --example random_robots -- [--scenes 300] [--from 0] [--seed 1] [--only 17] [--loops] [--keep DIR] [--trace]
//! ```
//!
//! Of each is checked that it is read and built, that no step fails, that every number is finite, that it takes no more than a minute, and
//!
//! - that the energy rises by no more than the work of the motors and 2 % of what the fall frees. Contacts, friction and damping only take
//!   energy; what the recovery of overlaps lifts does not count. The errors of the integration of links that rotate far in a step are below 2 %;
//! - that loops stay closed, to a thousandth of the smaller link, and joints that mimic others follow, to 1e-3 rad: both are held exactly but for rounding;
//! - that no joint is more than 0.1 rad, or a tenth of a link, beyond its limits: limits yield like a spring, and an impact meets them with all its speed;
//! - that no overlap at the end is deeper than that of the first step by half of the smallest link: links may start in each other, and some cannot part.
//!
//! A table; exit code 1 when a robot failed. Steps that did not converge are counted. `--keep` writes the robot and the scene of those that
//! failed, or of the only one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

mod draft;
#[path = "../soak/random.rs"]
mod random;
mod trial;

use std::error::Error;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use draft::Draft;
use extricate::Scene;
use extricate::geometry::read::FileScope;
use trial::Trial;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Random robots, each run and judged: no step fails, all numbers are finite, the energy rises by no more than the work of the motors and 2 % of
/// what the fall frees, loops stay closed, joints within their limits, and no overlap deepens. Exit code 1 where one fails.
#[derive(Debug, Parser)]
struct Arguments {
    /// Number of robots.
    #[arg(long, default_value_t = 300)]
    scenes: u64,
    /// Number of the first.
    #[arg(long, default_value_t = 0)]
    from: u64,
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

/// Whether the loops of a robot can be closed.
fn closes(draft: &Draft, folder: &Path) -> bool {
    let scene = folder.join("scene.ron");
    std::fs::write(folder.join("robot.urdf"), &draft.urdf).is_ok()
        && draft.scene.contains("links:")
        && Scene::parse_within(&scene, draft.scene.clone(), &FileScope::anywhere()).is_ok()
}

fn write_to(folder: &Path, draft: &Draft) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("robot.urdf"), &draft.urdf)?;
    std::fs::write(folder.join("scene.ron"), &draft.scene)?;
    Ok(())
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let folder = std::env::temp_dir().join(format!("random_robots-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    println!(
        "| robot | links | driven | ms a step | slowest | sweeps a step | stopped | residual | energy gain | loops open | beyond limits | mimicry | \
         deepest, mm: first step | in all | at the end | jump, mm | failure |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let numbers =
        arguments.only.map_or(arguments.from..arguments.from + arguments.scenes, |only| only..only + 1);
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
            trial::run(&draft, (&folder, arguments.trace)).map_err(|error| error.to_string())
        });
        let trial = ran
            .unwrap_or_else(|_| Err("panic".to_owned()))
            .unwrap_or_else(|error| Trial { failure: Some(error.replace('\n', " ")), ..Trial::default() });
        #[expect(clippy::cast_precision_loss, reason = "a few thousand steps")]
        let steps = trial.steps.max(1) as f64;
        let sweeps = f64::from(u32::try_from(trial.sweeps)?) / steps;
        let [opening, beyond, mimicry] = trial.bounds;
        let [first, deepest, last] = trial.depths.map(|depth| 1e3 * depth);
        println!(
            "| {number} | {} | {} | {:.3} | {:.1} | {sweeps:.1} | {} | {:.1e} | {:.1e} | {opening:.1e} | {beyond:.1e} | {mimicry:.1e} | {first:.2} | \
             {deepest:.2} | {last:.2} | {:.2} | {} |",
            draft.links,
            !draft.driven.is_empty(),
            1e3 * trial.seconds / steps,
            1e3 * trial.slowest,
            trial.stopped,
            trial.residual,
            trial.gain,
            1e3 * trial.jump,
            trial.failure.as_deref().unwrap_or("")
        );
        seconds += trial.seconds;
        stopped += u64::from(trial.stopped > 0);
        failures += u64::from(trial.failure.is_some());
        if let Some(keep) =
            arguments.keep.as_ref().filter(|_| trial.failure.is_some() || arguments.only.is_some())
        {
            write_to(&keep.join(format!("{}-{number}", arguments.seed)), &draft)?;
        }
    }
    std::fs::remove_dir_all(&folder)?;
    let loops = if arguments.loops { format!(", {looped} of them with loops") } else { String::new() };
    eprintln!(
        "{failures} failed{loops}; {stopped} with steps that did not converge; {seconds:.1} s of processor time"
    );
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
