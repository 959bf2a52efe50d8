//! The nearest gap: a free configuration nearer than the depth found from outside.
//!
//! A walk from outside ends in the hollow that it meets; a hole of a body, a gap between two parts, or the other side of a thin
//! wall may be nearer. Marches from inside along directions that are spread over the sphere end at the first free configuration that is
//! nearer than the nearest one before it. Of fleshy bodies that overlap little, inner balls prove that there is none along most
//! directions, which then cost a few nanoseconds: the more of the ball of shorter translations may be free, the more there is
//! to gain, and the more marches are made.
//!
//! Over the twenty families for tuning of `experiments/soup_suite`, one walk from outside ends at 2.06 of the best known depth
//! on average (41.8 at worst).

use nalgebra::Vector3;

use super::spread::fibonacci;
use crate::penetration::translational::translational_obstacle::TranslationalObstacle;
use crate::penetration::translational::walk::ContactSpace;

/// Directions of the marches: 50° apart, since the walk from a gap slides into its hollow. With twelve strides, mean depth over
/// the best known with 8, 12, 16 and 20 directions: 1.20, 1.13, 1.06, 1.08.
const DIRECTIONS: u32 = 16;
/// Steps of the first marches over their maximum length: they cost little where there is no gap. Alone they reach 1.14.
const COARSE: f64 = 3.0;
/// Steps of the second ones, where the first ones have met a gap: there are likely to be others, narrower and nearer. For all
/// marches, 4, 6, 8, 12 and 24 reach 1.12, 1.12, 1.10, 1.06 and 1.06.
const FINE: f64 = 12.0;
/// Length of the marches, over that of the best configuration so far: a gap that is hardly nearer does not pay for a walk. With
/// 0.8 the mean is 1.11.
const REACH: f64 = 0.95;
/// Inner balls of each body that are paired: with 8 and with 32 the results are the same.
const BALLS: usize = 16;
/// Depth over the sum of the radii below which no gap is looked for: a contact that shallow is not worth the marches. A safeguard
/// for the time of simulations, whose contacts are shallow.
const SHALLOW: f64 = 0.01;
/// Difference of lengths, over the depth, below which gaps count as equally near: above the rounding of the balls, which are in
/// single precision. A safeguard: the unit of length must not decide.
const SAME_LENGTH: f64 = 1e-4;

/// The nearest of the first free configurations on the spread directions, if it is nearer than `within` [m].
pub(in super::super) fn nearest_gap(space: &mut ContactSpace, within: f64) -> Option<Vector3<f64>> {
    if within < SHALLOW * (space.a.radius() + space.b.radius()) {
        return None;
    }
    let mut obstacle = std::mem::take(space.balls());
    obstacle.set_first(BALLS, (space.a, space.b, &space.a_to_b), within);
    let directions = by_length(&mut obstacle, within);
    let gap = march(space, (&mut obstacle, &directions), within, COARSE);
    let gap = gap.map(|gap| march(space, (&mut obstacle, &directions), gap.norm(), FINE).unwrap_or(gap));
    *space.balls() = obstacle;
    gap
}

/// The spread directions by the length at which balls no longer block them. Equally near ones stay in their order.
fn by_length(obstacle: &mut TranslationalObstacle, within: f64) -> [Vector3<f64>; DIRECTIONS as usize] {
    let mut directions = [(0.0, 0, Vector3::zeros()); DIRECTIONS as usize];
    for (i, entry) in (0..DIRECTIONS).zip(&mut directions) {
        let direction = fibonacci(i, DIRECTIONS);
        obstacle.intersect_ray(&direction);
        *entry = ((obstacle.first_unblocked(0.0) / (SAME_LENGTH * within)).round(), i, direction);
    }
    directions.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    directions.map(|(_, _, direction)| direction)
}

/// The nearest of the first free configurations on the directions, if it is nearer than `within` [m].
fn march(
    space: &mut ContactSpace,
    (obstacle, directions): (&mut TranslationalObstacle, &[Vector3<f64>]),
    within: f64,
    strides: f64,
) -> Option<Vector3<f64>> {
    let mut nearest: Option<Vector3<f64>> = None;
    for direction in directions {
        let reach = REACH * nearest.map_or(within, |gap| gap.norm());
        obstacle.intersect_ray(direction);
        if obstacle.first_unblocked(0.0) < reach && !space.is_late() {
            let skip = |length| obstacle.first_unblocked(length);
            nearest = space.first_free(direction, reach, reach / strides, skip).or(nearest);
        }
    }
    nearest
}
