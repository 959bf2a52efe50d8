//! Rigid dynamics with contacts of ours beside rapier's own narrow phase, on the same scenes in one run:
//!
//! ```text
//! cargo run --release --example against_rapier -- [--only knots,table4] [--steps 240] [--arms ours,triangles,parts]
//! ```
//!
//! Three arms step the scenes of `scenes/rigid` with the same solver, settings and time step:
//!
//! | arm       | who finds the contacts                                                                              |
//! |-----------|-----------------------------------------------------------------------------------------------------|
//! | ours      | this crate                                                                                          |
//! | triangles | rapier on its triangle meshes, with the flags that mend internal edges                              |
//! | parts     | rapier on convex parts of the meshes (V-HACD with its default parameters)                           |
//!
//! The states of every arm are measured by us alike: overlaps by [`overlaps`](extricate::scene::overlaps), everything else
//! by the expectations of the scene. `table4` is another table: the time of global and local penetration depths along
//! simulated contacts of the four pairs of [Je12 Table 4].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

mod arm;
mod measure;
mod peer;
mod peer_shapes;
mod table_four;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arm::ArmKind;
use clap::Parser;
use extricate::scene::Scene;
use measure::{Limits, Row};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Rigid dynamics beside rapier's own narrow phase.
#[derive(Debug, Parser)]
struct Arguments {
    /// Parts of the comparison, or scenes: all by default.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Sources of the contacts.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = ArmKind::ALL)]
    arms: Vec<ArmKind>,
    /// Maximum number of steps of a scene.
    #[arg(long)]
    steps: Option<u64>,
    /// States that are measured along a run.
    #[arg(long, default_value_t = 20)]
    samples: u64,
    /// Wall-clock time [s] after which a run ends early.
    #[arg(long, default_value_t = 120.0)]
    budget: f64,
    /// Folder of the scenes.
    #[arg(long, default_value = "scenes/rigid")]
    scenes: PathBuf,
    /// Prints a line of JSON for every row in place of the tables.
    #[arg(long)]
    json: bool,
}

/// A part of the comparison: its name and its scenes.
const PARTS: [(&str, &[&str]); 7] = [
    (
        "closed_form",
        &[
            "closed_form/bounce",
            "closed_form/incline_slip",
            "closed_form/incline_stick",
            "closed_form/linked_rings",
            "closed_form/overlapping_tori",
            "closed_form/roll",
            "closed_form/slide",
            "closed_form/stack_of_ten",
            "closed_form/thousand_to_one",
        ],
    ),
    ("bullets", &["closed_form/balls_and_wall"]),
    ("chains", &["linked_chain", "loaded_chain"]),
    ("knots", &["knots_into_cup", "knot_bin"]),
    ("stacks", &["ring_stack", "grate_stack", "plank_tower"]),
    ("scans", &["two_scans", "pair_of_boulders"]),
    ("pairs", &["pair_of_tori", "pair_of_golf_clubs", "pair_of_figurines"]),
];

/// The name of the table of penetration depths.
const TABLE_FOUR: &str = "table4";

impl Arguments {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == name)
    }

    /// The scenes that are wanted.
    fn chosen(&self) -> Vec<PathBuf> {
        let wanted = |part: &str, scene: &str| {
            self.wants(part)
                || self.wants(scene)
                || Path::new(scene)
                    .file_stem()
                    .is_some_and(|stem| self.only.iter().any(|wanted| stem == wanted.as_str()))
        };
        let of_part = |&(part, scenes): &(&'static str, &'static [&'static str])| {
            scenes.iter().filter(move |scene| wanted(part, scene)).copied().collect::<Vec<_>>()
        };
        let file = |scene: &str| self.scenes.join(scene).with_extension("ron");
        PARTS.iter().flat_map(of_part).map(file).collect()
    }
}

fn main() -> ExitCode {
    match compare(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Arguments) -> Result<()> {
    let chosen = arguments.chosen();
    if !arguments.json && !chosen.is_empty() {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        println!("{threads} threads\n\n{}", Row::HEADER);
    }
    let limits = Limits { steps: arguments.steps, samples: arguments.samples, seconds: arguments.budget };
    for path in chosen {
        let scene = Scene::load(&path)?;
        for &kind in &arguments.arms {
            let row = measure::run(&scene, kind, &limits)?;
            println!("{}", if arguments.json { serde_json::to_string(&row)? } else { row.to_string() });
        }
    }
    if arguments.wants(TABLE_FOUR) {
        table_four::print(&arguments.scenes, arguments.steps, arguments.json)?;
    }
    Ok(())
}
