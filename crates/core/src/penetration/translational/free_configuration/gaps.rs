//! The nearest gap: a free configuration nearer than the depth found from outside.
//!
//! A walk from outside ends in the hollow that it meets; a hole of a body, a gap between two parts, the other side of a thin
//! wall, or another direction from outside may be nearer. Along each of many directions a march goes out from the overlap. Where
//! samples of the bodies collide it moves on without a query; only where they see no collision the trees are asked.
//! The first free configuration found is the limit of all later marches.
//!
//! The work follows what there is to gain: between the depth of the deepest sample, which is likely a lower bound, and the limit.
//! Marches begin at the bound, the nearer the limit comes to it the fewer are made, and none is made where the two
//! meet; where the bracket stays wide, all are made, up to a bound on the collision queries.
//!
//! Over the twenty families for tuning of `experiments/soup_suite`, one walk from outside ends at 2.44 of the best known depth
//! on average (166 at worst), one from the nearest gap at 1.013 (1.52 at
//! worst). A second search within the end of that walk finds nothing on them.

use nalgebra::Vector3;

use super::spread::fibonacci;
use crate::penetration::translational::sampled_obstacle::SampledObstacle;
use crate::penetration::translational::walk::ContactSpace;

/// The marches of a search for the nearest gap.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Marches {
    /// Their directions.
    directions: u32,
    /// Difference of the indices of successive directions, about the golden section of their number: successive marches go
    /// different ways, so that an early one is likely to limit the others. In the order of the spiral, with 1, the mean depth over
    /// the best known is 1.014 instead of 1.011.
    index_step: u32,
    /// Collision queries of all of them, at about a microsecond each.
    queries: u32,
}

impl Marches {
    /// Directions 18° apart. With 96 of them the mean is 1.012 in a tenth less time, with 160 1.011; with half as many queries
    /// 1.017, with twice as many 1.010.
    pub(in super::super) const FAST: Self = Self { directions: 128, index_step: 49, queries: 100 };
    /// Directions 9° apart.
    pub(in super::super) const THOROUGH: Self = Self { directions: 512, index_step: 195, queries: 400 };
}

/// Length of the marches, over that of the best configuration so far: a gap that is hardly nearer does not pay for a query.
/// With 0.95 the mean is 1.013.
const REACH: f64 = 0.98;
/// Collision queries of one march. With 2 the mean is 1.035, with 4 1.011, with 8 1.009.
const QUERIES_OF_MARCH: u32 = 8;
/// Minimum step between the collision queries of a march over the length reached, and over the length of the best
/// configuration at first: a narrow gap may be passed, as many queries cannot be made in it.
const MIN_STEP: [f64; 2] = [1.0 / 16.0, 1.0 / 64.0];
/// Fraction of the likely bound at which marches begin: the bound is an estimate. With 1 the mean is 1.020.
const LIKELY: f64 = 0.9;
/// Directions over all of them, per fraction of the limit that is above the likely bound. With half as many the mean is 1.019 in
/// a tenth less time, with 1.5 times as many 1.010.
const GAIN: f64 = 2.0;
/// Depth over the sum of the radii below which no gap is looked for: a contact that shallow is not worth the marches, and
/// samples do not resolve it.
const SHALLOW: f64 = 0.01;

/// Whether a gap nearer than `within` [m] is worth looking for.
pub(in super::super) fn is_deep(space: &ContactSpace, within: f64) -> bool {
    within >= SHALLOW * (space.a.radius() + space.b.radius())
}

/// The nearest of the free configurations that marches along the spread directions find, if one is nearer than `within` [m].
pub(in super::super) fn nearest_gap(
    space: &mut ContactSpace,
    within: f64,
    &Marches { directions, index_step, mut queries }: &Marches,
) -> Option<Vector3<f64>> {
    if !is_deep(space, within) {
        return None;
    }
    let memory = std::mem::take(space.samples());
    let mut sampled = SampledObstacle::new([space.a, space.b], &space.a_to_b, memory);
    let bound = LIKELY * sampled.likely_bound();
    let mut nearest = None;
    for i in 0..directions {
        let limit = REACH * nearest.map_or(within, |gap: Vector3<f64>| gap.norm());
        let worth = GAIN * f64::from(directions) * (1.0 - bound / limit);
        if !(f64::from(i) < worth) || queries == 0 || space.is_late() {
            break;
        }
        let direction = fibonacci(i * index_step % directions, directions);
        sampled.set_direction(&direction);
        let (mut left, mut next) = (QUERIES_OF_MARCH.min(queries), bound);
        let skip = |length: f64| {
            if left == 0 {
                return limit;
            }
            let length = sampled.first_unblocked(length.max(next), limit, within);
            next = length + (MIN_STEP[0] * length).max(MIN_STEP[1] * within);
            if length < limit {
                (left, queries) = (left - 1, queries - 1);
            }
            length
        };
        nearest = space.first_free(&direction, limit, 0.0, skip).or(nearest);
    }
    *space.samples() = sampled.into_memory();
    nearest
}
