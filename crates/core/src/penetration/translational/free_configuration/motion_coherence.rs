//! Where the models were apart before [Je12 §5.3].
//!
//! One collision query, a few where the body has turned meanwhile. Good for motions: the side from which the models
//! came is the side to leave by, in a hollow as well.

use nalgebra::{Isometry3, Vector3};

use super::centroid_difference::centroid_difference;
use super::outside::from_outside;
use crate::penetration::translational::coherence::Remembered;
use crate::penetration::translational::walk::ContactSpace;

/// Where a free placement of A lies for the orientation that A has now; where a turn has brought the bodies together
/// there, pushed on as little as it takes, along `last_direction` of an answer or the way back.
pub(crate) fn motion_coherence(
    space: &ContactSpace,
    free: &Isometry3<f64>,
    last_direction: Option<Vector3<f64>>,
) -> Option<Vector3<f64>> {
    /// Doublings of a push before giving up.
    const PUSHES: u32 = 30;
    /// First push, relative to the size.
    const STEP: f64 = 1e-6;
    let center = free * space.a.center() - space.b.center().coords;
    let back = center.coords - space.a_to_b.translation;
    let step = STEP * (space.a.radius() + space.b.radius());
    if back.norm() > 0.0 && space.is_apart(&back) {
        return Some(back);
    }
    let way_back = if back.norm() > step { back.normalize() } else { centroid_difference(space) };
    let directions = [last_direction, Some(way_back)];
    let pushes = (0..PUSHES).map(|i| step * f64::from(1 << i));
    let pushed = pushes
        .flat_map(|push| directions.into_iter().flatten().map(move |direction| back + direction * push));
    pushed.into_iter().find(|q| q.norm() > 0.0 && space.is_apart(q))
}

/// Free configurations near the remembered ones, nearest first, then from outside along the last optimum's direction
/// and against it.
pub(in super::super) fn remembered_starts(
    space: &ContactSpace,
    remembered: &Remembered,
) -> Vec<Vector3<f64>> {
    let near = remembered
        .nearest
        .iter()
        .flatten()
        .filter_map(|pose| motion_coherence(space, pose, remembered.direction));
    let along = remembered.direction.into_iter().flat_map(|direction| [direction, -direction]);
    near.chain(along.map(|direction| from_outside(space, &direction))).collect()
}
