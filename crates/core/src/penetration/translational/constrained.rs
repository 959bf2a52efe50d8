//! Separating translations that are restricted to a direction, a line or a plane: an object that may only slide on a table,
//! or only be pulled out along its axis.
//!
//! The restricted translations form a ray, or a subspace U through the zero translation. Within U, the half-space
//! n·q ≥ c of a contact is the half-space of the normal's projection P n on U, with the offset c: for q in U, n·q = (P n)·q. So
//! the in-projection [Je12 §6.1, eq. 9] of the projected half-spaces is the shortest translation in U that the local contact
//! space allows, because its solution is a combination of the projected normals; and the whole walk stays in U.
//!
//! On a ray and on a line the result is exact: a march from inside without a minimum step passes only over lengths that are
//! blocked. In a plane it is a local optimum like the result of an unrestricted search, the best of several.

use nalgebra::{Unit, Vector3};

use super::free_configuration::{axes, centroid_difference};
use super::options::Effort;
use super::search::{exclude_nearer_gaps, improve, promising};
use super::walk::{ContactSpace, Optimum};
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::free_configuration::FreeConfiguration;

/// Directions in a plane along which a fast search casts from outside and marches from inside, beside the projected axes of both bodies and the projected
/// centroid difference: 15° apart.
const FEW_DIRECTIONS: u32 = 24;
/// The same for a thorough search: 3° apart.
const MANY_DIRECTIONS: u32 = 120;
/// Steps of a march of the fast search over its maximum length, as in the unrestricted search.
const STRIDES: f64 = 24.0;
/// Length of a march, in best depths so far, as in the unrestricted search.
const MARCH_REACH: f64 = 1.15;
/// Length of a projected axis below which its direction is not used.
const MIN_PROJECTION: f64 = 1e-3;

/// The shortest separating translation found among the allowed ones, in the frame of B's tree.
pub(super) fn search(space: &mut ContactSpace, allowed: AllowedTranslations, effort: Effort) -> Optimum {
    space.restrict(Some(allowed));
    space.source = FreeConfiguration::Spread;
    let optimum = match allowed {
        AllowedTranslations::Direction(direction) => first_exit(space, &direction, f64::INFINITY),
        AllowedTranslations::Line(direction) => {
            let forwards = first_exit(space, &direction, f64::INFINITY);
            let backwards = forwards.map_or(f64::INFINITY, |found| found.touching.norm());
            first_exit(space, &-direction, backwards).or(forwards)
        }
        AllowedTranslations::Plane(normal) => Some(in_plane(space, &normal, effort)),
    };
    let optimum = optimum.expect("far enough along every direction the bounding balls are separated");
    let optimum = if allowed.is_exact() { optimum } else { exclude_nearer_gaps(space, optimum, true) };
    space.restrict(None);
    optimum
}

/// The first free configuration along a direction, if it is nearer than `within` [m].
pub(super) fn first_exit(space: &mut ContactSpace, direction: &Vector3<f64>, within: f64) -> Option<Optimum> {
    let outside = space.outside(direction);
    let start = space.first_free(direction, outside.min(within), 0.0, |length| length);
    // Without a gap before it, the configuration outside is the first one that is known to be free.
    let start = start.or_else(|| (outside < within).then(|| direction * outside))?;
    space.source = FreeConfiguration::Given(start);
    Some(space.walk(&start, false))
}

/// The best of the walks in a plane, from outside and from gaps.
fn in_plane(space: &mut ContactSpace, normal: &Unit<Vector3<f64>>, effort: Effort) -> Optimum {
    let count = if effort == Effort::Fast { FEW_DIRECTIONS } else { MANY_DIRECTIONS };
    let directions = directions_in_plane(space, normal, count);
    let mut nearest = f64::INFINITY;
    let mut depths = Vec::with_capacity(directions.len());
    for direction in &directions {
        // A fast search starts from the nearest contact only.
        let within = if effort == Effort::Fast { nearest } else { f64::INFINITY };
        let depth = if space.is_late() && nearest.is_finite() {
            f64::INFINITY
        } else {
            space.depth_from_outside(direction, within).unwrap_or(f64::INFINITY)
        };
        nearest = nearest.min(depth);
        depths.push(depth);
    }
    let mut starts = promising(&depths, &directions).into_iter();
    let clearance = space.clearance();
    let from = |(depth, direction): (f64, Vector3<f64>)| direction * (depth + clearance);
    let first = starts.next().map_or_else(|| directions[0] * space.outside(&directions[0]), from);
    let mut best = space.walk(&first, true);
    if effort == Effort::Best {
        starts.for_each(|start| improve(space, &mut best, &from(start)));
    }
    for direction in &directions {
        let reach = MARCH_REACH * best.touching.norm();
        // A thorough search finds the narrowest gap on each of its directions.
        let stride = if effort == Effort::Fast { reach / STRIDES } else { 0.0 };
        if let Some(start) = space.first_free(direction, reach, stride, |length| length) {
            improve(space, &mut best, &start);
        }
    }
    best
}

/// Unit vectors in the plane: the projected axes of both bodies and the centroid difference, then evenly spaced ones.
fn directions_in_plane(space: &ContactSpace, normal: &Unit<Vector3<f64>>, count: u32) -> Vec<Vector3<f64>> {
    let along = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
    let across = normal.cross(&along);
    let flat =
        |vector: Vector3<f64>| (vector - normal.scale(normal.dot(&vector))).try_normalize(MIN_PROJECTION);
    let special = std::iter::once(centroid_difference(space)).chain(axes(space)).filter_map(flat);
    let even = (0..count).map(|i| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(count)).sin_cos();
        along * cos + across * sin
    });
    special.chain(even).collect()
}
