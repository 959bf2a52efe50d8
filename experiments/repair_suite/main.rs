//! Repairs sketches of robots in cavities and compares each effort with the best result known.
//!
//! ```text
//! cargo run --release --example repair_suite -- [--part tuning|reported] [--only NAME] [--count 4] [--search 3]
//! cargo run --release --example repair_suite -- --chain 60 --chain 200
//! cargo run --release --example repair_suite -- --cost docs/pictures/repair_cost.svg
//! ```
//!
//! Robots × cavities × sketches; the families of cavities for tuning and for reporting have none in common. The best result
//! known of a sketch is the nearest of all that this run finds with either effort, by growth, and with `--search` N seeds of
//! best effort; the same arguments find the same. Times are CPU times of one thread. With `--chain` N, chains of N links among
//! boxes; with `--cost`, the growth of time with the number of pieces and of triangles, as a picture. Exits with 1 when a result is not free.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

mod chain;
#[path = "../chart/mod.rs"]
mod chart;
mod cost;
#[path = "../chart/exponent.rs"]
mod exponent;
mod scenes;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use cpu_time::ThreadTime;
use extricate::penetration::Effort;
use extricate::penetration::generalized::{
    GeneralizedError, GeneralizedOptions, GeneralizedStart, Pose, WorkBounds,
};
use extricate::repair::Ensemble;
use scenes::{Cavity, FAMILIES, Family, ROBOTS};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Repairs sketches of robots in cavities.
#[derive(Debug, Parser)]
struct Arguments {
    /// Part of the suite: `tuning`, `reported` or both.
    #[arg(long)]
    part: Option<String>,
    /// Only families and robots whose names contain this.
    #[arg(long)]
    only: Vec<String>,
    /// Sketches of each robot in each cavity.
    #[arg(long, default_value_t = 4)]
    count: u64,
    /// Seeds of best effort in the search for the best result known.
    #[arg(long, default_value_t = 3)]
    search: u64,
    /// Links of a chain among boxes; may be given several times.
    #[arg(long)]
    chain: Vec<usize>,
    /// File of a picture of the time against the number of pieces and of triangles of an obstacle.
    #[arg(long)]
    cost: Option<PathBuf>,
    /// Minimum work of a search, instead of the default.
    #[arg(long)]
    min_work: Option<u64>,
    /// Prints every sketch.
    #[arg(long)]
    verbose: bool,
}

/// Result of one method on one sketch: √σ [m], infinite without one, and CPU time [ms].
#[derive(Debug, Clone, Copy)]
struct Outcome {
    depth: f64,
    milliseconds: f64,
}

/// A query of the suite.
#[derive(Debug, Clone, Copy)]
struct Query {
    effort: Effort,
    seed: u64,
    min_work: Option<u64>,
    verbose: bool,
}

/// Outcomes of the methods on the sketches of a family.
#[derive(Debug, Default)]
struct Table {
    ratios: [Vec<f64>; 2],
    milliseconds: [Vec<f64>; 2],
    not_repaired: [usize; 2],
}

const EFFORTS: [(&str, Effort); 2] = [("fast", Effort::Fast), ("best", Effort::Best)];

/// Repairs a sketch; the result is checked by a query that is independent of the search.
fn repair(ensemble: &Ensemble, pose: &Pose, query: Query) -> Result<Outcome> {
    let Query { effort, seed, min_work, verbose } = query;
    let bounds = WorkBounds::default();
    let work = WorkBounds {
        min: min_work.unwrap_or(bounds.min),
        min_after_failure: min_work.unwrap_or(bounds.min_after_failure),
        ..bounds
    };
    let clearance = 1e-4;
    let options = GeneralizedOptions { effort, seed, clearance, work, parallel: false, ..Default::default() };
    let start = ThreadTime::now();
    let found = ensemble.collision_world().penetration(std::slice::from_ref(pose), &options);
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let depth = match found {
        Ok(Some(found)) if ensemble.is_verified_free(&found.poses)? && found.limits_kept => {
            if verbose {
                let summary = &found.summary;
                println!(
                    "    {effort:?}: {:.4} m, {milliseconds:.1} ms, {} units, {} descents, best {} by {}: {}",
                    found.depth,
                    summary.work,
                    summary.descents,
                    summary.improved_at,
                    found.source,
                    summary.end
                );
            }
            found.depth
        }
        Ok(Some(_)) => return Err("a result is not free".into()),
        Ok(None) => 0.0,
        Err(GeneralizedError::NotFound { .. }) => {
            if verbose {
                println!("    {effort:?}: not repaired, {milliseconds:.1} ms");
            }
            f64::INFINITY
        }
        Err(error) => return Err(error.into()),
    };
    Ok(Outcome { depth, milliseconds })
}

