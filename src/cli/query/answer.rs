//! Questions about two shapes, and their answers as people and programs read them.

use std::fmt;
use std::time::{Duration, Instant};

use nalgebra::Point3;
use serde::Serialize;

use super::super::table::number;
use super::pair::Pair;
use super::penetration;
use super::poses::Poses;
use crate::penetration::{
    LocalPenetration, MotionCoherence, Penetration, TranslationalOptions, local_penetrations,
};
use crate::proximity::{Distance, Model, collide, distance, distance_up_to, intersecting_pairs};

/// What is asked of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Question {
    /// Do they collide, and with which triangles?
    Collide { all: bool },
    /// How far apart are they, if closer than a limit [m]?
    Distance { closer_than: Option<f64> },
    /// How far must A move?
    Penetration(TranslationalOptions),
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Collide {
        collides: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        pairs: Option<Vec<[u32; 2]>>,
    },
    Distance {
        distance: f64,
        points: [[f64; 3]; 2],
    },
    /// Not closer than the limit that was given.
    Farther {
        distance: Option<f64>,
        points: Option<[[f64; 3]; 2]>,
    },
    Penetrating(PenetrationAnswer),
    Separate {},
    Failed {
        error: String,
    },
}

/// A penetration, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PenetrationAnswer {
    pub(super) depth: f64,
    pub(super) lower_bound: f64,
    pub(super) direction: [f64; 3],
    pub(super) translation: [f64; 3],
    pub(super) witnesses: [[f64; 3]; 2],
    pub(super) local: Vec<Local>,
    pub(super) iterations: u32,
    /// What a search among meshes took.
    #[serde(flatten)]
    pub(super) search: Option<Search>,
    pub(super) converged: bool,
    pub(super) verified_free: bool,
}

/// Where a search began and what it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Search {
    source: String,
    casts: u32,
    marches: u32,
    walks: u32,
    rows: usize,
}

/// The overlap in one region, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Local {
    pub(super) point: [f64; 3],
    pub(super) normal: [f64; 3],
    pub(super) depth: f64,
}

/// An answer as a line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    index: usize,
    status: &'static str,
    #[serde(flatten)]
    answer: &'a Answer,
    time_us: f64,
}

impl Question {
    /// The answer at a pose, and how long the query took; what is told beyond the query takes no part in the time.
    pub(super) fn ask(
        self,
        pair: &Pair,
        poses: &Poses,
        coherence: &mut MotionCoherence,
    ) -> (Answer, Duration) {
        match pair {
            Pair::Convex(shapes) => self.ask_convex(shapes, poses),
            Pair::Meshes(models) => self.ask_meshes([&models[0], &models[1]], poses, coherence),
        }
    }

    fn ask_meshes(
        self,
        [a, b]: [&Model; 2],
        poses: &Poses,
        coherence: &mut MotionCoherence,
    ) -> (Answer, Duration) {
        let (pose_a, pose_b) = (&poses.a, &poses.b);
        let started = Instant::now();
        match self {
            Self::Collide { all } => {
                let mut pairs = Vec::new();
                if all {
                    intersecting_pairs(a, pose_a, b, pose_b, &mut pairs);
                }
                let collides = !pairs.is_empty() || collide(a, pose_a, b, pose_b);
                (Answer::Collide { collides, pairs: all.then_some(pairs) }, started.elapsed())
            }
            Self::Distance { closer_than: None } => {
                let found = distance(a, pose_a, b, pose_b);
                (Answer::from(&found), started.elapsed())
            }
            Self::Distance { closer_than: Some(limit) } => {
                let found = distance_up_to(a, pose_a, b, pose_b, limit);
                let time = started.elapsed();
                (
                    found.map_or(Answer::Farther { distance: None, points: None }, |found| {
                        Answer::from(&found)
                    }),
                    time,
                )
            }
            Self::Penetration(options) => {
                let found = penetration::ask([a, b], poses, &options, coherence);
                let time = started.elapsed();
                let answer = match found {
                    Ok(Some(found)) => {
                        let local = local_penetrations(a, pose_a, b, pose_b, &found);
                        Answer::Penetrating(PenetrationAnswer::new(&found, &local))
                    }
                    Ok(None) => Answer::Separate {},
                    Err(error) => Answer::Failed { error: error.to_string() },
                };
                (answer, time)
            }
        }
    }
}

impl Answer {
    /// Whether the question could not be answered.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }

    /// The answer as a line of JSON.
    pub(super) fn line(&self, index: usize, time: Duration) -> Line<'_> {
        Line { index, status: self.status(), answer: self, time_us: time.as_secs_f64() * 1e6 }
    }

    fn status(&self) -> &'static str {
        match self {
            Self::Collide { collides: true, .. } => "colliding",
            Self::Distance { distance, .. } if *distance <= 0.0 => "colliding",
            Self::Collide { collides: false, .. } | Self::Distance { .. } | Self::Separate {} => "separate",
            Self::Farther { .. } => "farther",
            Self::Penetrating(_) => "penetrating",
            Self::Failed { .. } => "failed",
        }
    }
}

pub(super) fn coordinates(points: &[Point3<f64>; 2]) -> [[f64; 3]; 2] {
    points.map(|point| point.coords.into())
}

impl From<&Distance> for Answer {
    fn from(found: &Distance) -> Self {
        Self::Distance { distance: found.value, points: coordinates(&found.witnesses) }
    }
}

impl PenetrationAnswer {
    fn new(found: &Penetration, local: &[LocalPenetration]) -> Self {
        let region = |region: &LocalPenetration| Local {
            point: region.point.coords.into(),
            normal: region.normal.into_inner().into(),
            depth: region.depth,
        };
        Self {
            depth: found.depth,
            lower_bound: found.lower_bound,
            direction: found.direction.into_inner().into(),
            translation: found.translation.into(),
            witnesses: coordinates(&found.witnesses),
            local: local.iter().map(region).collect(),
            iterations: found.iterations,
            search: Some(Search {
                source: found.start.to_string(),
                casts: found.casts,
                marches: found.marches,
                walks: found.walks,
                rows: found.rows,
            }),
            converged: found.converged,
            // A translation that the independent check refuses is a failure and never gets here.
            verified_free: true,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let vector = |v: &[f64; 3]| v.map(number).join(", ");
        match self {
            Self::Collide { collides, pairs } => {
                f.write_str(if *collides { "colliding" } else { "separate" })?;
                pairs.iter().try_for_each(|pairs| write!(f, ", {} pairs of triangles intersect", pairs.len()))
            }
            Self::Distance { distance, .. } if *distance <= 0.0 => f.write_str("colliding"),
            Self::Distance { distance, points: [a, b] } => {
                write!(f, "{} m apart, at ({}) and ({})", number(*distance), vector(a), vector(b))
            }
            Self::Farther { .. } => f.write_str("not closer than the limit"),
            Self::Penetrating(found) => {
                let (depth, translation) = (number(found.depth), vector(&found.translation));
                let regions = found.local.len();
                write!(f, "{depth} m deep in {regions} regions; moving A by ({translation}) m frees it")
            }
            Self::Separate {} => f.write_str("separate"),
            Self::Failed { error } => write!(f, "failed: {error}"),
        }
    }
}
