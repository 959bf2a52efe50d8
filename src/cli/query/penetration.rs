//! `query penetration`: how far must A move to be free of B? Where to start, how much work to do, what to keep.

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::lines::{self, Answered, timed};
use super::pair::{Pair, PairArguments};
use super::poses::Poses;
use super::{POSES, SHAPES};
use extricate_core::penetration::{
    Effort, FreeConfiguration, LowerBound, MotionCoherence, Penetration, PenetrationError,
    TranslationalOptions, local_penetrations, penetration, penetration_coherent,
};
use extricate_core::proximity::Model;
use extricate_scene::batch::answers::convex;
use extricate_scene::batch::answers::penetration::{Answer, PenetrationAnswer, lower_bound};
use extricate_scene::batch::shape::make_folder;

/// Arguments of `query penetration`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query penetration cup.obj box:0.1,0.1,0.1 --effort fast
  extricate query penetration hull:cup.obj capsule:0.1,0.5 --json
  extricate query penetration cup.obj spoon.obj --start coherence --poses motion.jsonl --json

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// How much work a penetration query may be [default: best].
    #[arg(long, value_name = "EFFORT")]
    effort: Option<EffortArgument>,
    /// The one source of starts: centroid, clear, coherence, random, sampled, normals, axes, spread or given:X,Y,Z
    /// [default: as the effort needs them].
    #[arg(long, value_name = "SOURCE")]
    start: Option<FreeConfiguration>,
    /// Seed of the random starts [default: 0].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Return the best answer so far after S seconds; such an answer depends on the machine and is not reproducible.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_budget: Option<Duration>,
    /// How much work the lower bound is worth: skip, balls, or cover:N with N distances [default: balls].
    #[arg(long, value_name = "HOW", value_parser = lower_bound)]
    lower_bound: Option<LowerBound>,
}

/// How much work a query may be: a bound on work, so that answers are reproducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EffortArgument {
    /// One walk.
    Fast,
    /// Many starts.
    Best,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let positive = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let budget = positive.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    budget.ok_or_else(|| String::from("a time in seconds above zero is needed"))
}

impl Arguments {
    /// The first of the options that was given and that only meshes have.
    fn given_for_meshes(&self) -> Option<&'static str> {
        let options = [
            ("--start", self.start.is_some()),
            ("--seed", self.seed.is_some()),
            ("--time-budget", self.time_budget.is_some()),
            ("--lower-bound", self.lower_bound.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The options of the query, refused where they make no sense together.
    fn options(&self) -> Result<TranslationalOptions, Failure> {
        let sequence = self.pair.is_sequence();
        if self.start == Some(FreeConfiguration::MotionCoherence) && !sequence {
            let why = "`--start coherence` remembers one pose for the next ones and needs `--poses`";
            return Err(Failure::new(Exit::Usage, why));
        }
        let default = TranslationalOptions::default();
        let effort = self.effort.map_or(default.effort, |effort| match effort {
            EffortArgument::Fast => Effort::Fast,
            EffortArgument::Best => Effort::Best,
        });
        Ok(TranslationalOptions {
            effort,
            start: self.start,
            seed: self.seed.unwrap_or(default.seed),
            time_budget: self.time_budget,
            lower_bound: self.lower_bound.unwrap_or(default.lower_bound),
            // Several poses are answered side by side.
            parallel: !sequence,
            max_iterations: default.max_iterations,
        })
    }

    /// Readies the pair: refuses convex shapes what only meshes have, and reads or writes the cache.
    fn prepare(&self, pair: &mut Pair) -> Result<(), Failure> {
        match (pair, self.given_for_meshes(), self.pair.cache()) {
            (Pair::Convex(_), Some(option), _) => {
                let why = "two convex shapes are answered exactly, without a search";
                Err(Failure::new(Exit::Usage, format!("`{option}` belongs to meshes: {why}")))
            }
            (Pair::Meshes(models), _, Some(folder)) => {
                models.iter_mut().try_for_each(|model| cached(model, folder))
            }
            _ => Ok(()),
        }
    }
}

/// Takes the maximally clear places of a mesh from the folder, or puts them there.
fn cached(model: &mut Model, folder: &Path) -> Result<(), Failure> {
    let bad = |error: &dyn std::error::Error| Failure::of(Exit::BadFile, error);
    let path = folder.join(format!("{}.json", model.clear_configurations_key()));
    if path.exists() {
        return model.load_clear_configurations(&path).map_err(|error| bad(&error));
    }
    make_folder(folder)?;
    model.save_clear_configurations(&path).map_err(|error| bad(&error))
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let options = arguments.options()?;
    let mut pair = arguments.pair.load()?;
    let poses = arguments.pair.poses()?;
    arguments.prepare(&mut pair)?;
    let mut coherence = MotionCoherence::default();
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => {
            let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
            (found.and_then(|found| convex::penetration(shapes, poses, &found)), time)
        }
        Pair::Meshes(models) => of_meshes([&models[0], &models[1]], poses, &options, &mut coherence),
    })
}

/// The answer and the time of the search alone: the local penetrations are told beyond it.
fn of_meshes(
    [a, b]: [&Model; 2],
    poses: &Poses,
    options: &TranslationalOptions,
    coherence: &mut MotionCoherence,
) -> (Answered<Answer>, Duration) {
    let (found, time) = timed(|| search([a, b], poses, options, coherence));
    let answer = match found {
        Ok(Some(found)) => {
            let local = local_penetrations(a, &poses.a, b, &poses.b, &found);
            Ok(Answer::Penetrating(PenetrationAnswer::new(&found, &local)))
        }
        Ok(None) => Ok(Answer::Separate {}),
        Err(error) => Err(error.to_string()),
    };
    (answer, time)
}

/// The answer of the search at a pose. Coherent poses share what is remembered; before anything is remembered, the
/// choice of the starts is the effort's.
fn search(
    [a, b]: [&Model; 2],
    poses: &Poses,
    options: &TranslationalOptions,
    coherence: &mut MotionCoherence,
) -> Result<Option<Penetration>, PenetrationError> {
    if options.start != Some(FreeConfiguration::MotionCoherence) {
        return penetration(a, &poses.a, b, &poses.b, options);
    }
    let start = options.start.filter(|_| coherence.last_free().is_some());
    let options = TranslationalOptions { start, ..*options };
    penetration_coherent((a, &poses.a), (b, &poses.b), &options, coherence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_and_refused_with_what_to_write() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "inf", "NaN", "1e300", "2s"] {
            assert!(seconds(bad).unwrap_err().contains("seconds"), "{bad}");
        }
    }
}
