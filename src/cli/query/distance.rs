//! `query distance`: how far are two shapes apart, and where? Exactly, within a tolerance, or up to a limit; with
//! `--signed` also how deep they overlap.

use std::fmt;
use std::time::Duration;

use clap::Args;
use nalgebra::Point3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::lines::{self, Answered, Reply, timed};
use super::pair::{Pair, PairArguments};
use super::poses::Poses;
use super::tolerance::Tolerance;
use super::{POSES, SHAPES, convex, coordinates, text_of};
use crate::geometry::convex::ConvexShape;
use crate::penetration::{TranslationalOptions, signed_distance};
use crate::proximity::{DistanceCache, DistanceOptions, Model, distance_with};

/// Arguments of `query distance`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query distance cup.obj spoon.obj --tolerance 1% --json
  extricate query distance cup.obj spoon.obj --signed --poses poses.jsonl
  extricate query distance cylinder:0.2,0.5 sphere:0.1

The distance is zero where the shapes collide. It is proved to be at least `lower_bound`: with a tolerance the answer
may be farther than the closest points by so much, which saves looking at all that is about as close. With `--signed` it
is minus the penetration depth where the shapes overlap, and `lower_bound` and `upper_bound` tell what is proved. Along a
sequence of poses a query starts from where the last one ended.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Look for a distance of at most D [m] only, and stop early where there is none.
    #[arg(long, value_name = "D", value_parser = length)]
    closer_than: Option<f64>,
    /// How much farther than the closest points the answer may be: a length [m], or a share of the distance like 1%.
    #[arg(long, value_name = "T")]
    tolerance: Option<Tolerance>,
    /// Tell how deep the shapes overlap as a negative distance.
    #[arg(long, conflicts_with_all = ["closer_than", "tolerance"])]
    signed: bool,
}

/// How far two shapes are apart; no distance where they are farther than the limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Separation {
    distance: Option<f64>,
    /// What is proved [m].
    lower_bound: Option<f64>,
    /// Of a signed distance: what it is at most [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_bound: Option<f64>,
    points: Option<[[f64; 3]; 2]>,
}

/// A length from the command line [m].
pub(super) fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("a length in metres, zero or above, is needed")),
    }
}

pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let pair = arguments.pair.load()?;
    let poses = arguments.pair.poses()?;
    let mut cache = DistanceCache::default();
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => of_convex(shapes, poses, arguments),
        Pair::Meshes(models) if arguments.signed => signed(models, poses, arguments.pair.is_sequence()),
        Pair::Meshes(models) => of_meshes(models, poses, &arguments.options(), &mut cache),
    })
}

impl Arguments {
    fn options(&self) -> DistanceOptions {
        let default = DistanceOptions::default();
        let limit = self.closer_than.unwrap_or(default.limit);
        match self.tolerance {
            None => DistanceOptions { limit, ..default },
            Some(Tolerance::Length(absolute)) => {
                DistanceOptions { limit, absolute_tolerance: absolute, ..default }
            }
            Some(Tolerance::Share(relative)) => {
                DistanceOptions { limit, relative_tolerance: relative, ..default }
            }
        }
    }
}

fn of_convex(
    shapes: &[ConvexShape; 2],
    poses: &Poses,
    arguments: &Arguments,
) -> (Answered<Separation>, Duration) {
    let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
    let answer = found.map(|found| match arguments.closer_than {
        Some(limit) if found.value > limit => Separation::FARTHER,
        _ if arguments.signed => Separation {
            upper_bound: Some(found.at_most),
            ..Separation::new([found.value, found.value], &found.witnesses)
        },
        _ => Separation::new([found.value.max(0.0); 2], &found.witnesses),
    });
    (answer, time)
}

fn of_meshes(
    [a, b]: &[Model; 2],
    poses: &Poses,
    options: &DistanceOptions,
    cache: &mut DistanceCache,
) -> (Answered<Separation>, Duration) {
    let (found, time) = timed(|| distance_with(a, &poses.a, b, &poses.b, options, cache));
    let answer = found.map(|found| {
        found.map_or(Separation::FARTHER, |found| {
            Separation::new([found.value, found.lower_bound], &found.witnesses)
        })
    });
    (answer.map_err(|error| error.to_string()), time)
}

fn signed([a, b]: &[Model; 2], poses: &Poses, sequence: bool) -> (Answered<Separation>, Duration) {
    let options = TranslationalOptions { parallel: !sequence, ..TranslationalOptions::default() };
    let (found, time) = timed(|| signed_distance(a, &poses.a, b, &poses.b, &options));
    let answer = found.map(|found| {
        let [lower, upper] = found.bounds();
        Separation { upper_bound: Some(upper), ..Separation::new([found.value(), lower], &found.witnesses()) }
    });
    (answer.map_err(|error| error.to_string()), time)
}

impl Separation {
    const FARTHER: Self = Self { distance: None, lower_bound: None, upper_bound: None, points: None };

    fn new([distance, lower_bound]: [f64; 2], witnesses: &[Point3<f64>; 2]) -> Self {
        Self {
            distance: Some(distance),
            lower_bound: Some(lower_bound),
            upper_bound: None,
            points: Some(coordinates(witnesses)),
        }
    }
}

impl Reply for Separation {
    fn status(&self) -> &'static str {
        match self.distance {
            Some(distance) if distance <= 0.0 => "colliding",
            Some(_) => "separate",
            None => "farther",
        }
    }
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some((distance, [a, b])) = self.distance.zip(self.points.as_ref()) else {
            return f.write_str("not closer than the limit");
        };
        if distance < 0.0 {
            return write!(f, "{} m deep", number(-distance));
        }
        if !(distance > 0.0) {
            return f.write_str("colliding");
        }
        write!(f, "{} m apart", number(distance))?;
        if let Some(least) = self.lower_bound.filter(|&least| least < distance) {
            write!(f, " (at least {})", number(least))?;
        }
        write!(f, ", at ({}) and ({})", text_of(a), text_of(b))
    }
}
