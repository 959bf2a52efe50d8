//! Judges translational penetration on forty families of pairs of soups against the best known depths, and prints Markdown tables.
//!
//! ```text
//! cargo run --release --example soup_suite -- [--part tuning|reported] [--only NAME] [--search]
//! ```
//!
//! The best known depths are those of long searches (`search.rs`), which `--search` makes and stores in
//! `best_known.tsv`. Constants and orders of the product's search are chosen on the part for tuning; results are those on
//! the other one. Exits with 1 when an answer fails, is not free, or has a lower bound above the best known depth.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

mod families;
mod search;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use extricate::penetration::{Effort, LowerBound, Penetration, TranslationalOptions, penetration};
use extricate::proximity::collide;
use families::{Cases, FAMILIES, Family, Part};
use nalgebra::{Isometry3, Translation3};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Seed of the poses, to which the file of depths belongs.
const SEED: u64 = 1;

/// A bound may exceed a best known depth by this fraction: the file has ten digits.
const PRINTED: f64 = 1e-8;

/// Judges translational penetration on families of pairs of soups.
#[derive(Debug, Parser)]
struct Arguments {
    /// Families to judge; all if omitted.
    #[arg(long)]
    part: Option<Half>,
    /// Only the families whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Poses of each family.
    #[arg(long, default_value_t = 16)]
    poses: usize,
    /// Efforts to judge.
    #[arg(long, value_delimiter = ',', default_value = "fast,best")]
    efforts: Vec<Asked>,
    /// Search long for each depth, and store the results.
    #[arg(long)]
    search: bool,
    /// Ask without the search for gaps, from outside alone.
    #[arg(long)]
    without_gaps: bool,
    /// File of the best known depths.
    #[arg(long, default_value = "experiments/soup_suite/best_known.tsv")]
    known: PathBuf,
    /// Print the pairs whose depth exceeds the best known one by this factor.
    #[arg(long, default_value_t = f64::INFINITY)]
    list_above: f64,
}

/// Parts of the suite, as [`Part`].
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Half {
    Tuning,
    Reported,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Asked {
    Fast,
    Best,
}

impl Arguments {
    fn families(&self) -> Vec<&'static Family> {
        let part = self.part.map(|half| match half {
            Half::Tuning => Part::Tuning,
            Half::Reported => Part::Reported,
        });
        let is_asked = |family: &&Family| {
            part.is_none_or(|part| part == family.part) && family.name.contains(&self.only)
        };
        FAMILIES.iter().filter(is_asked).collect()
    }
}

/// Measurements of some pairs.
#[derive(Default)]
struct Measured {
    /// Depth over the best known one.
    ratios: Vec<f64>,
    milliseconds: Vec<f64>,
    /// Lower bound over depth.
    bounds: Vec<f64>,
    casts: u32,
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Measured {
    fn extend(&mut self, other: &Self) {
        self.ratios.extend(&other.ratios);
        self.milliseconds.extend(&other.milliseconds);
        self.bounds.extend(&other.bounds);
        self.casts += other.casts;
    }

    fn row(&self, name: &str) -> String {
        let (ratios, times, bounds) =
            (sorted(&self.ratios), sorted(&self.milliseconds), sorted(&self.bounds));
        let at = |values: &[f64], fraction: f64| {
            let place = (fraction * (values.len() - 1) as f64).round() as usize;
            values.get(place).copied().unwrap_or(f64::NAN)
        };
        let certified = |fraction: f64| bounds.iter().filter(|&&bound| bound >= 1.0 - fraction).count();
        format!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.2} | {:.3} | {:.3} | {:.1} | {:.2} | {:.0} % | {:.0} % |",
            ratios.len(),
            mean(&ratios),
            at(&ratios, 0.5),
            at(&ratios, 0.99),
            at(&ratios, 1.0),
            at(&times, 0.5),
            mean(&times),
            f64::from(self.casts) / ratios.len() as f64,
            at(&bounds, 0.5),
            100.0 * certified(0.01) as f64 / bounds.len() as f64,
            100.0 * certified(0.05) as f64 / bounds.len() as f64,
        )
    }
}

/// The result, and the minimum time of some runs [ms].
fn timed<T>(runs: u32, run: impl Fn() -> T) -> (T, f64) {
    let once = || {
        let start = Instant::now();
        let answer = run();
        (answer, start.elapsed().as_secs_f64() * 1e3)
    };
    let first = once();
    (1..runs).fold(first, |(answer, time), _| (answer, time.min(once().1)))
}

