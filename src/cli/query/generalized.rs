//! `query generalized`: how far must A move, turns allowed, to be free of B?

use std::fmt;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nalgebra::Isometry3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::lines::{self, Answered, Reply, timed};
use super::pair::PairArguments;
use super::poses::Poses;
use super::shape::ShapeArgument;
use super::{POSES, SHAPES, text_of};
use crate::geometry::Solidity;
use crate::penetration::Effort;
use crate::penetration::generalized::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, Obstacle, Shape, rigid, rigid_coherent,
};
use crate::proximity::Model;
use crate::repair::{Actor, Ensemble, Freedom, Prop, RepairError, RepairOptions, with_triangles};

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

/// How deep two shapes overlap, if they do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Answer {
    Penetrating(PenetrationAnswer),
    Separate {},
}

/// A penetration, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct PenetrationAnswer {
    sigma: f64,
    depth: f64,
    pose: PoseAnswer,
    iterations: u32,
    verified_free: bool,
}

/// A pose, body → world.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct PoseAnswer {
    translation: [f64; 3],
    rotation: [f64; 4],
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
    let pair = Pair::new(arguments)?;
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

/// The two shapes, made ready.
enum Pair {
    /// Unions of convex pieces, B at the origin: everything is seen from it.
    Pieces(Box<Ensemble>),
    /// At least one is known by its triangles alone.
    Models(Box<[Model; 2]>),
}

impl Pair {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let shapes = arguments.pair.shapes()?;
        let wish = arguments.pair.wish();
        let (a, b) = (made(&shapes[0], wish)?, made(&shapes[1], wish)?);
        let bad = |error: RepairError| Failure::new(Exit::BadFile, error.to_string());
        // An infinite shape, or one without volume, is refused here.
        let actor = Actor::body(shapes[0].text(), a.clone()).map_err(bad)?;
        if a.convex_pieces().is_none() || b.convex_pieces().is_none() {
            let models = [&a, &b].map(|shape| with_triangles(shape).model().cloned());
            if let [Some(a), Some(b)] = models {
                return Ok(Self::Models(Box::new([a, b])));
            }
        }
        let obstacle = Obstacle { shape: b, pose: Isometry3::identity() };
        let prop = Prop { name: shapes[1].text().to_owned(), obstacle };
        let ensemble = Ensemble::new(vec![actor], vec![prop], &Freedom::default()).map_err(bad)?;
        Ok(Self::Pieces(Box::new(ensemble)))
    }

    /// The answer with the pose of A in the world.
    fn search(
        &self,
        Poses { a, b }: &Poses,
        options: &RepairOptions,
        coherence: Option<&mut GeneralizedCoherence>,
    ) -> Answered<Option<PenetrationAnswer>> {
        match self {
            Self::Pieces(ensemble) => {
                let seen_from_b = [(b.inverse() * a).into()];
                let found = match coherence {
                    Some(coherence) => ensemble.repair_coherent(&seen_from_b, options, coherence),
                    None => ensemble.repair(&seen_from_b, options),
                };
                let answer = |found: crate::repair::Repair| PenetrationAnswer {
                    sigma: found.sigma,
                    depth: found.depth,
                    pose: (&(b * found.poses[0].base)).into(),
                    iterations: found.iterations,
                    verified_free: found.verified_free,
                };
                found.map(|found| found.map(answer)).map_err(|error| error.to_string())
            }
            Self::Models(models) => {
                let options = GeneralizedOptions::from(options);
                let [first, second] = &**models;
                let found = match coherence {
                    Some(coherence) => rigid_coherent((first, a), (second, b), &options, coherence),
                    None => rigid(first, a, second, b, &options),
                };
                let answer = |found: GeneralizedPenetration| PenetrationAnswer {
                    sigma: found.sigma,
                    depth: found.depth,
                    pose: (&found.poses[0].base).into(),
                    iterations: found.iterations,
                    verified_free: found.verified_free,
                };
                found.map(|found| found.map(answer)).map_err(|error| error.to_string())
            }
        }
    }
}

/// The shape for the search: exact where it is convex by its form.
fn made(shape: &ShapeArgument, wish: Option<Solidity>) -> Result<Shape, Failure> {
    if shape.is_convex() && wish != Some(Solidity::Surface) {
        return Ok(Shape::convex(shape.convex()?));
    }
    if !shape.has_triangles() {
        let why = "`--surface` takes the triangles of both shapes";
        return Err(Failure::new(Exit::Usage, format!("`{}` has no triangles: {why}", shape.text())));
    }
    Ok(Shape::of_model(shape.model(wish, None)?))
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

impl From<&Isometry3<f64>> for PoseAnswer {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        let [w, x, y, z] = found.pose.rotation.map(number);
        let place = text_of(&found.pose.translation);
        write!(f, "{} m deep (root mean square); A is free at ({place}), turned by ", number(found.depth))?;
        write!(f, "({w}, {x}, {y}, {z})")
    }
}
