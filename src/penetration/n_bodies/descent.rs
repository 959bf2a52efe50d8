//! The way back: bodies that are apart approach where they started, and stay apart.
//!
//! This is the walk of [Je12 §3.2] for all bodies at once. The *in-projection* is the least motion beyond the planes of
//! all contacts known; the *out-projection* sweeps every pair from where the bodies are to that goal. A pair that would
//! meet on the way adds the plane of its first contact, and the goal is sought again; once the way is free the bodies
//! move, and forget their planes: contacts that were slid past bind no more.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::SeparationOptions;
use super::broad_phase::{boxes, near_boxes};
use super::least_motion::{Row, least_motion};
use super::rounds::{inverse_weights, margin};
use super::source::{Pairs, Search};

/// Goals that are sought before a move. Most ways are free after fewer than ten; after so many the bodies go as far as
/// the first contact of all.
const GOALS: u32 = 24;
/// Share of Σ w‖t‖² that a move must gain, or the descent is at its end.
const GAIN: f64 = 5e-3;
/// Share of a blocked way that is gone.
const CAUTION: f64 = 0.99;

/// Moves free bodies towards their start; answers the pair queries made.
pub(super) fn descend(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &mut Vec<Vector3<f64>>,
) -> u64 {
    let mut queries = 0;
    for _ in 0..options.max_moves {
        let before = cost(pairs, translations);
        let found = next(pairs, options, translations, &mut queries);
        let Some(found) = found.filter(|found| cost(pairs, found) < before) else { break };
        *translations = found;
        if !(cost(pairs, translations) < (1.0 - GAIN) * before) {
            break;
        }
    }
    queries
}

/// Σ w‖t‖² over the bodies that may move.
pub(super) fn cost(pairs: &impl Pairs, translations: &[Vector3<f64>]) -> f64 {
    let bodies = pairs.bodies().iter().zip(translations);
    bodies.filter_map(|(body, moved)| Some(body.weight? * moved.norm_squared())).sum()
}

/// The next place of all bodies, if there is a nearer one.
fn next(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    from: &[Vector3<f64>],
    queries: &mut u64,
) -> Option<Vec<Vector3<f64>>> {
    let inverse_weights = inverse_weights(pairs);
    let mut rows: Vec<Row> = Vec::new();
    let mut to = vec![Vector3::zeros(); from.len()];
    let mut share = 0.0;
    for _ in 0..GOALS {
        least_motion(&mut rows, &inverse_weights, &mut to);
        if !(cost(pairs, &to) < (1.0 - GAIN) * cost(pairs, from)) {
            return None;
        }
        let met = contacts(pairs, options, from, &to, queries);
        if met.is_empty() {
            return Some(to);
        }
        share = met.iter().map(|contact| contact.share).fold(1.0, f64::min);
        rows.extend(met.into_iter().map(|contact| contact.row));
    }
    // A distance to be kept cannot be judged on the way.
    let goes = share > 0.0 && options.clearance <= 0.0;
    goes.then(|| from.iter().zip(&to).map(|(a, b)| a + (b - a) * (CAUTION * share)).collect())
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
