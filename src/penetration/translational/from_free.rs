//! A walk from a given free configuration: the way out towards the side a simulation came from.

use nalgebra::{Isometry3, Vector3};

use super::walk::ContactSpace;
use super::{Penetration, PenetrationError, answer, check_pose};
use crate::proximity::placement::Placement;
use crate::proximity::{Model, collide};

/// The local penetration of `a` and `b` that a walk from the free configuration `start` reaches, a translation of A
/// [m, world] at which the models are apart. Poses map body to world coordinates.
///
/// The walk stays in the part of the contact space that the start can reach: linked rings stay linked, and a thin
/// plate is pushed back to where it came from. It makes at most `max_iterations` in-projections.
///
/// # Errors
/// [`PenetrationError`] when a pose is not finite, or when the configuration reached is not free by an independent
/// check.
pub fn penetration_from(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    start: &Vector3<f64>,
    max_iterations: u32,
) -> Result<Penetration, PenetrationError> {
    check_pose('A', pose_a)?;
    check_pose('B', pose_b)?;
    let a_to_b = Placement::between(a, pose_a, b, pose_b);
    let far = pose_a.translation.vector.norm().max(pose_b.translation.vector.norm());
    let mut space = ContactSpace::new(a, b, a_to_b, far, max_iterations);
    let optimum = space.walk(&(pose_b.rotation.inverse() * start), false);
    let translation = pose_b.rotation * optimum.q;
    let mut moved = *pose_a;
    moved.translation.vector += translation;
    if collide(a, &moved, b, pose_b) {
        return Err(PenetrationError::NotSeparated { length: translation.norm() });
    }
    Ok(answer(&space, &optimum, pose_b))
}
