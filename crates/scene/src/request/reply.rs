//! Common parts of all responses: status, text and time.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3};
use schemars::JsonSchema;
use serde::Serialize;

use super::fault::{Class, Fault};

/// A response with a status for programs.
pub trait Reply: Serialize {
    /// Status of the response, one word.
    fn status(&self) -> &'static str;

    /// Fault of a response that does not fulfil its request.
    fn shortfall(&self) -> Option<Fault> {
        None
    }
}

/// A response, or the reason why there is none.
pub type Answered<R> = Result<R, String>;

/// Runs a query and measures its time.
pub fn timed<T>(query: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let found = query();
    (found, started.elapsed())
}

/// Points as their coordinates.
#[must_use]
pub(super) fn coordinates<const N: usize>(points: &[Point3<f64>; N]) -> [[f64; 3]; N] {
    points.map(|point| point.coords.into())
}

/// Outcome of a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RepairStatus {
    /// A collision-free pose was found.
    Repaired,
    /// Nothing collided.
    AlreadyFree,
    /// No collision-free pose was found.
    NotFound,
}

impl RepairStatus {
    /// Its name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::AlreadyFree => "already-free",
            Self::NotFound => "not-found",
        }
    }

    /// Its name in text.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::AlreadyFree => "free already",
            Self::NotFound => "NOT repaired",
        }
    }
}

/// Fault of a repair that did not find a collision-free pose; `colliding` are the remaining pairs.
pub(super) fn not_free(
    status: RepairStatus,
    refusal: Option<&str>,
    colliding: &[[String; 2]],
) -> Option<Fault> {
    if status != RepairStatus::NotFound {
        return None;
    }
    let pairs: Vec<String> = colliding.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect();
    let still = || format!("no collision-free pose was found: {} still collide", pairs.join(", "));
    Some(Fault::new(Class::NoFreePose, refusal.map_or_else(still, str::to_owned)))
}

/// A pose, body → world.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PoseResponse {
    /// Position \[m\].
    pub translation: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub rotation: [f64; 4],
}

impl From<&Isometry3<f64>> for PoseResponse {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

/// A displacement of a rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Displacement {
    /// Translation \[m\].
    pub translation: [f64; 3],
    /// Angle of the rotation \[rad\].
    #[schemars(range(min = 0.0))]
    pub angle: f64,
}
