//! Answers to single questions, as programs read them: their fields, and what they say in a word.

pub(crate) mod bodies_repair;
pub(crate) mod collide;
pub(crate) mod configuration;
pub(crate) mod convex;
pub(crate) mod distance;
pub(crate) mod generalized;
pub(crate) mod hausdorff;
pub(crate) mod overlaps;
pub(crate) mod penetration;
pub(crate) mod robot_repair;
pub(crate) mod scene_repair;
pub(crate) mod self_collision;
pub(crate) mod spanning;
pub(crate) mod start;
pub(crate) mod time_of_contact;

use std::time::{Duration, Instant};

use nalgebra::Point3;
use serde::Serialize;

use super::fault::{Class, Fault};

/// An answer as programs read it.
pub(crate) trait Reply: Serialize {
    /// What the answer says in a word.
    fn status(&self) -> &'static str;

    /// Why it is not what was asked for, where it is not.
    fn shortfall(&self) -> Option<Fault> {
        None
    }
}

/// What a repair came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    Repaired,
    AlreadyFree,
    NotFound,
}

impl Status {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::AlreadyFree => "already-free",
            Self::NotFound => "not-found",
        }
    }
}

/// Why a repair that is not free does not count.
fn not_free(status: Status, refusal: Option<&str>, left: &[[String; 2]]) -> Option<Fault> {
    if status != Status::NotFound {
        return None;
    }
    let pairs: Vec<String> = left.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect();
    let still = || format!("no collision-free pose was found: {} still collide", pairs.join(", "));
    Some(Fault::new(Class::NoFreePose, refusal.map_or_else(still, str::to_owned)))
}

/// An answer, or why there is none.
pub(crate) type Answered<R> = Result<R, String>;

/// Runs a query and tells how long it took.
pub(crate) fn timed<T>(query: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let found = query();
    (found, started.elapsed())
}

/// Points as their coordinates.
pub(crate) fn coordinates<const N: usize>(points: &[Point3<f64>; N]) -> [[f64; 3]; N] {
    points.map(|point| point.coords.into())
}
