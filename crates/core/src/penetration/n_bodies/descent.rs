//! The way back: bodies that are apart approach where they started, and stay apart.
//!
//! This is the walk of [Je12 §3.2] for all bodies at once. The *in-projection* is the least motion beyond the planes of
//! all contacts known; the *out-projection* sweeps every pair from where the bodies are to that goal. A pair that would
//! meet on the way adds the plane of its first contact, and the goal is sought again; once the way is free the bodies
//! move, and forget their planes: contacts that were slid past bind no more.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::broad_phase::{boxes, near_boxes};
use super::rounds::margin;
use super::separation::{Measure, SeparationOptions};
use super::source::{Pairs, Search};
use crate::penetration::quadratic_program::least_motion::{Row, least_motion};

/// Goals that are sought before a move. Most ways are free after fewer than ten; after so many the bodies go as far as
/// the first contact of all.
const GOALS: u32 = 24;
/// Share of what is kept small that a move must gain, or the descent is at its end.
const GAIN: f64 = 5e-3;
/// Share of a blocked way that is gone.
const CAUTION: f64 = 0.99;

/// Share of the greatest displacement below which a displacement counts as that much, so that its length has a slope.
const SMALL: f64 = 1e-3;

/// Moves free bodies towards their start; answers the pair queries made.
pub(super) fn descend(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    measure: Measure,
    translations: &mut Vec<Vector3<f64>>,
) -> u64 {
    let mut queries = 0;
    for _ in 0..options.max_moves {
        let before = cost(pairs, measure, translations);
        let weights = weights(pairs, measure, translations);
        let goals = Goals { pairs, options, weights };
        let found = goals.next(translations, &mut queries);
        let Some(found) = found.filter(|found| cost(pairs, measure, found) < before) else { break };
        *translations = found;
        if !(cost(pairs, measure, translations) < (1.0 - GAIN) * before) {
            break;
        }
    }
    queries
}

/// What is kept small, over the bodies that may move.
pub(super) fn cost(pairs: &impl Pairs, measure: Measure, translations: &[Vector3<f64>]) -> f64 {
    let of = |moved: &Vector3<f64>| match measure {
        Measure::Squares => moved.norm_squared(),
        Measure::Lengths => moved.norm(),
    };
    let bodies = pairs.bodies().iter().zip(translations);
    bodies.filter_map(|(body, moved)| Some(body.weight? * of(moved))).sum()
}

/// Weights of squares that stand for the measure near `translations`, zero for bodies that stay.
///
/// Σ w‖t‖ is touched from above, where the bodies are now, by ½ Σ w (‖t‖²/‖t₀‖ + ‖t₀‖): what makes that less makes the
/// lengths less.
fn weights(pairs: &impl Pairs, measure: Measure, translations: &[Vector3<f64>]) -> Vec<f64> {
    let greatest = translations.iter().map(Vector3::norm).fold(0.0, f64::max);
    let bodies = pairs.bodies().iter().zip(translations);
    let of = |moved: &Vector3<f64>| match measure {
        Measure::Squares => 1.0,
        Measure::Lengths => greatest / moved.norm().max(SMALL * greatest),
    };
    bodies.map(|(body, moved)| body.weight.map_or(0.0, |weight| weight * of(moved))).collect()
}

/// The search for the next place of all bodies.
struct Goals<'a, P> {
    pairs: &'a P,
    options: &'a SeparationOptions,
    /// Weights of the squares that are made least; zero for bodies that stay.
    weights: Vec<f64>,
}

impl<P: Pairs> Goals<'_, P> {
    /// The next place of all bodies, if there is a nearer one.
    fn next(&self, from: &[Vector3<f64>], queries: &mut u64) -> Option<Vec<Vector3<f64>>> {
        let inverse = |&weight: &f64| if weight > 0.0 { weight.recip() } else { 0.0 };
        let inverse_weights = self.weights.iter().map(inverse).collect::<Vec<_>>();
        let mut rows: Vec<Row> = Vec::new();
        let mut to = vec![Vector3::zeros(); from.len()];
        let mut share = 0.0;
        for _ in 0..GOALS {
            least_motion(&mut rows, &inverse_weights, &mut to);
            if !(self.squares(&to) < (1.0 - GAIN) * self.squares(from)) {
                return None;
            }
            let met = contacts(self.pairs, self.options, from, &to, queries);
            if met.is_empty() {
                return Some(to);
            }
            share = met.iter().map(|contact| contact.share).fold(1.0, f64::min);
            rows.extend(met.into_iter().map(|contact| contact.row));
        }
        // A distance to be kept cannot be judged on the way.
        let goes = share > 0.0 && self.options.clearance <= 0.0;
        goes.then(|| from.iter().zip(&to).map(|(a, b)| a + (b - a) * (CAUTION * share)).collect())
    }

    fn squares(&self, translations: &[Vector3<f64>]) -> f64 {
        let bodies = self.weights.iter().zip(translations);
        bodies.map(|(weight, moved)| weight * moved.norm_squared()).sum()
    }
}

/// A pair that meets on the way.
struct Meeting {
    row: Row,
    /// Share of the way that is free.
    share: f64,
}

/// The first contacts of all pairs on the straight way of all bodies, sorted by pair.
fn contacts(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    from: &[Vector3<f64>],
    to: &[Vector3<f64>],
    queries: &mut u64,
) -> Vec<Meeting> {
    let both = boxes(pairs, from).into_iter().zip(boxes(pairs, to));
    let swept = both.map(|([a, b], [c, d])| [a.inf(&c), b.sup(&d)]).collect::<Vec<_>>();
    let near = near_boxes(pairs, &swept, options.clearance);
    *queries += near.len() as u64;
    let met = near.par_iter().filter_map(|&pair| {
        let [start, end] = [from, to].map(|moved| moved[pair[0]] - moved[pair[1]]);
        if start == end {
            return None;
        }
        meeting(pairs, options, pair, [&start, &end])
    });
    met.collect()
}

fn meeting(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    bodies: [usize; 2],
    [start, end]: [&Vector3<f64>; 2],
) -> Option<Meeting> {
    let row = |normal: Vector3<f64>, touching: f64| {
        let offset = touching + options.clearance + margin(pairs, bodies);
        Row { bodies, normal, offset, multiplier: 0.0 }
    };
    if let Some(contact) = pairs.first_contact(bodies, start, end) {
        let normal = contact.normal;
        let met = start + (end - start) * contact.share;
        return Some(Meeting { row: row(normal, normal.dot(&met)), share: contact.share });
    }
    if options.clearance <= 0.0 || pairs.is_apart(bodies, end, options.clearance) {
        return None;
    }
    let search = Search { effort: options.effort, free: None };
    let demand = pairs.demand(bodies, end, options.clearance, search).ok().flatten()?;
    Some(Meeting { row: row(demand.normal, demand.normal.dot(end) + demand.depth), share: 0.0 })
}