/// One family at one effort; the number of defects.
fn judge(
    family: &Family,
    cases: &Cases,
    known: &[f64],
    (alone, above): (TranslationalOptions, f64),
) -> Result<(Measured, usize)> {
    let (mut measured, mut defects) = (Measured::default(), 0);
    let (here, effort) = (Isometry3::identity(), alone.effort);
    let bounded = TranslationalOptions { lower_bound: LowerBound::ByEffort, ..alone };
    for (index, (pose, known)) in cases.poses.iter().zip(known).enumerate() {
        let ask = |options: &TranslationalOptions| -> Result<Penetration> {
            Ok(penetration(&cases.a, pose, cases.b(), &here, options)?.ok_or("reported apart")?)
        };
        // The first query builds what is built once for a model.
        let with_bound = ask(&bounded)?;
        let runs = if effort == Effort::Fast { 7 } else { 2 };
        let (found, milliseconds) = timed(runs, || ask(&alone));
        let found = found?;
        let moved = Translation3::from(found.translation) * pose;
        if collide(&cases.a, &moved, cases.b(), &here) {
            eprintln!("{} {index}: the answer is not free", family.name);
            defects += 1;
        }
        if with_bound.lower_bound > known * (1.0 + PRINTED) {
            eprintln!("{} {index}: the bound {} is above {known}", family.name, with_bound.lower_bound);
            defects += 1;
        }
        let ratio = found.depth / known;
        if ratio >= above {
            eprintln!("{} {index}: {effort:?} {ratio:.4}, known {known:.4}", family.name);
        }
        measured.ratios.push(ratio);
        measured.milliseconds.push(milliseconds);
        measured.bounds.push(with_bound.lower_bound / with_bound.depth);
        measured.casts += found.casts;
    }
    Ok((measured, defects))
}

/// Makes long searches for all families asked for and stores the depths.
fn search_all(arguments: &Arguments) -> Result<()> {
    let mut known = search::read(&arguments.known)?;
    for family in arguments.families() {
        let cases = family.cases(arguments.poses, SEED)?;
        let mut depths = known.remove(family.name).unwrap_or_default();
        depths.resize(depths.len().max(arguments.poses), f64::INFINITY);
        for (pose, depth) in cases.poses.iter().zip(&mut depths) {
            *depth = search::depth([&cases.a, cases.b()], pose, *depth)?;
        }
        known.insert(family.name.to_owned(), depths);
        search::write(&arguments.known, &known)?;
        eprintln!("{}: searched", family.name);
    }
    Ok(())
}

fn run(arguments: &Arguments) -> Result<usize> {
    if arguments.search {
        search_all(arguments)?;
    }
    let known = search::read(&arguments.known)?;
    let mut defects = 0;
    for asked in &arguments.efforts {
        let effort = match asked {
            Asked::Fast => Effort::Fast,
            Asked::Best => Effort::Best,
        };
        let alone = TranslationalOptions {
            effort,
            parallel: false,
            lower_bound: LowerBound::Skip,
            gaps: !arguments.without_gaps,
            ..TranslationalOptions::default()
        };
        println!("\n{effort:?}: depth ÷ best known, time without a lower bound, lower bound ÷ depth\n");
        println!(
            "| family | pairs | mean | median | p99 | worst | ms, median | ms, mean | casts | bound, median | certified to 1 % | to 5 % |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (part, label) in [(Part::Tuning, "tuning"), (Part::Reported, "reported")] {
            let mut all = Measured::default();
            for family in arguments.families().into_iter().filter(|family| family.part == part) {
                let depths = known.get(family.name).filter(|depths| depths.len() >= arguments.poses);
                let depths =
                    depths.ok_or_else(|| format!("no depths of `{}`: run with --search", family.name))?;
                let cases = family.cases(arguments.poses, SEED)?;
                let (measured, broken) = judge(family, &cases, depths, (alone, arguments.list_above))?;
                println!("{}", measured.row(family.name));
                all.extend(&measured);
                defects += broken;
            }
            if !all.ratios.is_empty() {
                println!("{}", all.row(&format!("**all for {label}**")));
            }
        }
    }
    Ok(defects)
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
