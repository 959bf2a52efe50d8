//! The experiments of the paper on `PolyDepth` [Je12 §7], its tables beside ours, as Markdown:
//!
//! ```text
//! cargo run --release --example polydepth_experiments -- [--data DIR] [--table N]… [--quick] [--pictures DIR]
//! ```
//!
//! Table 1: random configurations, and the sources of starts on meshes with holes. Table 2: accuracy. Table 3:
//! predefined paths. Table 4: dynamics. The meshes are procedural, of the kind and size of the paper's; `--data DIR`
//! adds the scans and the reference depths that lie in `DIR/soup` and `DIR/exact`. Times are means of CPU time, beside
//! the paper's on a machine of 2.2 GHz; queries run on one thread unless `--threads` says otherwise. Every answer is
//! verified by an independent query; exits with 1 when one is missing, not free or below an exact depth.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

mod accuracy;
mod answers;
#[path = "../chart/mod.rs"]
mod chart;
mod known_depths;
mod motion;
mod predefined_paths;
mod random_configurations;
mod simulation;
mod starts;
mod statistics;
mod subjects;
#[path = "../truth/mod.rs"]
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use subjects::{Result, Setting};

/// The experiments of the `PolyDepth` paper, its tables beside ours, as Markdown.
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder with `soup/` and `exact/`: scans and reference depths.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Tables to make; all without it.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4))]
    table: Vec<u8>,
    /// A short version: meshes of up to 12k triangles, few poses, every query once.
    #[arg(long)]
    quick: bool,
    /// Random configurations of each mesh.
    #[arg(long)]
    poses: Option<usize>,
    /// Frames of each path.
    #[arg(long)]
    frames: Option<usize>,
    /// Folder to draw pictures of the paths into.
    #[arg(long)]
    pictures: Option<PathBuf>,
    /// Threads of a query.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

impl Setting {
    fn quick() -> Self {
        Self {
            data: None,
            poses: 2,
            frames: 16,
            seconds: 0.6,
            repeats: 1,
            pictures: None,
            max_triangles: 12_000,
        }
    }

    fn full() -> Self {
        Self { poses: 100, frames: 200, seconds: 2.0, repeats: 3, max_triangles: usize::MAX, ..Self::quick() }
    }

    fn of(arguments: &Arguments) -> Self {
        let base = if arguments.quick { Self::quick() } else { Self::full() };
        Self {
            data: arguments.data.clone(),
            pictures: arguments.pictures.clone(),
            poses: arguments.poses.unwrap_or(base.poses).max(1),
            frames: arguments.frames.unwrap_or(base.frames).max(2),
            ..base
        }
    }
}

/// Prints a table; returns the failures.
type Table = fn(&Setting) -> Result<Vec<String>>;

/// Makes the tables; returns the failures.
fn tables(numbers: &[u8], setting: &Setting) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let all: [(u8, Table); 5] = [
        (1, random_configurations::table),
        (1, starts::table),
        (2, accuracy::table),
        (3, predefined_paths::table),
        (4, simulation::table),
    ];
    for (number, table) in all {
        if numbers.is_empty() || numbers.contains(&number) {
            failures.extend(table(setting)?);
        }
    }
    Ok(failures)
}

fn run(arguments: &Arguments) -> Result<Vec<String>> {
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    tables(&arguments.table, &Setting::of(arguments))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|failure| eprintln!("failed: {failure}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_experiments_answer_every_query_with_a_free_translation() {
        let folder = std::env::temp_dir().join(format!("extricate_experiments_{}", std::process::id()));
        let setting = Setting { pictures: Some(folder.clone()), ..Setting::quick() };
        assert_eq!(tables(&[], &setting).unwrap(), Vec::<String>::new());
        assert!(folder.join("path_spoon_cup.svg").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
