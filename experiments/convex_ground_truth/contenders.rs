//! The algorithms that are compared, their answers and times.

use std::hint::black_box;
use std::time::Instant;

use extricate::penetration::convex::incremental::{IncrementalOptions, incremental};
use extricate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use nalgebra::{Isometry3, Vector3};
use parry3d::math::Pose;

use super::cases::{Case, Class};
use super::forms::free_after;

/// An answer of a peer that is off by more than this [m] is wrong; the shapes measure about a metre.
const WRONG: f64 = 1e-4;
/// A guess of [Gao23]'s Tables I–III [rad].
const GUESS: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// Passes over a class; the fastest counts.
const PASSES: usize = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Ours, every query from scratch.
    Cold,
    /// Ours, the cache carried along each motion.
    Warm,
    /// [Gao23] from a guess 15° off.
    Incremental,
    /// [Gao23] from its own last answer.
    IncrementalWarm,
    Parry,
}

/// Answer of a contender to a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    /// Penetration depth [m], below zero for shapes that are apart.
    pub(crate) depth: f64,
    /// Proved lower bound [m] of the depth, where there is one.
    pub(crate) at_least: f64,
    /// Direction in which A moves.
    pub(crate) direction: Vector3<f64>,
    pub(crate) supports: u32,
}

impl Contender {
    pub(crate) const ALL: [Self; 5] =
        [Self::Cold, Self::Warm, Self::Incremental, Self::IncrementalWarm, Self::Parry];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cold => "ours, cold",
            Self::Warm => "ours, warm",
            Self::Incremental => "Gao23, guess 15° off",
            Self::IncrementalWarm => "Gao23, warm",
            Self::Parry => "parry3d-f64",
        }
    }

    /// Whether a contender applies to a class: there is no warm start without a motion.
    pub(crate) fn runs_on(self, class: &Class) -> bool {
        class.is_coherent() || !matches!(self, Self::Warm | Self::IncrementalWarm)
    }

    fn is_certified(self) -> bool {
        matches!(self, Self::Cold | Self::Warm)
    }
}

/// State that a contender carries from a case to the next.
#[derive(Default)]
pub(crate) struct Memory {
    cache: ConvexCache,
    sequence: Option<u64>,
    last: Option<Vector3<f64>>,
}

/// A case with the preprocessed inputs of the contenders.
pub(crate) struct Prepared<'a> {
    case: &'a Case,
    guess: Vector3<f64>,
    peers: [Pose; 2],
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(case: &'a Case) -> Self {
        let peers = [case.a.peer_in_shape, case.pose * case.b.peer_in_shape].map(Pose::from);
        Self { case, guess: case.guess(GUESS), peers }
    }

    /// The contender's answer, if it has one.
    pub(crate) fn ask(&self, contender: Contender, memory: &mut Memory) -> Option<Answer> {
        let new_motion = memory.sequence != Some(self.case.sequence);
        memory.sequence = Some(self.case.sequence);
        match contender {
            Contender::Cold | Contender::Warm => {
                if new_motion || contender == Contender::Cold {
                    memory.cache.forget();
                }
                self.ours(&mut memory.cache)
            }
            Contender::Incremental => self.incremental(&self.guess),
            Contender::IncrementalWarm => {
                let guess = memory.last.filter(|_| !new_motion).unwrap_or(self.guess);
                let answer = self.incremental(&guess);
                memory.last = answer.map(|answer| answer.direction);
                answer
            }
            Contender::Parry => self.parry(),
        }
    }

    fn ours(&self, cache: &mut ConvexCache) -> Option<Answer> {
        let Case { a, b, pose, .. } = self.case;
        let options = ConvexOptions::default();
        let found = signed_distance(&a.ours, &Isometry3::identity(), &b.ours, pose, &options, cache).ok()?;
        Some(Answer {
            depth: -found.value,
            at_least: -found.at_most,
            direction: found.direction.into_inner(),
            supports: found.supports,
        })
    }

    fn incremental(&self, guess: &Vector3<f64>) -> Option<Answer> {
        let Case { a, b, pose, .. } = self.case;
        let options = IncrementalOptions::default();
        let found = incremental(&a.ours, &Isometry3::identity(), &b.ours, pose, guess, &options).ok()??;
        Some(Answer {
            depth: found.depth,
            at_least: 0.0,
            direction: found.direction.into_inner(),
            supports: found.supports,
        })
    }

    fn parry(&self) -> Option<Answer> {
        let Case { a, b, .. } = self.case;
        let contact =
            parry3d::query::contact(&self.peers[0], &*a.peer.0, &self.peers[1], &*b.peer.0, 0.0).ok()??;
        let normal = contact.normal2;
        let direction = Vector3::new(normal.x, normal.y, normal.z);
        Some(Answer { depth: -contact.dist, at_least: 0.0, direction, supports: 0 })
    }
}

