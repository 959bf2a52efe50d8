//! A search from one source of starts alone, whatever the policy would have chosen.

use nalgebra::Vector3;

use super::coherence::Remembered;
use super::free_configuration::outside::from_outside;
use super::free_configuration::{Starts, starts};
use super::options::{Effort, TranslationalOptions};
use super::walk::{ContactSpace, Optimum};
use crate::penetration::error::PenetrationError;
use crate::penetration::free_configuration::FreeConfiguration;

/// Walks of a thorough search: the promising starts of a source.
const WALKS: usize = 10;
/// Directions whose cosine exceeds this lead to the same place: the better one is enough.
const SAME: f64 = 0.995;

/// The best of the walks from the starts of `source`: one walk from the most promising start where the effort is
/// fast, else up to ten. `given` turns a translation [m, world] into the frame of B's tree.
pub(super) fn search(
    space: &mut ContactSpace,
    source: FreeConfiguration,
    (options, remembered): (&TranslationalOptions, &Remembered),
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
        nearest.retain(|(_, known)| known.dot(&direction) <= SAME);
        let place = nearest.partition_point(|(other, _)| *other <= depth);
        nearest.insert(place, (depth, direction));
        nearest.truncate(count);
    }
    let clearance = space.clearance();
    nearest.into_iter().map(|(depth, direction)| direction * (depth + clearance)).collect()
}
