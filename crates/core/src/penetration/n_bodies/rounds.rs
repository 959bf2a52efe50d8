//! Rounds of pair queries and minimum motions, until no pair has a violated constraint.
//!
//! Each pair that overlaps at the present positions contributes a plane that it must be beyond: that of its penetration
//! depth. Planes persist, so that a round does not push together pairs that an earlier one has separated; the bodies always
//! move from their initial positions, by the minimum motion that satisfies all planes of all pairs at once. A plane of a pair
//! replaces an earlier one with nearly the same normal: a pair that slides along a curved surface has one.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::broad_phase::near_pairs;
use super::separation::{Overlap, SeparationError, SeparationOptions};
use super::source::{PairConstraint, PairSearch, Pairs};
use crate::parallel;
use crate::penetration::quadratic_program::min_motion::{Row, min_motion};

/// Cosine above which a plane replaces an earlier one of its pair (26°). Nearer to 1 a pair that slides along a curved
/// surface collects planes that no longer hold; smaller, the pair may alternate between planes of different sides. Half
/// changes the mean depth by < 0.01 %, twice by +0.074 % (worst +0.89 %) with +11 % queries (docs/sensitivity.md).
const SAME_SIDE: f64 = 0.9;
/// Rounds in which a pair may replace its planes; one that still overlaps after them retains all and adds to them,
/// which ends an alternation of two planes. Half and twice change every depth by less than 0.01 % and the queries by
/// −3 % and < 0.5 % (docs/sensitivity.md).
const REPLACING: u32 = 8;
/// Maximum number of planes of a pair, the latest ones. A safeguard against a growing quadratic program, without effect
/// on the sets of docs/sensitivity.md.
const MAX_PLANES: usize = 12;
/// Gap added to every plane, relative to the size of the smaller body: above the rounding of the minimum motion.
pub(super) const MARGIN: f64 = 4e-10;
/// Rounding of a pose's translation, relative to it; far from the origin it exceeds the margin. Half and twice change
/// every depth by less than 0.05 % and the queries by < 0.5 % and +1.2 % (docs/sensitivity.md).
const POSE_ROUNDING: f64 = 4e-15;
/// Violation of a plane at the minimum motion, relative to the size of the smaller body, above which the planes of its
/// pair count as infeasible and are released: far above the violations that a solved program leaves. A safeguard,
/// without effect on the sets of docs/sensitivity.md.
const INFEASIBLE: f64 = 1e-6;

/// Fraction of the maximum violation above which a pair releases its planes. Nearer to 1 one pair is released at a time and more
/// programs are solved; smaller, pairs lose planes that were feasible.
const WORST: f64 = 0.5;
/// Releases in one round, each followed by another quadratic program; violations that remain are seen by the next
/// round. A safeguard, without effect on the sets of docs/sensitivity.md.
const MAX_RELEASES: u32 = 4;

/// The planes of a pair.
#[derive(Debug, Default)]
struct Planes {
    rows: Vec<Row>,
    /// A shift at which the pair was separated.
    free: Option<Vector3<f64>>,
    rounds: u32,
}

/// Outcome of the rounds.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Number of rounds.
    pub(super) rounds: u32,
    /// Number of pair queries.
    pub(super) queries: u64,
    /// Overlaps at the start, sorted.
    pub(super) at_start: Vec<Overlap>,
    /// Overlaps at the end, sorted.
    pub(super) at_end: Vec<Overlap>,
}

/// Separates the bodies, starting from `translations`.
pub(super) fn relax(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &mut [Vector3<f64>],
) -> Result<Rounds, SeparationError> {
    let mut known: BTreeMap<[usize; 2], Planes> = BTreeMap::new();
    let mut report = Rounds::default();
    loop {
        let constraints = constraints(pairs, options, translations, &known, &mut report.queries)?;
        report.at_end = constraints.iter().map(|(pair, constraint)| Overlap::of(*pair, constraint)).collect();
        if report.rounds == 0 {
            report.at_start.clone_from(&report.at_end);
        }
        if constraints.is_empty() || report.rounds >= options.max_iterations {
            return Ok(report);
        }
        report.rounds += 1;
        for (pair, constraint) in constraints {
            let shift = translations[pair[0]] - translations[pair[1]];
            let gap = options.clearance + margin(pairs, pair);
            known.entry(pair).or_default().add(pair, &constraint, &shift, gap);
        }
        // The translations are those of the program, from the initial positions, and not increments.
        move_all(pairs, &mut known, translations);
    }
}

