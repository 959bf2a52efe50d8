//! Descent: separated bodies approach their initial positions and remain separated.
//!
//! This is the walk of [Je12 §3.2] for all bodies at once. The *in-projection* is the minimum motion beyond the planes of
//! all known contacts; the *out-projection* casts every pair from the present positions to that target. A pair that would
//! collide on the path adds the plane of its first contact, and the target is computed again; once the path is free the bodies
//! move, and all planes are discarded: contacts that were slid past no longer constrain.

use nalgebra::Vector3;

use super::broad_phase::{boxes, near_boxes};
use super::rounds::margin;
use super::separation::{DisplacementMeasure, SeparationOptions};
use super::source::{PairSearch, Pairs};
use crate::parallel;
use crate::penetration::quadratic_program::min_motion::{Row, min_motion};

/// In-projections before a move. Most paths are free after fewer than ten; after this many the bodies move up to the
/// first contact of all, a shorter step that ends the descent sooner. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const MAX_TARGETS: u32 = 24;
/// Relative decrease of the objective below which the descent ends. Half of it makes more moves for gains below 0.5 %
/// each, twice it ends earlier. Half changes the mean depth by −0.23 % (best −1.3 %) with +7.5 % queries, twice by
/// +0.17 % (worst +1.1 %) with −5.5 % queries (docs/sensitivity.md).
const MIN_GAIN: f64 = 5e-3;
/// Fraction of the free part of a blocked path that is used: the rest is a gap that lets the next casts start free of contact.
const STEP_FRACTION: f64 = 0.99;

/// Lower bound of a displacement, relative to the maximum one, in the weights of Σ w‖t‖. A smaller value holds bodies
/// near rest more firmly and conditions the quadratic program worse. A safeguard against an infinite weight of a body
/// at rest, without effect on the sets of docs/sensitivity.md.
const MIN_LENGTH: f64 = 1e-3;

/// Moves free bodies towards their initial positions [Je12 §3.2]; returns the number of pair queries.
pub(super) fn descend(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    measure: DisplacementMeasure,
    translations: &mut Vec<Vector3<f64>>,
) -> u64 {
    let mut queries = 0;
    for _ in 0..options.max_moves {
        let before = cost(pairs, measure, translations);
        let weights = weights(pairs, measure, translations);
        let step = Step { pairs, options, weights };
        let found = step.next(translations, &mut queries);
        let Some(found) = found.filter(|found| cost(pairs, measure, found) < before) else { break };
        *translations = found;
        if !(cost(pairs, measure, translations) < (1.0 - MIN_GAIN) * before) {
            break;
        }
    }
    queries
}

/// The objective, summed over the bodies that may move.
pub(super) fn cost(pairs: &impl Pairs, measure: DisplacementMeasure, translations: &[Vector3<f64>]) -> f64 {
    let of = |moved: &Vector3<f64>| match measure {
        DisplacementMeasure::Squares => moved.norm_squared(),
        DisplacementMeasure::Lengths => moved.norm(),
    };
    let bodies = pairs.bodies().iter().zip(translations);
    bodies.filter_map(|(body, moved)| Some(body.weight? * of(moved))).sum()
}

/// Weights of squares that approximate the measure near `translations`, zero for fixed bodies.
///
/// Iteratively reweighted least squares: ½ Σ w (‖t‖²/‖t₀‖ + ‖t₀‖) is an upper bound of Σ w‖t‖ with equality at the present
/// t₀, so a decrease of the bound decreases the lengths.
fn weights(pairs: &impl Pairs, measure: DisplacementMeasure, translations: &[Vector3<f64>]) -> Vec<f64> {
    let max = translations.iter().map(Vector3::norm).fold(0.0, f64::max);
    let bodies = pairs.bodies().iter().zip(translations);
    let of = |moved: &Vector3<f64>| match measure {
        DisplacementMeasure::Squares => 1.0,
        DisplacementMeasure::Lengths => max / moved.norm().max(MIN_LENGTH * max),
    };
    bodies.map(|(body, moved)| body.weight.map_or(0.0, |weight| weight * of(moved))).collect()
}

