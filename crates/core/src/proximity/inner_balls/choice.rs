//! Choice of the balls inside a solid that bound the depths in it most tightly.
//!
//! A ball of centre c and radius r bounds the depth d of a point x from below by r − |x − c|, so the loss there is d −
//! r + |x − c|. The balls are chosen one after another at the maximum loss (the greedy 2-approximation of the k-centre
//! problem, Gonzalez 1985), each one grown first: a step along which the depth increases by its length loses nothing.

use nalgebra::{Point3, Vector3};

use super::steepest_ascent::{Iterate, SteepestAscent};
use crate::bvh::tree::TriangleBvh;
use crate::proximity::depth_grid::DepthGrid;
use crate::proximity::inner_ball::Ball;
use crate::proximity::nearest::closest_beyond;

/// Maximum number of balls: more bound depths more tightly, and cost construction time and time in each lower bound.
const BALLS: usize = 128;
/// Points of the surface below which balls are sought: they find walls that are thinner than a cell of the grid, which
/// fewer of them may miss.
const SEEDS: usize = 128;
/// Maximum loss, relative to the maximum depth, at which the choice ends: the resolution of the depths.
const LOSS: f64 = 0.01;

/// An interior point with its depth [m].
#[derive(Debug, Clone, Copy)]
struct Sample {
    point: Vector3<f64>,
    depth: f64,
}

/// Chooses the balls; the first one is the largest found.
pub(super) fn choose(
    tree: &TriangleBvh,
    grid: &DepthGrid,
    is_inside: &impl Fn(&Vector3<f64>) -> bool,
) -> Vec<Ball> {
    let mut samples = grid.inner_nodes().map(|(point, depth)| Sample { point, depth }).collect::<Vec<_>>();
    let max = samples.iter().map(|sample| sample.depth).fold(grid.spacing(), f64::max);
    samples.extend(seeds(tree, 1.5 * max, is_inside));
    let mut losses = samples.iter().map(|sample| sample.depth).collect::<Vec<_>>();
    let mut balls: Vec<Ball> = Vec::with_capacity(BALLS);
    while balls.len() < BALLS {
        let Some((worst, loss)) = max_of(&losses) else { break };
        if !(loss > balls.first().map_or(0.0, |first| LOSS * first.radius)) {
            break;
        }
        let Sample { point, depth } = grow(tree, samples[worst], balls.is_empty());
        // Even if the ball grew away from the sample: otherwise it would be chosen again.
        losses[worst] = 0.0;
        for (loss, sample) in losses.iter_mut().zip(&samples) {
            *loss = loss.min(sample.depth - depth + (sample.point - point).norm());
        }
        balls.push(Ball { center: point, radius: depth });
    }
    balls.shrink_to_fit();
    balls
}

/// Index and value of the first maximum; numbers that are larger only by rounding do not count.
fn max_of(numbers: &[f64]) -> Option<(usize, f64)> {
    const ROUNDING: f64 = 1.0 + 1e-9;
    let mut best = None;
    for (index, &number) in numbers.iter().enumerate() {
        if best.is_none_or(|(_, max)| number > ROUNDING * max) {
            best = Some((index, number));
        }
    }
    best
}

/// A deeper point near `sample`: the deepest one if `is_deepest`, otherwise one on an ascent along which the depth
/// grows nearly as fast as the path length.
fn grow(tree: &TriangleBvh, sample: Sample, is_deepest: bool) -> Sample {
    /// Minimum slope, maximum number of steps, and relative excess of the depths on the ascent: exact for the first
    /// ball, which contributes most to lower bounds, and cheaper for the others, which may move only where that loses
    /// little.
    const DEEPEST: (f64, u32, f64) = (0.02, 64, 0.0);
    const OTHERS: (f64, u32, f64) = (0.8, 10, 0.01);
    /// Maximum step, relative to the depth: less than 1, so that steps end inside.
    const LONGEST: f64 = 0.9;
    let evaluate = |sample: &Sample, excess: f64| {
        let (closest, depth) = closest_to(tree, sample, excess)?;
        let gradient = (sample.point - closest) / depth;
        Some(Iterate { point: sample.point, height: depth, gradient, detail: () })
    };
    // The depth of a node has a relative excess, so it is evaluated again.
    let Some(start) = evaluate(&sample, 0.0) else { return Sample { depth: 0.0, ..sample } };
    let (min_slope, max_steps, excess) = if is_deepest { DEEPEST } else { OTHERS };
    let ascent = SteepestAscent {
        initial_step: 0.5 * start.height,
        max_step: LONGEST,
        max_steps,
        min_slope,
        target: f64::INFINITY,
    };
    // A distance is 1-Lipschitz.
    let max_at = |point: &Vector3<f64>| start.height + (point - start.point).norm();
    let top = ascent.run(start, |point| evaluate(&Sample { point, depth: max_at(&point) }, excess));
    let exact = evaluate(&Sample { point: top.point, depth: max_at(&top.point) }, 0.0).unwrap_or(start);
    Sample { point: exact.point, depth: exact.height }
}

/// Closest point of the boundary to a sample, and its distance, up to the relative `excess`; the sample's depth must be
/// an upper bound.
fn closest_to(tree: &TriangleBvh, sample: &Sample, excess: f64) -> Option<(Vector3<f64>, f64)> {
    const ROOM: f64 = 1.001;
    let found = closest_beyond(tree, &Point3::from(sample.point), 0.0, ROOM * sample.depth, excess);
    found.map(|(closest, depth)| (closest.coords, depth))
}

/// Centres of balls that touch the surface from inside, below triangles spread over the tree.
fn seeds<'a>(
    tree: &'a TriangleBvh,
    largest: f64,
    is_inside: &'a impl Fn(&Vector3<f64>) -> bool,
) -> impl Iterator<Item = Sample> + 'a {
    let count = tree.packets().len();
    let stride = count.div_ceil(SEEDS);
    let first_triangles = tree.packets().iter().step_by(stride).map(|packet| packet.triangle(0));
    first_triangles.filter_map(move |corners| {
        let [a, b, c] = corners.map(Vector3::from);
        let inwards = (c - a).cross(&(b - a)).try_normalize(0.0)?;
        let middle = (a + b + c) / 3.0;
        let below = |inwards: &Vector3<f64>| {
            tangent_ball(tree, &middle, inwards, largest).filter(|sample| is_inside(&sample.point))
        };
        // An inverted triangle has the solid on its other side.
        below(&inwards).or_else(|| below(&-inwards))
    })
}

/// The largest ball that touches the surface at `at` from the side of `inwards`, by shrinking it to each point of the
/// surface inside it [Ma, Bae and Choi 2012, shrinking ball].
fn tangent_ball(
    tree: &TriangleBvh,
    at: &Vector3<f64>,
    inwards: &Vector3<f64>,
    largest: f64,
) -> Option<Sample> {
    /// Maximum number of balls tried.
    const MAX_TRIES: u32 = 12;
    /// Fraction of the radius that must be empty: the iteration converges slowly to 1.
    const EMPTY: f64 = 0.99;
    let mut radius = largest;
    for _ in 0..MAX_TRIES {
        let mut sample = Sample { point: at + inwards * radius, depth: radius };
        let (closest, depth) = closest_to(tree, &sample, 0.0)?;
        sample.depth = depth;
        if sample.depth >= EMPTY * radius {
            return Some(sample);
        }
        // The ball tangent at `at` through the closest point.
        let chord = closest - at;
        radius = chord.norm_squared() / (2.0 * inwards.dot(&chord));
        if !(radius > 0.0) {
            return None;
        }
    }
    None
}
