//! Search from a single source of starts, regardless of the policy.

use nalgebra::Vector3;

use super::coherence::CoherentStarts;
use super::free_configuration::outside::from_outside;
use super::free_configuration::{Starts, starts};
use super::options::{Effort, TranslationalOptions};
use super::walk::{ContactSpace, Optimum};
use crate::penetration::error::PenetrationError;
use crate::penetration::free_configuration::FreeConfiguration;

/// Walks of a thorough search, from the most promising starts of the source; of ten walks most are abandoned early.
/// Half changes the mean depth by +0.14 % (worst +38 %) with −3.0 % casts, twice no depth with +3.2 % casts
/// (docs/sensitivity.md).
const WALKS: usize = 10;
/// Cosine above which two directions (6°) lead to the same contact: only the nearer one is used. Nearer to 1 walks
/// repeat each other; smaller, one of two narrow passages beside each other is skipped. Half and twice change no depth
/// and the steps by less than 0.5 % (docs/sensitivity.md).
const SAME: f64 = 0.995;

/// The best of the walks from the starts of `source`: one walk from the most promising start where the effort is
/// fast, otherwise up to ten. `given` maps a translation [m, world] to the frame of B's tree.
pub(super) fn search(
    space: &mut ContactSpace,
    source: FreeConfiguration,
    (options, remembered): (&TranslationalOptions, &CoherentStarts),
    given: impl Fn(&Vector3<f64>) -> Vector3<f64>,
) -> Result<Optimum, PenetrationError> {
    let count = if options.effort == Effort::Fast { 1 } else { WALKS };
    space.source = source;
    let free = match starts(space, source, (options, remembered), given, count) {
        Starts::Free(free) => free,
        Starts::Outside(directions) => promising(space, directions, count),
    };
    let mut best: Option<Optimum> = None;
    for start in free.iter().take(count) {
        let better = match &best {
            None => Some(space.walk(start, true)),
            Some(best) => space.walk_within(start, best.touching.norm()),
        };
        best = better.or(best);
    }
    best.ok_or(PenetrationError::NoFreeConfiguration { start: source })
}

/// Starts outside along the directions in which the contact is nearest, nearest first.
fn promising(space: &mut ContactSpace, directions: Vec<Vector3<f64>>, count: usize) -> Vec<Vector3<f64>> {
    if let [only] = directions[..] {
        return vec![from_outside(space, &only)];
    }
    let mut nearest: Vec<(f64, Vector3<f64>)> = Vec::new();
    for direction in directions {
        let within = if nearest.len() < count { f64::INFINITY } else { nearest[count - 1].0 };
        let Some(depth) = space.depth_from_outside(&direction, within) else { continue };
        if nearest.iter().any(|(other, known)| known.dot(&direction) > SAME && *other <= depth) {
            continue;
        }
        // A nearer contact replaces those of the same direction.
        nearest.retain(|(_, known)| known.dot(&direction) <= SAME);
        let place = nearest.partition_point(|(other, _)| *other <= depth);
        nearest.insert(place, (depth, direction));
        nearest.truncate(count);
    }
    let clearance = space.clearance();
    nearest.into_iter().map(|(depth, direction)| direction * (depth + clearance)).collect()
}
