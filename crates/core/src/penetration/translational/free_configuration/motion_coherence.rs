//! Free placements of earlier queries [Je12 §5.3].
//!
//! One collision query, a few if the body has rotated meanwhile. Good for motions: the models separate to the side from which
//! they came, in a hollow as well.

use nalgebra::{Isometry3, Vector3};

use super::centroid_difference::centroid_difference;
use super::outside::from_outside;
use crate::penetration::translational::coherence::CoherentStarts;
use crate::penetration::translational::walk::ContactSpace;

/// The free configuration of an earlier placement of A with its present orientation; if the rotation since then makes the
/// bodies collide there, moved on by the shortest of some pushes that frees it, along `last_direction` of a result or towards
/// the earlier placement.
pub(crate) fn motion_coherence(
    space: &ContactSpace,
    free: &Isometry3<f64>,
    last_direction: Option<Vector3<f64>>,
) -> Option<Vector3<f64>> {
    /// Doublings of the push before the placement is given up: up to 1e3 sizes. A safeguard against an endless loop,
    /// without effect on the sets of docs/sensitivity.md.
    const PUSHES: u32 = 30;
    /// First push, relative to the size; each following one is twice as long. Half and twice change no depth and not
    /// the number of casts (docs/sensitivity.md).
    const STEP: f64 = 1e-6;
    let center = free * space.a.center() - space.b.center().coords;
    let back = center.coords - space.a_to_b.translation;
    let step = STEP * (space.a.radius() + space.b.radius());
    if back.norm() > 0.0 && space.is_apart(&back) {
        return Some(back);
    }
    let towards_placement = if back.norm() > step { back.normalize() } else { centroid_difference(space) };
    let directions = [last_direction, Some(towards_placement)];
    // Doubling finds a free configuration within a factor of two of the shortest push, in a few collision queries.
    let pushes = (0..PUSHES).map(|i| step * f64::from(1 << i));
    let pushed = pushes
        .flat_map(|push| directions.into_iter().flatten().map(move |direction| back + direction * push));
    pushed.into_iter().find(|q| q.norm() > 0.0 && space.is_apart(q))
}

/// Free configurations near the stored placements, nearest first, then from outside along the last result's direction and
/// against it.
pub(in super::super) fn remembered_starts(
    space: &ContactSpace,
    remembered: &CoherentStarts,
) -> Vec<Vector3<f64>> {
    let near = remembered
        .nearest
        .iter()
        .flatten()
        .filter_map(|pose| motion_coherence(space, pose, remembered.direction));
    let along = remembered.direction.into_iter().flat_map(|direction| [direction, -direction]);
    near.chain(along.map(|direction| from_outside(space, &direction))).collect()
}
