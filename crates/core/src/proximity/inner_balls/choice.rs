//! Which balls inside a solid say most about how deep things are in it.
//!
//! A ball of centre c and radius r serves a point x of depth d as if x were r − |x − c| deep, so what is lost there
//! is d − r + |x − c|. The balls are chosen one after another where most is lost (the greedy 2-approximation of the
//! k-centre problem, Gonzalez 1985), each one grown first: a step along which the depth grows as fast as the step is
//! long loses nothing.

use nalgebra::{Point3, Vector3};

use super::climb::{Climb, Place};
use crate::bvh::tree::TriangleBvh;
use crate::proximity::depth_grid::DepthGrid;
use crate::proximity::inner_ball::Ball;
use crate::proximity::nearest::closest_beyond;

/// Balls that are chosen at the most.
const BALLS: usize = 128;
/// Points of the surface under which balls are looked for: they find the walls that are thinner than the grid.
const SEEDS: usize = 128;
/// What may be lost everywhere, relative to the greatest depth, when no further ball is chosen.
const LOSS: f64 = 0.01;

/// A point inside with its depth.
#[derive(Debug, Clone, Copy)]
struct Sample {
    point: Vector3<f64>,
    depth: f64,
}

/// The chosen balls.
pub(super) fn choose(
    tree: &TriangleBvh,
    grid: &DepthGrid,
    is_inside: &impl Fn(&Vector3<f64>) -> bool,
) -> Vec<Ball> {
    let mut samples = grid.inner_nodes().map(|(point, depth)| Sample { point, depth }).collect::<Vec<_>>();
    let greatest = samples.iter().map(|sample| sample.depth).fold(grid.spacing(), f64::max);
    samples.extend(seeds(tree, 1.5 * greatest, is_inside));
    let mut losses = samples.iter().map(|sample| sample.depth).collect::<Vec<_>>();
    let mut balls: Vec<Ball> = Vec::with_capacity(BALLS);
    while balls.len() < BALLS {
        let Some((worst, loss)) = greatest_of(&losses) else { break };
        if !(loss > balls.first().map_or(0.0, |first| LOSS * first.radius)) {
            break;
        }
        let Sample { point, depth } = grown(tree, samples[worst], balls.is_empty());
        losses[worst] = 0.0;
        for (loss, sample) in losses.iter_mut().zip(&samples) {
            *loss = loss.min(sample.depth - depth + (sample.point - point).norm());
        }
        balls.push(Ball { center: point, radius: depth });
    }
    balls.shrink_to_fit();
    balls
}

/// The first of the greatest numbers, and which it is; what is greater by rounding only does not count.
fn greatest_of(numbers: &[f64]) -> Option<(usize, f64)> {
    const ROUNDING: f64 = 1.0 + 1e-9;
    let mut best = None;
    for (index, &number) in numbers.iter().enumerate() {
        if best.is_none_or(|(_, greatest)| number > ROUNDING * greatest) {
            best = Some((index, number));
        }
    }
    best
}

/// A deeper point near `sample`: the deepest one where `is_deepest`, otherwise one that is reached as long as the depth
/// grows nearly as fast as the way is long.
fn grown(tree: &TriangleBvh, sample: Sample, is_deepest: bool) -> Sample {
    /// Slope that is level, steps, and how much too great the depths on the way may be, relative: for the deepest
    /// point of all, which is worth most, and for the others.
    const DEEPEST: (f64, u32, f64) = (0.02, 64, 0.0);
    const OTHERS: (f64, u32, f64) = (0.8, 10, 0.01);
    /// Steps shorter than the depth end inside.
    const LONGEST: f64 = 0.9;
    let look = |sample: &Sample, excess: f64| {
        let (closest, depth) = closest_to(tree, sample, excess)?;
        let gradient = (sample.point - closest) / depth;
        Some(Place { point: sample.point, height: depth, gradient, detail: () })
    };
    // The depth of a node is not exact.
    let Some(start) = look(&sample, 0.0) else { return Sample { depth: 0.0, ..sample } };
    let (level, steps, excess) = if is_deepest { DEEPEST } else { OTHERS };
    let climb = Climb { step: 0.5 * start.height, longest: LONGEST, steps, level, enough: f64::INFINITY };
    let most_at = |point: &Vector3<f64>| start.height + (point - start.point).norm();
    let top = climb.run(start, |point| look(&Sample { point, depth: most_at(&point) }, excess));
    let exact = look(&Sample { point: top.point, depth: most_at(&top.point) }, 0.0).unwrap_or(start);
    Sample { point: exact.point, depth: exact.height }
}

/// The boundary's point closest to a sample whose depth is no more than it says, and the depth; both up to `excess`.
fn closest_to(tree: &TriangleBvh, sample: &Sample, excess: f64) -> Option<(Vector3<f64>, f64)> {
    const ROOM: f64 = 1.001;
    let found = closest_beyond(tree, &Point3::from(sample.point), 0.0, ROOM * sample.depth, excess);
    found.map(|(closest, depth)| (closest.coords, depth))
}

/// Middles of balls that touch the surface from inside, below triangles spread over the tree.
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
        below(&inwards).or_else(|| below(&-inwards))
    })
}

/// The largest ball that touches the surface at `at` from the side of `inwards` [Ma, Bae and Choi 2012, shrinking
/// balls]: each point of the surface in it makes it smaller.
fn tangent_ball(
    tree: &TriangleBvh,
    at: &Vector3<f64>,
    inwards: &Vector3<f64>,
    largest: f64,
) -> Option<Sample> {
    /// Balls that may be tried.
    const TRIES: u32 = 12;
    /// Share of the radius that must be empty.
    const EMPTY: f64 = 0.99;
    let mut radius = largest;
    for _ in 0..TRIES {
        let mut sample = Sample { point: at + inwards * radius, depth: radius };
        let (closest, depth) = closest_to(tree, &sample, 0.0)?;
        sample.depth = depth;
        if sample.depth >= EMPTY * radius {
            return Some(sample);
        }
        let chord = closest - at;
        radius = chord.norm_squared() / (2.0 * inwards.dot(&chord));
        if !(radius > 0.0) {
            return None;
        }
    }
    None
}
