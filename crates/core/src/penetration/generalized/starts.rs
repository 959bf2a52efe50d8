//! Start configurations of descents.

use nalgebra::Vector3;

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::part::Part;
use crate::geometry::random::fraction;

/// One random point in every `SPARSE` changes only [`FEW`] variables on average, which frees a single limb without
/// disturbing the others; the remaining points change all variables. Half loses 5 of 26 answers and costs 22 % more
/// steps, twice changes no depth (docs/sensitivity.md).
const SPARSE: u64 = 3;
/// Mean number of variables that a sparse random point changes. Half and twice change every depth by less than 0.05 %
/// and the steps by +11 % and +0.8 % (docs/sensitivity.md).
const FEW: f64 = 3.0;

/// A random point of the chart in a ball of radius √σ [m] around a point, from a seed and an index.
pub(crate) fn random(chart: &LocalChart, around: &[f64], radius: f64, [seed, index]: [u64; 2]) -> Vec<f64> {
    let n = chart.dimension();
    let is_sparse = index % SPARSE == SPARSE - 1;
    let is_changed = |k: usize| !is_sparse || fraction([!seed, index, k as u64]) < FEW / n as f64;
    random_of(chart, around, radius, [seed, index], is_changed)
}

/// A random point in a ball of radius √σ \[m\] around a point, of which only some variables differ.
pub(super) fn random_of(
    chart: &LocalChart,
    around: &[f64],
    radius: f64,
    [seed, index]: [u64; 2],
    is_changed: impl Fn(usize) -> bool,
) -> Vec<f64> {
    let n = chart.dimension();
    // Box–Muller transform.
    let gauss = |k: usize| {
        let u = fraction([seed, index, 2 * k as u64]).max(f64::MIN_POSITIVE);
        let v = fraction([seed, index, 2 * k as u64 + 1]);
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let direction: Vec<f64> = (0..n).map(|k| if is_changed(k) { gauss(k) } else { 0.0 }).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Between uniform in radius and uniform in volume, which would leave the neighbourhood of the centre
    // without samples in many dimensions. Where no variable differs the point is the centre.
    let reach = if length > 0.0 { radius * fraction([seed, index, u64::MAX]).sqrt() / length } else { 0.0 };
    let point = direction.iter().zip(around).zip(chart.bounds());
    point.map(|((x, y), bound)| (y + reach * x).clamp(bound[0], bound[1])).collect()
}

/// A point in general position: every variable that has room differs much from its value at the origin, which may be at a limit.
pub(crate) fn elsewhere(chart: &LocalChart, radius: f64, seed: u64) -> Vec<f64> {
    let of_bound = |(k, &[lower, upper]): (usize, &[f64; 2])| {
        let (low, high) = (lower.max(-radius), upper.min(radius));
        // Where the bounds exclude the ball, all that is left is the nearest bound and what lies beyond it.
        let [low, high] = if low < high {
            [low, high]
        } else {
            [lower.max(-2.0 * upper.abs()), upper.min(2.0 * lower.abs())]
        };
        let here = 0.0_f64.clamp(lower, upper);
        let part = 0.25 + 0.75 * fraction([seed, k as u64, 0]);
        // The side with more room.
        here + part * if high - here >= here - low { high - here } else { low - here }
    };
    chart.bounds().iter().enumerate().map(of_bound).collect()
}

/// The far values of the variables that are `wanted`, each with its variable: their bounds, at most `reach` √σ \[m\] away; without
/// those at which there is next to no room.
pub(super) fn ends(chart: &LocalChart, reach: f64, wanted: impl Fn(usize) -> bool) -> Vec<(usize, f64)> {
    /// Fraction of the reach that counts as room.
    const ROOM: f64 = 1e-3;
    let of_bound = |(k, bound): (usize, &[f64; 2])| bound.map(|value| (k, value.clamp(-reach, reach)));
    let all = chart.bounds().iter().enumerate().filter(|(k, _)| wanted(*k)).flat_map(of_bound);
    all.filter(|(_, value)| value.abs() > ROOM * reach).collect()
}

/// The point at which every movable model is translated away from the centre of the obstacles until its bounding sphere leaves
/// theirs, as far as the variables that move all of it allow [Je12 §5.1; Tang14 eq. 20]; `None` where no obstacle is bounded.
pub(crate) fn centroid_difference(collision_world: &CollisionWorld, chart: &LocalChart) -> Option<Vec<f64>> {
    let mut y = vec![0.0; chart.dimension()];
    let obstacles = collision_world.obstacles.iter().map(|obstacle| {
        let (center, radius) = obstacle.shape.ball();
        (obstacle.pose * center, radius)
    });
    let balls: Vec<_> = obstacles.filter(|(_, radius)| radius.is_finite()).collect();
    if balls.is_empty() {
        return None;
    }
    let middle =
        balls.iter().fold(Vector3::zeros(), |sum, (center, _)| sum + center.coords) / balls.len() as f64;
    let reach =
        balls.iter().map(|(center, radius)| (center.coords - middle).norm() + radius).fold(0.0, f64::max);
    let poses = collision_world.body_poses(chart.start()).ok()?;
    for movable in 0..collision_world.movables.len() {
        let of_movable = |part: Part| matches!(part, Part::Link { movable: other, .. } if other == movable);
        let links: Vec<_> =
            collision_world.bodies.iter().zip(&poses).filter(|(body, _)| of_movable(body.part)).collect();
        let centers = links.iter().map(|(body, pose)| (**pose * body.ball.0).coords);
        let center = centers.clone().sum::<Vector3<f64>>() / links.len().max(1) as f64;
        let radius =
            centers.zip(&links).map(|(c, (body, _))| (c - center).norm() + body.ball.1).fold(0.0, f64::max);
        // Concentric models have no direction: up is as good as any.
        let away = (center - middle).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let shift = away * (radius + reach - (center - middle).norm()).max(0.0);
        chart.shift(collision_world, movable, &shift, &mut y);
    }
    Some(y)
}

/// Radius √σ of the noise of a [`perturbed`] point, as a fraction of that of the point.
const NOISE: f64 = 0.3;
/// Fraction of the variables of a [`perturbed`] point that return to the input.
const RESET: f64 = 0.2;

/// A perturbation of a point: noise on all variables, and some of them back at the input.
pub(crate) fn perturbed(chart: &LocalChart, point: &[f64], [seed, index]: [u64; 2]) -> Vec<f64> {
    let radius = NOISE * point.iter().map(|y| y * y).sum::<f64>().sqrt();
    let is_reset = |k: usize| fraction([seed, !index, k as u64]) < RESET;
    let kept: Vec<f64> = point.iter().enumerate().map(|(k, y)| if is_reset(k) { 0.0 } else { *y }).collect();
    random(chart, &kept, radius, [!seed, index])
}
