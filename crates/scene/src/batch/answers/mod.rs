//! Answers to single questions, as programs read them: their fields, and what they say in a word.

pub mod bodies_repair;
pub mod collide;
pub mod configuration;
pub mod convex;
pub mod distance;
pub mod generalized;
pub mod hausdorff;
pub mod overlaps;
pub mod penetration;
pub mod robot_repair;
pub mod scene_repair;
pub mod self_collision;
pub mod spanning;
pub mod start;
pub mod time_of_contact;

use std::time::{Duration, Instant};

use nalgebra::Point3;
use serde::Serialize;

use super::fault::{Class, Fault};

/// An answer as programs read it.
pub trait Reply: Serialize {
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
pub enum Status {
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
pub type Answered<R> = Result<R, String>;

/// Runs a query and tells how long it took.
pub fn timed<T>(query: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let found = query();
    (found, started.elapsed())
}

/// Points as their coordinates.
pub fn coordinates<const N: usize>(points: &[Point3<f64>; N]) -> [[f64; 3]; N] {
    points.map(|point| point.coords.into())
}
