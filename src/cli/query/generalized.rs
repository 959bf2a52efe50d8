//! `query generalized`: how far must A move, turns allowed, to be free of B?

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::lines::{self, Answered, timed};
use super::pair::PairArguments;
use super::poses::Poses;
use super::{POSES, SHAPES};
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::GeneralizedCoherence;
use extricate_scene::batch::Library;
use extricate_scene::batch::answers::generalized::{Answer, Pair};
use extricate_scene::repair::RepairOptions;

/// Arguments of `query generalized`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query generalized spoon.obj box:0.1,0.1,0.1
  extricate query generalized cup.obj spoon.obj --poses motion.jsonl --coherent --effort fast --json

The answer is the nearest pose of A that was found at which it is free of B. Near is measured by the object norm: `sigma` is
the mean squared displacement of the points of A [m²], `depth` its square root [m].

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// How much work a query may be.
    #[arg(long, value_name = "EFFORT", default_value = "best")]
    effort: EffortArgument,
    /// Each pose is near the one of the line before: what was free there is where the search begins as well.
    #[arg(long)]
    coherent: bool,
    /// Distance that A shall keep [m].
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = not_negative)]
    clearance: f64,
    /// Seed of the random starts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// How much work a query may be: a bound on work, so that answers are reproducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EffortArgument {
    /// One descent, more only where it fails.
    Fast,
    /// Many descents.
    Best,
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&value: &f64| value >= 0.0 && value.is_finite());
    number.ok_or_else(|| String::from("a number of metres, not below zero, is needed"))
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    if arguments.coherent && !arguments.pair.is_sequence() {
        let why = "`--coherent` remembers one pose for the next ones and needs `--poses`";
        return Err(Failure::new(Exit::Usage, why));
    }
    let shapes = arguments.pair.shapes()?;
    let pair = Pair::new(&Library::default(), &shapes, arguments.pair.wish())?;
    let poses = arguments.pair.poses()?;
    let effort = match arguments.effort {
        EffortArgument::Fast => Effort::Fast,
        EffortArgument::Best => Effort::Best,
    };
    let (clearance, seed) = (arguments.clearance, arguments.seed);
    let options = RepairOptions { effort, clearance, seed, ..RepairOptions::default() };
    let mut coherence = arguments.coherent.then(GeneralizedCoherence::default);
    lines::answer(console, interrupt, &poses, |poses| ask(&pair, poses, &options, coherence.as_mut()))
}

fn ask(
    pair: &Pair,
    poses: &Poses,
    options: &RepairOptions,
    coherence: Option<&mut GeneralizedCoherence>,
) -> (Answered<Answer>, Duration) {
    let (found, time) = timed(|| pair.search(poses, options, coherence));
    (found.map(|found| found.map_or(Answer::Separate {}, Answer::Penetrating)), time)
}