/// √σ of the result of growth [m]; infinite without one.
fn by_growth(ensemble: &Ensemble, pose: &Pose, verbose: bool) -> f64 {
    let start = Some(GeneralizedStart::Growth);
    let options = GeneralizedOptions { start, clearance: 1e-4, ..GeneralizedOptions::default() };
    let time = ThreadTime::now();
    let found = ensemble.collision_world().penetration(std::slice::from_ref(pose), &options);
    let depth = found.ok().flatten().map_or(f64::INFINITY, |found| found.depth);
    if verbose {
        println!("    Growth: {depth:.4} m, {:.1} ms", time.elapsed().as_secs_f64() * 1e3);
    }
    depth
}

/// Runs a family with all robots.
fn family(family: &Family, arguments: &Arguments) -> Result<Table> {
    let mut table = Table::default();
    for robot in ROBOTS {
        // A robot that is only reported, like a family.
        if robot.0 == "crawler" && family.is_tuned_on {
            continue;
        }
        let name = format!("{} {}", family.name, robot.0);
        if !arguments.only.iter().all(|only| name.contains(only.as_str())) {
            continue;
        }
        let cavity = Cavity::new(family, robot, arguments.count)?;
        for (name, pose) in &cavity.sketches {
            if arguments.verbose {
                println!("  {name}");
            }
            let (min_work, verbose) = (arguments.min_work, arguments.verbose);
            let with =
                |effort, seed| repair(&cavity.ensemble, pose, Query { effort, seed, min_work, verbose });
            let found = [with(Effort::Fast, 0)?, with(Effort::Best, 0)?];
            let mut known = found.iter().map(|outcome| outcome.depth).fold(f64::INFINITY, f64::min);
            known = known.min(by_growth(&cavity.ensemble, pose, arguments.verbose));
            for seed in 1..=arguments.search {
                known = known.min(with(Effort::Best, seed)?.depth);
            }
            for (k, outcome) in found.iter().enumerate() {
                table.milliseconds[k].push(outcome.milliseconds);
                if !known.is_finite() {
                    continue;
                }
                match outcome.depth.is_finite() {
                    true => table.ratios[k].push(outcome.depth / known),
                    false => table.not_repaired[k] += 1,
                }
            }
        }
    }
    Ok(table)
}

/// The value below which a fraction of the sorted values lies; NaN of none.
fn quantile(values: &[f64], fraction: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * fraction).round() as usize).copied().unwrap_or(f64::NAN)
}

impl Table {
    fn print(&self, name: &str) {
        for (k, (effort, _)) in EFFORTS.iter().enumerate() {
            let ratio = |fraction| quantile(&self.ratios[k], fraction);
            let time = |fraction| quantile(&self.milliseconds[k], fraction);
            println!(
                "| {name} | {effort} | {} | {} | {:.3} | {:.3} | {:.2} | {:.1} | {:.0} |",
                self.milliseconds[k].len(),
                self.not_repaired[k],
                ratio(0.5),
                ratio(0.9),
                ratio(1.0),
                time(0.5),
                time(1.0),
            );
        }
    }

    fn extend(&mut self, other: &Self) {
        for k in 0..2 {
            self.ratios[k].extend(&other.ratios[k]);
            self.milliseconds[k].extend(&other.milliseconds[k]);
            self.not_repaired[k] += other.not_repaired[k];
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    if !arguments.chain.is_empty() {
        return chain::run(&arguments.chain);
    }
    if let Some(out) = &arguments.cost {
        return cost::run(out);
    }
    println!(
        "| family | effort | sketches | not repaired | √σ ÷ best known: median | 90 % | worst | CPU ms: median | worst |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    for (part, is_tuned_on) in [("tuning", true), ("reported", false)] {
        if arguments.part.as_ref().is_some_and(|only| only != part) {
            continue;
        }
        let mut whole = Table::default();
        for family in FAMILIES.iter().filter(|family| family.is_tuned_on == is_tuned_on) {
            let table = self::family(family, arguments)?;
            if !table.milliseconds[0].is_empty() {
                table.print(family.name);
            }
            whole.extend(&table);
        }
        whole.print(&format!("**{part}**"));
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
