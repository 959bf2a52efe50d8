//! The nearest free position of one body while all others are at rest.
//!
//! It is the last resort for bodies that the rounds cannot separate. Unless an unbounded body blocks every direction, such a
//! position exists: far enough away everything is free. It also serves as a leap for bodies that ended far from their initial
//! positions, over others that block the continuous path of the descent.

use nalgebra::Vector3;

use super::broad_phase::overlap;
use super::rounds::margin;
use super::separation::{Overlap, SeparationOptions};
use super::source::Pairs;
use crate::parallel;

/// Step along a direction, in sizes of the body, and in lengths from the origin once that is larger; free intervals
/// shorter than a step may be missed. Half and twice change no depth and the queries by +29 % and −1.3 %
/// (docs/sensitivity.md).
const STRIDE: f64 = 0.05;
/// Bisections of the last step: they leave a gap of 1e-6 steps. Each costs one collision query a direction. Half and
/// twice change no depth and the queries by −1.6 % and +3.4 % (docs/sensitivity.md).
const BISECTIONS: u32 = 20;
/// Displacement above which a leap is tried, in sizes of the body: below it there is little to gain for 26 searches.
/// Half and twice change no depth and the queries by +31 % and −33 % (docs/sensitivity.md).
const FAR: f64 = 0.1;
/// Maximum ratio of the displacement after a leap to that before. Nearer to 1 bodies leap for gains that a descent
/// finds as well; smaller, leaps that would pay are refused. Half and twice change no depth and the queries by +8.3 %
/// and −11 % (docs/sensitivity.md).
const MAX_RATIO: f64 = 0.8;
/// Sizes of the body that a search extends beyond the extent of all bounded bodies along the direction: a margin, since
/// the body is mostly clear of them before. No effect on the sets of docs/sensitivity.md.
const BEYOND: f64 = 3.0;

/// Separates the pairs of `overlaps` by moving one body of each; returns the number of collision queries.
///
/// Bodies that overlap more others come first, of equally many the smaller ones.
pub(super) fn free_one_by_one(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    overlaps: &[Overlap],
    translations: &mut [Vector3<f64>],
) -> u64 {
    let mut left = overlaps.iter().map(|overlap| overlap.bodies).collect::<Vec<_>>();
    let mut queries = 0;
    while let Some(body) = most_entangled(pairs, &left) {
        left.retain(|pair| !pair.contains(&body));
        let origin = translations[body];
        let search = BodySearch { pairs, options, body, translations, origin };
        let (place, made) = search.nearest_place(f64::INFINITY);
        queries += made;
        if let Some(place) = place {
            translations[body] = place;
        }
    }
    queries
}

/// The movable body that overlaps most others.
fn most_entangled(pairs: &impl Pairs, left: &[[usize; 2]]) -> Option<usize> {
    let moving = left.iter().flatten().filter(|&&body| pairs.bodies()[body].weight.is_some());
    let count = |body: usize| left.iter().filter(|pair| pair.contains(&body)).count();
    let size = |body: usize| pairs.bodies()[body].size;
    // Ties by the smaller size, then the lower index: the result must not depend on the order of the pairs.
    moving.copied().max_by(|&i, &j| count(i).cmp(&count(j)).then(size(j).total_cmp(&size(i))).then(j.cmp(&i)))
}

/// Moves bodies that ended far from their initial positions to nearer free ones, farthest first; returns whether any moved, and
/// the number of collision queries.
pub(super) fn leap(
    pairs: &impl Pairs,
    options: &SeparationOptions,
    translations: &mut [Vector3<f64>],
) -> (bool, u64) {
    let mut order = (0..translations.len()).collect::<Vec<_>>();
    order.retain(|&body| translations[body].norm() > FAR * pairs.bodies()[body].size);
    order.sort_by(|&i, &j| translations[j].norm().total_cmp(&translations[i].norm()).then(i.cmp(&j)));
    let (mut leapt, mut queries) = (false, 0);
    for body in order {
        let within = MAX_RATIO * translations[body].norm();
        let search = BodySearch { pairs, options, body, translations, origin: Vector3::zeros() };
        let (place, made) = search.nearest_place(within);
        queries += made;
        if let Some(place) = place.filter(|place| place.norm() < within) {
            translations[body] = place;
            leapt = true;
        }
    }
    (leapt, queries)
}

