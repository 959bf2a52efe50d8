//! Where descents start.

use nalgebra::Vector3;

use super::arrangement::Arrangement;
use super::chart::Chart;
use super::part::Part;
use crate::geometry::random::share;

/// Of every so many random points one moves few variables, in the mean this many.
const SPARSE: u64 = 3;
const FEW: f64 = 3.0;

/// A random point of the chart in a ball of a radius √σ [m] around a point, from a seed and an index.
pub(crate) fn random(chart: &Chart, around: &[f64], radius: f64, [seed, index]: [u64; 2]) -> Vec<f64> {
    let n = chart.dimension();
    // Box–Muller.
    let gauss = |k: usize| {
        let u = share([seed, index, 2 * k as u64]).max(f64::MIN_POSITIVE);
        let v = share([seed, index, 2 * k as u64 + 1]);
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let is_sparse = index % SPARSE == SPARSE - 1;
    let keep = |k: usize| !is_sparse || share([!seed, index, k as u64]) < FEW / n as f64;
    let direction: Vec<f64> = (0..n).map(|k| if keep(k) { gauss(k) } else { 0.0 }).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let reach = radius * share([seed, index, u64::MAX]).sqrt() / length;
    let point = direction.iter().zip(around).zip(chart.bounds());
    point.map(|((x, y), bound)| (y + reach * x).clamp(bound[0], bound[1])).collect()
}

/// The point where every mover has been shifted away from the obstacles' middle until its ball leaves theirs, as far as
/// what moves all of it can [Je12 §5.1; Tang14 eq. 20]; `None` where no obstacle is bounded.
pub(crate) fn centroid_difference(arrangement: &Arrangement, chart: &Chart) -> Option<Vec<f64>> {
    let mut y = vec![0.0; chart.dimension()];
    let obstacles = arrangement.obstacles.iter().map(|obstacle| {
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
    let poses = arrangement.body_poses(chart.start()).ok()?;
    for mover in 0..arrangement.movers.len() {
        let of_mover = |part: Part| matches!(part, Part::Link { mover: other, .. } if other == mover);
        let links: Vec<_> =
            arrangement.bodies.iter().zip(&poses).filter(|(body, _)| of_mover(body.part)).collect();
        let centers = links.iter().map(|(body, pose)| (**pose * body.ball.0).coords);
        let center = centers.clone().sum::<Vector3<f64>>() / links.len().max(1) as f64;
        let radius =
            centers.zip(&links).map(|(c, (body, _))| (c - center).norm() + body.ball.1).fold(0.0, f64::max);
        let away = (center - middle).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let shift = away * (radius + reach - (center - middle).norm()).max(0.0);
        chart.shift(arrangement, mover, &shift, &mut y);
    }
    Some(y)
}