/// A row of the table: a contender on a class.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Maximum error of the depth, in units of the tolerance.
    pub(crate) error: f64,
    /// Maximum error of the depth [m].
    pub(crate) metres: f64,
    /// Maximum excess over the depth, along the direction of an answer, in units of the tolerance.
    pub(crate) direction: f64,
    /// Answers beyond the tolerance (ours) or beyond [`WRONG`] (peers), without the missed ones.
    pub(crate) wrong: usize,
    /// Overlaps that were not found.
    pub(crate) missed: usize,
    /// Answers whose bounds do not agree to the tolerance.
    pub(crate) uncertified: usize,
    /// Mean, median and 99th percentile of the time of a query [µs].
    pub(crate) micros: [f64; 3],
    pub(crate) supports: f64,
    /// The first cases that are wrong or missed, with both depths.
    pub(crate) failures: Vec<String>,
}

/// A contender on a class: its answers judged, its time measured.
pub(crate) fn run(class: &Class, contender: Contender) -> Row {
    let prepared: Vec<_> = class.cases.iter().map(Prepared::new).collect();
    let mut row = judge(class, &prepared, contender);
    row.micros = time(&prepared, contender);
    row
}

fn judge(class: &Class, prepared: &[Prepared<'_>], contender: Contender) -> Row {
    let (mut row, mut memory) = (Row::default(), Memory::default());
    for (index, (case, prepared)) in class.cases.iter().zip(prepared).enumerate() {
        let tolerance = case.tolerance(class.relative_tolerance);
        let answer = prepared.ask(contender, &mut memory);
        let Some(answer) = answer.filter(|answer| answer.depth > -tolerance) else {
            row.missed += 1;
            row.failures.push(format!("case {index}: depth {:e}, missed", case.truth.depth));
            continue;
        };
        let error = (answer.depth - case.truth.depth).abs();
        let [a, b] = [(&case.a.form, &Isometry3::identity()), (&case.b.form, &case.pose)];
        let excess = free_after(a, b, &answer.direction) - case.truth.depth;
        row.error = row.error.max(error / tolerance);
        row.metres = row.metres.max(error);
        row.direction = row.direction.max(excess / tolerance);
        row.supports += f64::from(answer.supports) / class.cases.len() as f64;
        let allowed = if contender.is_certified() { tolerance } else { WRONG };
        let proof_fails = contender.is_certified() && answer.at_least > case.truth.depth + tolerance;
        if !(error <= allowed && excess <= allowed) || proof_fails {
            row.wrong += 1;
            let (depth, at_least) = (answer.depth, answer.at_least);
            row.failures.push(format!(
                "case {index}: depth {:e}, answered {at_least:e} to {depth:e}, along the direction {:e}",
                case.truth.depth,
                case.truth.depth + excess
            ));
        }
        row.uncertified +=
            usize::from(contender.is_certified() && answer.depth - answer.at_least > tolerance);
    }
    row
}

/// Mean, median and 99th percentile [µs]: the mean of whole passes, the others query by query less the timer's cost.
fn time(prepared: &[Prepared<'_>], contender: Contender) -> [f64; 3] {
    let mut whole = f64::INFINITY;
    let mut single = vec![f64::INFINITY; prepared.len()];
    for _ in 0..PASSES {
        let mut memory = Memory::default();
        let start = Instant::now();
        for prepared in prepared {
            black_box(prepared.ask(contender, &mut memory));
        }
        whole = whole.min(start.elapsed().as_secs_f64());
        let mut memory = Memory::default();
        for (prepared, single) in prepared.iter().zip(&mut single) {
            let start = Instant::now();
            black_box(prepared.ask(contender, &mut memory));
            *single = single.min(start.elapsed().as_secs_f64());
        }
    }
    let overhead = (0..1000).map(|_| Instant::now().elapsed().as_secs_f64()).fold(f64::INFINITY, f64::min);
    single.sort_by(f64::total_cmp);
    let quantile = |fraction: f64| single[((single.len() - 1) as f64 * fraction) as usize] - overhead;
    [whole / prepared.len() as f64, quantile(0.5), quantile(0.99)].map(|seconds| 1e6 * seconds)
}
