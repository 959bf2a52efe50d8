//! Rounds of pair queries and least motions, until no pair asks for anything.
//!
//! Each pair that overlaps where the bodies are now asks to be beyond a plane: that of its penetration depth. Planes
//! stay, so that what one round has taken apart the next one does not push together; the bodies always move from
//! where they started, by the least motion that satisfies all planes of all pairs at once. A plane of a pair takes
//! the place of an earlier one with nearly the same normal: a pair that slides along a curved surface has one.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::broad_phase::near_pairs;
use super::separation::{Overlap, SeparationError, SeparationOptions};
use super::source::{Demand, Pairs, Search};
use crate::penetration::quadratic_program::least_motion::{Row, least_motion};

/// Cosine above which a plane takes the place of an earlier one of its pair.
const SAME_SIDE: f64 = 0.9;
/// Rounds in which a pair may replace its planes; one that still overlaps then keeps them all and adds to them.
const REPLACING: u32 = 8;
/// Planes that a pair keeps.
const KEPT: usize = 12;
/// Gap that every plane keeps, relative to the size of the smaller body: above the rounding of the least motion.
pub(super) const MARGIN: f64 = 4e-10;
/// Rounding of a pose's translation, relative to it; far from the origin it exceeds the margin.
const POSE_ROUNDING: f64 = 4e-15;
/// Violation of a plane, relative to the size of the smaller body, at which the planes of its pair count as
/// impossible and are found anew.
const IMPOSSIBLE: f64 = 1e-6;

/// Share of the greatest violation from which on a pair lets go of its planes.
const WORST: f64 = 0.5;
/// Times that pairs let go in one round.
const CONCESSIONS: u32 = 4;

/// The planes of a pair.
#[derive(Debug, Default)]
struct Planes {
    rows: Vec<Row>,
    /// A shift at which the pair was apart.
    free: Option<Vector3<f64>>,
    rounds: u32,
}

/// What the rounds came to.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Rounds made.
    pub(super) rounds: u32,
    /// Pair queries made.
    pub(super) queries: u64,
    /// Overlaps at the start, sorted.
    pub(super) at_start: Vec<Overlap>,
    /// Overlaps at the end, sorted.
    pub(super) at_end: Vec<Overlap>,
}

/// Moves the bodies apart, from `translations`, which are the start.
pub(super) fn relax(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &mut [Vector3<f64>],
) -> Result<Rounds, SeparationError> {
    let mut known: BTreeMap<[usize; 2], Planes> = BTreeMap::new();
    let mut told = Rounds::default();
    loop {
        let demands = demands(pairs, options, translations, &known, &mut told.queries)?;
        told.at_end = demands.iter().map(|(pair, demand)| Overlap::of(*pair, demand)).collect();
        if told.rounds == 0 {
            told.at_start.clone_from(&told.at_end);
        }
        if demands.is_empty() || told.rounds >= options.max_iterations {
            return Ok(told);
        }
        told.rounds += 1;
        for (pair, demand) in demands {
            let shift = translations[pair[0]] - translations[pair[1]];
            let gap = options.clearance + margin(pairs, pair);
            known.entry(pair).or_default().add(pair, &demand, &shift, gap);
        }
        move_all(pairs, &mut known, translations);
    }
}

/// What the pairs ask for, sorted by pair.
fn demands(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &[Vector3<f64>],
    known: &BTreeMap<[usize; 2], Planes>,
    queries: &mut u64,
) -> Result<Vec<([usize; 2], Demand)>, SeparationError> {
    let near = near_pairs(pairs, translations, options.clearance);
    *queries += near.len() as u64;
    let asked = near.par_iter().map(|&pair| {
        let shift = translations[pair[0]] - translations[pair[1]];
        let free = known.get(&pair).and_then(|planes| planes.free);
        let search = Search { effort: options.effort, free };
        let demand = pairs.demand(pair, &shift, options.clearance, search);
        demand.map(|found| found.map(|demand| (pair, demand))).map_err(|source| (pair, source))
    });
    let asked = asked.collect::<Vec<_>>().into_iter().filter_map(Result::transpose);
    asked.collect::<Result<_, _>>().map_err(|(bodies, source)| SeparationError::Pair { bodies, source })
}

/// Gap that a pair keeps beyond what is asked for [m].
pub(super) fn margin(pairs: &impl Pairs, pair: [usize; 2]) -> f64 {
    let bodies = pair.map(|body| &pairs.bodies()[body]);
    let far = bodies.iter().flat_map(|body| body.bounds).flat_map(|corner| [corner.x, corner.y, corner.z]);
    let far = far.filter(|x| x.is_finite()).map(f64::abs).fold(0.0, f64::max);
    MARGIN * bodies[0].size.min(bodies[1].size) + POSE_ROUNDING * far
}

/// Inverse weights of the bodies, zero for those that stay.
pub(super) fn inverse_weights(pairs: &impl Pairs) -> Vec<f64> {
    pairs.bodies().iter().map(|body| body.weight.map_or(0.0, f64::recip)).collect()
}

/// The least motion from the start that satisfies all planes. Where nothing satisfies them, the pairs whose planes are
/// violated most let go of theirs, and the others are tried again.
fn move_all(pairs: &impl Pairs, known: &mut BTreeMap<[usize; 2], Planes>, translations: &mut [Vector3<f64>]) {
    let inverse_weights = inverse_weights(pairs);
    for _ in 0..CONCESSIONS {
        let mut rows = known.values().flat_map(|planes| planes.rows.iter().copied()).collect::<Vec<_>>();
        let violation = least_motion(&mut rows, &inverse_weights, translations);
        let mut solved = rows.into_iter();
        let mut is_impossible = false;
        for (pair, planes) in &mut *known {
            for row in &mut planes.rows {
                *row = solved.next().expect("there are as many rows as were gathered");
            }
            let size = pair.map(|body| pairs.bodies()[body].size);
            let least = planes.rows.iter().map(|row| row.slack(translations)).fold(0.0, f64::min);
            if least < -IMPOSSIBLE * size[0].min(size[1]) && least <= -WORST * violation {
                planes.let_go();
                is_impossible = true;
            }
        }
        if !is_impossible {
            return;
        }
    }
}

impl Planes {
    /// Forgets all planes but the last one, and that one where it is alone.
    fn let_go(&mut self) {
        let last = self.rows.pop();
        let is_alone = self.rows.is_empty();
        self.rows.clear();
        self.rows.extend(last.filter(|_| !is_alone).map(|row| Row { multiplier: 0.0, ..row }));
        self.free = None;
    }

    /// Adds the plane that a pair asks for at `shift`, to be passed by `gap` [m].
    fn add(&mut self, bodies: [usize; 2], demand: &Demand, shift: &Vector3<f64>, gap: f64) {
        let Demand { normal, depth } = *demand;
        let offset = normal.dot(shift) + depth + gap;
        let mut multiplier = 0.0;
        if self.rounds < REPLACING {
            let same = |row: &Row| row.normal.dot(&normal) > SAME_SIDE;
            multiplier = self.rows.iter().filter(|row| same(row)).map(|row| row.multiplier).sum();
            self.rows.retain(|row| !same(row));
        }
        self.rows.push(Row { bodies, normal, offset, multiplier });
        let excess = self.rows.len().saturating_sub(KEPT);
        self.rows.drain(..excess);
        self.free = Some(shift + normal * (depth + gap));
        self.rounds += 1;
    }
}
