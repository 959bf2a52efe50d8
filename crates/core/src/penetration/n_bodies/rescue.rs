//! One body at a time, all others at rest: the nearest place that is free of them all.
//!
//! It is the last resort for bodies that no rounds take apart. There always is such a place unless a body without end is
//! everywhere: far enough away nothing is in the way. And it is a leap for bodies that ended far from where they started,
//! over others that the way back does not pass.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::broad_phase::overlap;
use super::rounds::margin;
use super::separation::{Overlap, SeparationOptions};
use super::source::Pairs;

/// Steps of a way out, in sizes of the body.
const STRIDE: f64 = 0.05;
/// Halvings of the last step of a way out.
const HALVINGS: u32 = 20;
/// Displacement in sizes of the body from which on a leap is tried.
const FAR: f64 = 0.1;
/// Share of its displacement within which a leap must end.
const NEARER: f64 = 0.8;
/// Sizes of the body that a way out may go beyond the farthest end of all others.
const BEYOND: f64 = 3.0;

/// Takes the pairs of `overlaps` apart by moving one body of each; answers the collision queries made.
///
/// Bodies that overlap with more others go first, of equally many the smaller ones.
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
        let way = Way { pairs, options, body, translations, origin };
        let (place, asked) = way.nearest_place(f64::INFINITY);
        queries += asked;
        if let Some(place) = place {
            translations[body] = place;
        }
    }
    queries
}

/// The body that may move and overlaps most others.
fn most_entangled(pairs: &impl Pairs, left: &[[usize; 2]]) -> Option<usize> {
    let moving = left.iter().flatten().filter(|&&body| pairs.bodies()[body].weight.is_some());
    let count = |body: usize| left.iter().filter(|pair| pair.contains(&body)).count();
    let size = |body: usize| pairs.bodies()[body].size;
    moving.copied().max_by(|&i, &j| count(i).cmp(&count(j)).then(size(j).total_cmp(&size(i))).then(j.cmp(&i)))
}

/// Leaps of bodies that ended far from where they started to free places that are nearer, farthest first; answers whether
/// there were any, and the collision queries made.
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
        let within = NEARER * translations[body].norm();
        let way = Way { pairs, options, body, translations, origin: Vector3::zeros() };
        let (place, asked) = way.nearest_place(within);
        queries += asked;
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

/// The way of one body along a direction, all others at rest.
struct Way<'a, P> {
    pairs: &'a P,
    options: &'a SeparationOptions,
    body: usize,
    translations: &'a [Vector3<f64>],
    origin: Vector3<f64>,
}

impl<P: Pairs> Way<'_, P> {
    /// The free place within a length [m] of the origin, along directions of the body's own frame, that is nearest to
    /// where the body started; and the queries made.
    fn nearest_place(&self, within: f64) -> (Option<Vector3<f64>>, u64) {
        let directions = directions().collect::<Vec<_>>();
        let rotation = self.pairs.bodies()[self.body].rotation;
        let found = directions.par_iter().map(|direction| self.first_free(&(rotation * direction), within));
        let found = found.collect::<Vec<_>>();
        let queries = found.iter().map(|(_, queries)| queries).sum();
        let places = found.into_iter().filter_map(|(place, _)| place);
        (places.min_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared())), queries)
    }

    /// The first place that is free, stepping, then halving the last step; and the queries made.
    fn first_free(&self, direction: &Vector3<f64>, within: f64) -> (Option<Vector3<f64>>, u64) {
        let stride = STRIDE * self.pairs.bodies()[self.body].size;
        let mut queries = 0;
        let mut free = |length: f64| {
            let (free, asked) = self.is_free(&(self.origin + direction * length));
            queries += asked;
            free
        };
        let mut length = 0.0;
        let end = self.end(direction).min(within);
        while !free(length) {
            if length > end {
                return (None, queries);
            }
            // The steps grow: far away the places need not be as close.
            length += stride.max(STRIDE * length);
        }
        let (mut blocked, mut open) = ((length - stride.max(STRIDE * length)).max(0.0), length);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (blocked + open);
            if free(middle) { open = middle } else { blocked = middle }
        }
        (Some(self.origin + direction * open), queries)
    }

    /// Length beyond which nothing that has an end is in the way [m].
    fn end(&self, direction: &Vector3<f64>) -> f64 {
        let bodies = self.pairs.bodies().iter().zip(self.translations);
        let finite = bodies.filter(|(body, _)| body.size.is_finite());
        let along =
            finite.flat_map(|(body, moved)| body.bounds.map(|corner| (corner + moved).dot(direction)));
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        most - least + BEYOND * self.pairs.bodies()[self.body].size
    }

    fn is_free(&self, place: &Vector3<f64>) -> (bool, u64) {
        let (bodies, own) = (self.pairs.bodies(), self.pairs.bodies()[self.body]);
        let own_box = own.bounds.map(|corner| corner + place);
        let mut queries = 0;
        let free = (0..bodies.len()).all(|other| {
            let pair = [other.min(self.body), other.max(self.body)];
            let other_box = bodies[other].bounds.map(|corner| corner + self.translations[other]);
            let near = other != self.body
                && self.pairs.count(pair)
                && overlap(&own_box, &other_box, self.options.clearance);
            if !near {
                return true;
            }
            queries += 1;
            let toward = if pair[0] == self.body { 1.0 } else { -1.0 };
            let shift = (place - self.translations[other]) * toward;
            self.pairs.is_apart(pair, &shift, self.options.clearance + margin(self.pairs, pair))
        });
        (free, queries)
    }
}