/// The directions from the middle of a cube to its corners, edges and faces.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    let signs = [-1.0, 0.0, 1.0];
    let lattice = signs.into_iter().flat_map(move |x| {
        signs.into_iter().flat_map(move |y| signs.into_iter().map(move |z| Vector3::new(x, y, z)))
    });
    lattice.filter_map(|direction| direction.try_normalize(0.5))
}

/// The search for a free position of one body along a direction, all others at rest.
struct BodySearch<'a, P> {
    pairs: &'a P,
    options: &'a SeparationOptions,
    body: usize,
    translations: &'a [Vector3<f64>],
    origin: Vector3<f64>,
}

impl<P: Pairs> BodySearch<'_, P> {
    /// The free position within a length [m] of the origin, along 26 directions of the body's own frame, that is nearest to
    /// the body's initial position; and the number of queries.
    fn nearest_place(&self, within: f64) -> (Option<Vector3<f64>>, u64) {
        let directions = directions().collect::<Vec<_>>();
        let rotation = self.pairs.bodies()[self.body].rotation;
        // In order, so that the first of equally near positions wins on any number of threads.
        let found =
            parallel::map_slice(&directions, 1, |direction| self.first_free(&(rotation * direction), within));
        let queries = found.iter().map(|(_, queries)| queries).sum();
        let places = found.into_iter().filter_map(|(place, _)| place);
        (places.min_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared())), queries)
    }

    /// The first free position, by steps and bisection of the last one; and the number of queries.
    fn first_free(&self, direction: &Vector3<f64>, within: f64) -> (Option<Vector3<f64>>, u64) {
        let stride = STRIDE * self.pairs.bodies()[self.body].size;
        let mut queries = 0;
        let mut free = |length: f64| {
            let (free, made) = self.is_free(&(self.origin + direction * length));
            queries += made;
            free
        };
        let mut length = 0.0;
        let end = self.end(direction).min(within);
        while !free(length) {
            if length > end {
                return (None, queries);
            }
            // The steps grow with the length: the relative resolution matters.
            length += stride.max(STRIDE * length);
        }
        // The start of the last step is blocked and its end is free: bisection finds where the interval begins.
        let (mut blocked, mut open) = ((length - stride.max(STRIDE * length)).max(0.0), length);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (blocked + open);
            if free(middle) { open = middle } else { blocked = middle }
        }
        (Some(self.origin + direction * open), queries)
    }

    /// Length beyond which no bounded body is an obstacle [m].
    fn end(&self, direction: &Vector3<f64>) -> f64 {
        let bodies = self.pairs.bodies().iter().zip(self.translations);
        let finite = bodies.filter(|(body, _)| body.size.is_finite());
        let along =
            finite.flat_map(|(body, moved)| body.bounds.map(|corner| (corner + moved).dot(direction)));
        let (min, max) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        max - min + BEYOND * self.pairs.bodies()[self.body].size
    }

    /// Returns whether the body is free of all others at a translation, and the number of queries.
    fn is_free(&self, place: &Vector3<f64>) -> (bool, u64) {
        let (bodies, own) = (self.pairs.bodies(), self.pairs.bodies()[self.body]);
        let own_box = own.bounds.map(|corner| corner + place);
        let mut queries = 0;
        let free = (0..bodies.len()).all(|other| {
            let pair = [other.min(self.body), other.max(self.body)];
            let other_box = bodies[other].bounds.map(|corner| corner + self.translations[other]);
            let near = other != self.body
                && self.pairs.must_separate(pair)
                && overlap(&own_box, &other_box, self.options.clearance);
            if !near {
                return true;
            }
            queries += 1;
            // The shift of a pair is that of its first body relative to the second one.
            let toward = if pair[0] == self.body { 1.0 } else { -1.0 };
            let shift = (place - self.translations[other]) * toward;
            self.pairs.is_apart(pair, &shift, self.options.clearance + margin(self.pairs, pair))
        });
        (free, queries)
    }
}
