//! `query distance`: how far are two shapes apart, and where?

use std::fmt;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::Failure;
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::lines::{self, Answered, Reply, timed};
use super::pair::{Pair, PairArguments};
use super::poses::Poses;
use super::{POSES, SHAPES, convex, coordinates, text_of};
use crate::geometry::convex::ConvexShape;
use crate::proximity::{Model, distance, distance_up_to};

/// Arguments of `query distance`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query distance cylinder:0.2,0.5 sphere:0.1

The distance is zero where the shapes collide.

{SHAPES}

{POSES}"))]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pair: PairArguments,
    /// Look for a distance of at most D [m] only, and stop early where there is none.
    #[arg(long, value_name = "D", value_parser = length)]
    closer_than: Option<f64>,
}

/// How far two shapes are apart; no distance where they are farther than the limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Separation {
    distance: Option<f64>,
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
    lines::answer(console, interrupt, &poses, |poses| match &pair {
        Pair::Convex(shapes) => of_convex(shapes, poses, arguments.closer_than),
        Pair::Meshes(models) => of_meshes(models, poses, arguments.closer_than),
    })
}

fn of_convex(
    shapes: &[ConvexShape; 2],
    poses: &Poses,
    closer_than: Option<f64>,
) -> (Answered<Separation>, Duration) {
    let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
    let answer = found.map(|found| match closer_than {
        Some(limit) if found.value > limit => Separation::FARTHER,
        _ => Separation::new(found.value.max(0.0), &found.witnesses),
    });
    (answer, time)
}

fn of_meshes(
    [a, b]: &[Model; 2],
    poses: &Poses,
    closer_than: Option<f64>,
) -> (Answered<Separation>, Duration) {
    let (found, time) = timed(|| match closer_than {
        None => Some(distance(a, &poses.a, b, &poses.b)),
        Some(limit) => distance_up_to(a, &poses.a, b, &poses.b, limit),
    });
    let answer = found.map_or(Separation::FARTHER, |found| Separation::new(found.value, &found.witnesses));
    (Ok(answer), time)
}

impl Separation {
    const FARTHER: Self = Self { distance: None, points: None };

    fn new(distance: f64, witnesses: &[nalgebra::Point3<f64>; 2]) -> Self {
        Self { distance: Some(distance), points: Some(coordinates(witnesses)) }
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
        match (self.distance, &self.points) {
            (Some(distance), Some([a, b])) if distance > 0.0 => {
                write!(f, "{} m apart, at ({}) and ({})", number(distance), text_of(a), text_of(b))
            }
            (Some(_), _) => f.write_str("colliding"),
            (None, _) => f.write_str("not closer than the limit"),
        }
    }
}
