//! A soak: random scenes from a seed, each read, built, run and judged:
//!
//! ```text
//! cargo run --release --example soak -- --scenes 500 --seed 1
//! cargo run --release --example soak -- --seed 1 --only 17 --keep out/soak
//! ```
//!
//! Of each scene is checked that nothing panics, that no number is lost, that no error is raised but the documented ones
//! (counted by kind), that the energy keeps its bound, that nothing leaves a closed container, that what can rest does
//! not end in an overlap, and of every sixteenth that another number of threads gives the same hash. The table and
//! `--json` are the same for every number of threads; times go to stderr. Exits with 1 when a scene failed. Run it
//! from the root of the repository: scenes name files of `assets`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a program that prints tables and counts"
)]

mod generator;
mod random;
mod table;
mod trial;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use generator::Generated;
use table::Statistics;
use trial::Trial;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Every how many scenes one is run again with another number of threads.
const REPEATED: u64 = 16;
/// That number of threads.
const OTHER_THREADS: usize = 3;

/// Random scenes from a seed, each run and judged.
#[derive(Debug, Parser)]
struct Arguments {
    /// Number of scenes.
    #[arg(long, default_value_t = 500)]
    scenes: u64,
    /// Seed of all of them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Time to simulate [s], instead of the scenes' own; what they expect is not judged then.
    #[arg(long)]
    time: Option<f64>,
    /// Only this scene.
    #[arg(long)]
    only: Option<u64>,
    /// Only scenes with this kind of content, by its name in the table: as many as `--scenes` says.
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,
    /// Coefficient of friction of soft bodies, instead of the scenes' own.
    #[arg(long, value_name = "F")]
    soft_friction: Option<f64>,
    /// Depth over thickness beyond which the pressure of soft contact stiffens, instead of the default.
    #[arg(long, value_name = "F")]
    stiffen_beyond: Option<f64>,
    /// Folder to write the scenes to that failed, and the files that they name.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// One line of JSON instead of the table.
    #[arg(long)]
    json: bool,
    /// Scenes that run at the same time [default: one for each processor].
    #[arg(long)]
    jobs: Option<usize>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !Path::new("assets/meshes").is_dir() {
        return Err("run it from the root of the repository: scenes name files of `assets`".into());
    }
    trial::keep_panics();
    let numbers = numbers(&arguments);
    let trials = run_all(&arguments, &numbers)?;
    let repeated = numbers.iter().filter(|&&number| is_repeated(&arguments, number)).count();
    let statistics = Statistics::of(arguments.seed, &trials, repeated);
    if arguments.json {
        println!("{}", serde_json::to_string(&statistics)?);
    } else {
        statistics.lines().iter().for_each(|line| println!("{line}"));
    }
    if let Some(folder) = &arguments.keep {
        let of_interest = trials.iter().filter(|t| !t.failures.is_empty() || arguments.only.is_some());
        for trial in of_interest {
            keep(folder, &arguments, trial.index)?;
        }
    }
    let mut slowest: Vec<&Trial> = trials.iter().collect();
    slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let total: f64 = trials.iter().map(|trial| trial.seconds).sum();
    let list: Vec<_> = slowest.iter().take(5).map(|t| format!("{} ({:.1} s)", t.index, t.seconds)).collect();
    eprintln!("{total:.1} s of processor time in all runs; the longest: {}", list.join(", "));
    Ok(if statistics.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The scenes to run.
fn numbers(arguments: &Arguments) -> Vec<u64> {
    /// Number of scenes to look through for each that is wanted: the rarest kind is in one of fifty.
    const LOOK: u64 = 200;
    let has = |number: &u64| match &arguments.kind {
        None => true,
        Some(kind) => generator::scene(arguments.seed, *number).kinds.iter().any(|of| of.name() == kind),
    };
    match arguments.only {
        Some(only) => vec![only],
        None => {
            let wanted = usize::try_from(arguments.scenes).unwrap_or(usize::MAX);
            (0..arguments.scenes.saturating_mul(LOOK)).filter(has).take(wanted).collect()
        }
    }
}

fn is_repeated(arguments: &Arguments, number: u64) -> bool {
    number.is_multiple_of(REPEATED) || arguments.only.is_some()
}

/// Runs the scenes side by side, each with one thread; in the order of their numbers.
fn run_all(arguments: &Arguments, numbers: &[u64]) -> Result<Vec<Trial>> {
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        let [one, other] = [1, OTHER_THREADS].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build());
        let (one, other) = (one?, other?);
        loop {
            let at = usize::try_from(next.fetch_add(1, Ordering::Relaxed))?;
            let Some(&number) = numbers.get(at) else { return Ok(()) };
            let scene = scene_of(arguments, number);
            let mut trial = one.install(|| trial::run(number, &scene, arguments.time));
            if is_repeated(arguments, number) {
                let again = other.install(|| trial::run(number, &scene, arguments.time));
                if (again.hash, again.steps) != (trial.hash, trial.steps) {
                    let message = format!("another hash with {OTHER_THREADS} threads: {:016x}", again.hash);
                    trial.failures.push(message);
                }
            }
            if trial.inverted > 0 || trial.newton[0] > 0 {
                let [all, worst] = trial.newton;
                let Trial {
                    unconverged,
                    divided,
                    inverted,
                    worst_penetration,
                    soft_depth,
                    own_depth,
                    seconds,
                    ..
                } = &trial;
                let [a, b] = &trial.soft_pair;
                eprintln!(
                    "scene {number}: {all} Newton iterations, at most {worst} a step, {divided} steps divided, {unconverged} not \
                     converged, at most {inverted} inverted, deepest {worst_penetration:.1e}, {:.1} % of the smallest thickness \
                     ({a}, {b}; {:.1} % of their own), {seconds:.1} s",
                    100.0 * soft_depth,
                    100.0 * own_depth
                );
            }
            trial.failures.iter().for_each(|failure| eprintln!("scene {number}: {failure}"));
            done.lock().map_err(|_| "a worker panicked")?.push(trial);
        }
    };
    std::thread::scope(|scope| {
        let jobs = arguments.jobs.unwrap_or(available).min(numbers.len()).max(1);
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })?;
    let mut trials = done.into_inner()?;
    trials.sort_by_key(|trial: &Trial| trial.index);
    Ok(trials)
}

/// A scene of the soak, with the friction and the stiffening of soft bodies that are asked for.
fn scene_of(arguments: &Arguments, number: u64) -> Generated {
    let scene = generator::scene(arguments.seed, number);
    let scene = match arguments.soft_friction {
        Some(friction) => scene.with_soft_friction(friction),
        None => scene,
    };
    match arguments.stiffen_beyond {
        Some(fraction) => scene.with_stiffening(fraction),
        None => scene,
    }
}

/// Writes a scene, with the files that it names beside it.
fn keep(folder: &Path, arguments: &Arguments, index: u64) -> Result<()> {
    let Generated { text, files, .. } = scene_of(arguments, index);
    fs::create_dir_all(folder)?;
    for file in files {
        let to = folder.join(&file);
        fs::create_dir_all(to.parent().ok_or("a file has a folder")?)?;
        fs::copy(Path::new("assets").join(&file), to)?;
    }
    fs::write(folder.join(format!("soak-{}-{index}.ron", arguments.seed)), text)?;
    Ok(())
}