/// One step of the descent: in-projections and out-projections until the path to a target is free.
struct Step<'a, P> {
    pairs: &'a P,
    options: &'a SeparationOptions,
    /// Weights of the squares that are minimised; zero for fixed bodies.
    weights: Vec<f64>,
}

impl<P: Pairs> Step<'_, P> {
    /// The next positions of all bodies, or `None` if none are nearer.
    fn next(&self, from: &[Vector3<f64>], queries: &mut u64) -> Option<Vec<Vector3<f64>>> {
        let inverse = |&weight: &f64| if weight > 0.0 { weight.recip() } else { 0.0 };
        let inverse_weights = self.weights.iter().map(inverse).collect::<Vec<_>>();
        let mut rows: Vec<Row> = Vec::new();
        let mut to = vec![Vector3::zeros(); from.len()];
        let mut fraction = 0.0;
        for _ in 0..MAX_TARGETS {
            min_motion(&mut rows, &inverse_weights, &mut to);
            if !(self.squares(&to) < (1.0 - MIN_GAIN) * self.squares(from)) {
                return None;
            }
            let met = contacts(self.pairs, self.options, from, &to, queries);
            if met.is_empty() {
                return Some(to);
            }
            fraction = met.iter().map(|contact| contact.fraction).fold(1.0, f64::min);
            rows.extend(met.into_iter().map(|contact| contact.row));
        }
        // Casts test contact only: along the path a clearance cannot be guaranteed.
        let may_move = fraction > 0.0 && self.options.clearance <= 0.0;
        may_move
            .then(|| from.iter().zip(&to).map(|(a, b)| a + (b - a) * (STEP_FRACTION * fraction)).collect())
    }

    fn squares(&self, translations: &[Vector3<f64>]) -> f64 {
        let bodies = self.weights.iter().zip(translations);
        bodies.map(|(weight, moved)| weight * moved.norm_squared()).sum()
    }
}

/// A pair that collides on the path.
struct BlockingContact {
    row: Row,
    /// Fraction of the path that is free.
    fraction: f64,
}

/// Out-projection [Je12 §4]: the first contacts of all pairs on the straight paths of all bodies, sorted by pair.
fn contacts(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    from: &[Vector3<f64>],
    to: &[Vector3<f64>],
    queries: &mut u64,
) -> Vec<BlockingContact> {
    let both = boxes(pairs, from).into_iter().zip(boxes(pairs, to));
    let swept = both.map(|([a, b], [c, d])| [a.inf(&c), b.sup(&d)]).collect::<Vec<_>>();
    let near = near_boxes(pairs, &swept, options.clearance);
    *queries += near.len() as u64;
    let met = parallel::map_slice(&near, 1, |&pair| {
        let [start, end] = [from, to].map(|moved| moved[pair[0]] - moved[pair[1]]);
        // Both move alike, or not at all: the pair stays as it is.
        if start == end {
            return None;
        }
        blocking_contact(pairs, options, pair, [&start, &end])
    });
    met.into_iter().flatten().collect()
}

fn blocking_contact(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    bodies: [usize; 2],
    [start, end]: [&Vector3<f64>; 2],
) -> Option<BlockingContact> {
    let row = |normal: Vector3<f64>, touching: f64| {
        let offset = touching + options.clearance + margin(pairs, bodies);
        Row { bodies, normal, offset, multiplier: 0.0 }
    };
    if let Some(contact) = pairs.first_contact(bodies, start, end) {
        let normal = contact.normal;
        let met = start + (end - start) * contact.fraction;
        return Some(BlockingContact { row: row(normal, normal.dot(&met)), fraction: contact.fraction });
    }
    // No contact on the path, but the clearance may be violated at its end.
    if options.clearance <= 0.0 || pairs.is_apart(bodies, end, options.clearance) {
        return None;
    }
    let search = PairSearch { effort: options.effort, free: None };
    let constraint = pairs.constraint(bodies, end, options.clearance, search).ok().flatten()?;
    Some(BlockingContact {
        row: row(constraint.normal, constraint.normal.dot(end) + constraint.depth),
        fraction: 0.0,
    })
}
