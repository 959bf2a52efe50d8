//! The principal axes of inertia of both bodies, in both directions.
//!
//! The axes are found once per mesh; then one cast for each of twelve directions. Good for long and for flat bodies:
//! the shortest translation out of a plate is along its axis of maximum inertia.

use nalgebra::Vector3;

use crate::penetration::translational::walk::ContactSpace;

/// Twelve unit directions, alternating between B and A, the shortest extent of a body (its maximum moment) first.
pub(in super::super) fn principal_axes(space: &ContactSpace) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let (of_b, of_a) = (*space.b.principal_axes(), *space.a.principal_axes());
    let rotation = space.a_to_b.rotation;
    [2, 1, 0].into_iter().flat_map(move |i| {
        let of_a_in_b = rotation * of_a[i];
        [of_b[i], -of_b[i], of_a_in_b, -of_a_in_b]
    })
}
