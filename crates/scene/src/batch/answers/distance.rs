//! How far two shapes are apart, and where; or how deep they overlap.

use std::fmt;

use std::time::Duration;

use nalgebra::Point3;
use serde::Serialize;

use super::{Answered, Reply, convex, coordinates, timed};
use crate::batch::poses::Poses;
use crate::batch::text::{number, text_of};
use crate::batch::tolerance::Tolerance;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::penetration::{TranslationalOptions, signed_distance};
use extricate_core::proximity::{DistanceCache, DistanceOptions, Model, distance_with};

/// How far two shapes are apart; no distance where they are farther than the limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Separation {
    pub distance: Option<f64>,
    /// What is proved [m].
    pub lower_bound: Option<f64>,
    /// Of a signed distance: what it is at most [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) upper_bound: Option<f64>,
    pub points: Option<[[f64; 3]; 2]>,
}

/// How far apart is worth knowing, and how exactly.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wanted {
    /// Distance beyond which nothing is looked for [m].
    pub closer_than: Option<f64>,
    /// How much farther than the closest points the answer may be.
    pub tolerance: Option<Tolerance>,
    /// Whether overlaps are told as negative distances.
    pub signed: bool,
}

impl Wanted {
    pub fn options(&self) -> DistanceOptions {
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

/// The distance of two convex shapes.
pub fn of_convex(
    shapes: &[ConvexShape; 2],
    poses: &Poses,
    wanted: &Wanted,
) -> (Answered<Separation>, Duration) {
    let (found, time) = timed(|| convex::signed_distance_at(shapes, poses));
    let answer = found.map(|found| match wanted.closer_than {
        Some(limit) if found.value > limit => Separation::FARTHER,
        _ if wanted.signed => Separation {
            upper_bound: Some(found.at_most),
            ..Separation::new([found.value, found.value], &found.witnesses)
        },
        _ => Separation::new([found.value.max(0.0); 2], &found.witnesses),
    });
    (answer, time)
}

/// The distance of two meshes.
pub fn of_meshes(
    [a, b]: [&Model; 2],
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

/// The signed distance of two meshes; `parallel` says whether the search shares the threads of the pool.
pub fn signed([a, b]: [&Model; 2], poses: &Poses, parallel: bool) -> (Answered<Separation>, Duration) {
    let options = TranslationalOptions { parallel, ..TranslationalOptions::default() };
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