/// The violated constraints of all pairs, sorted by pair.
fn constraints(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &[Vector3<f64>],
    known: &BTreeMap<[usize; 2], Planes>,
    queries: &mut u64,
) -> Result<Vec<([usize; 2], PairConstraint)>, SeparationError> {
    let near = near_pairs(pairs, translations, options.clearance);
    *queries += near.len() as u64;
    let found = parallel::map_slice(&near, 1, |&pair| {
        let shift = translations[pair[0]] - translations[pair[1]];
        let free = known.get(&pair).and_then(|planes| planes.free);
        let search = PairSearch { effort: options.effort, free };
        let constraint = pairs.constraint(pair, &shift, options.clearance, search);
        constraint.map(|found| found.map(|constraint| (pair, constraint))).map_err(|source| (pair, source))
    });
    let found = found.into_iter().filter_map(Result::transpose);
    found.collect::<Result<_, _>>().map_err(|(bodies, source)| SeparationError::Pair { bodies, source })
}

/// Gap added to the clearance of a pair [m].
pub(super) fn margin(pairs: &impl Pairs, pair: [usize; 2]) -> f64 {
    let bodies = pair.map(|body| &pairs.bodies()[body]);
    let far = bodies.iter().flat_map(|body| body.bounds).flat_map(|corner| [corner.x, corner.y, corner.z]);
    let far = far.filter(|x| x.is_finite()).map(f64::abs).fold(0.0, f64::max);
    MARGIN * bodies[0].size.min(bodies[1].size) + POSE_ROUNDING * far
}

/// Inverse weights of the bodies, zero for fixed ones.
pub(super) fn inverse_weights(pairs: &impl Pairs) -> Vec<f64> {
    pairs.bodies().iter().map(|body| body.weight.map_or(0.0, f64::recip)).collect()
}

/// The minimum motion from the initial positions that satisfies all planes. If none does, the pairs whose planes are violated
/// most release theirs, and the program is solved again.
fn move_all(pairs: &impl Pairs, known: &mut BTreeMap<[usize; 2], Planes>, translations: &mut [Vector3<f64>]) {
    let inverse_weights = inverse_weights(pairs);
    for _ in 0..MAX_RELEASES {
        // In the order of the pairs: the rounding of the program is the same on any number of threads.
        let mut rows = known.values().flat_map(|planes| planes.rows.iter().copied()).collect::<Vec<_>>();
        let violation = min_motion(&mut rows, &inverse_weights, translations);
        let mut solved = rows.into_iter();
        let mut is_infeasible = false;
        for (pair, planes) in &mut *known {
            for row in &mut planes.rows {
                *row = solved.next().expect("there are as many rows as were gathered");
            }
            let size = pair.map(|body| pairs.bodies()[body].size);
            let min = planes.rows.iter().map(|row| row.slack(translations)).fold(0.0, f64::min);
            if min < -INFEASIBLE * size[0].min(size[1]) && min <= -WORST * violation {
                planes.release();
                is_infeasible = true;
            }
        }
        if !is_infeasible {
            return;
        }
    }
}

impl Planes {
    /// Discards all planes but the last one, and that one too if it is the only one.
    fn release(&mut self) {
        let last = self.rows.pop();
        let is_alone = self.rows.is_empty();
        self.rows.clear();
        self.rows.extend(last.filter(|_| !is_alone).map(|row| Row { multiplier: 0.0, ..row }));
        self.free = None;
    }

    /// Adds the plane of a pair's constraint at `shift`, to be exceeded by `gap` [m].
    fn add(&mut self, bodies: [usize; 2], constraint: &PairConstraint, shift: &Vector3<f64>, gap: f64) {
        let PairConstraint { normal, depth } = *constraint;
        let offset = normal.dot(shift) + depth + gap;
        let mut multiplier = 0.0;
        if self.rounds < REPLACING {
            let same = |row: &Row| row.normal.dot(&normal) > SAME_SIDE;
            // The new plane starts with the multipliers of those it replaces: a warm start of the quadratic program.
            multiplier = self.rows.iter().filter(|row| same(row)).map(|row| row.multiplier).sum();
            self.rows.retain(|row| !same(row));
        }
        self.rows.push(Row { bodies, normal, offset, multiplier });
        // The oldest planes come first.
        let excess = self.rows.len().saturating_sub(MAX_PLANES);
        self.rows.drain(..excess);
        // The pair is separated there: its next walk starts from this side.
        self.free = Some(shift + normal * (depth + gap));
        self.rounds += 1;
    }
}
