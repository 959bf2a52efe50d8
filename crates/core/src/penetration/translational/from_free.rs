//! Walk from a given free configuration: separation towards the side from which a simulation came.

use nalgebra::{Isometry3, Vector3};

use super::answer::Penetration;
use super::collision_check::distance_from_origin;
use super::query::{check, verified};
use super::walk::ContactSpace;
use crate::penetration::error::PenetrationError;
use crate::penetration::free_configuration::FreeConfiguration;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// The local penetration of `a` and `b` that a walk from the free configuration `start` reaches, a translation of A
/// [m, world] at which the models are separated. Poses map body to world coordinates.
///
/// The walk remains in the component of the contact space that is reachable from the start: linked rings stay linked, and a
/// thin plate is pushed back to the side it came from. It makes at most `max_iterations` in-projections. No lower bound is
/// computed: it would bound the global depth, which may be much less.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::penetration_from;
/// use extricate_core::proximity::Model;
/// use nalgebra::Vector3;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.1, 0.0, 0.0));
/// let found = penetration_from((&cube, &there), (&cube, &here), &Vector3::new(0.0, 0.0, 3.0), 50)?;
/// assert!((found.translation.z - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    check('A', a, pose_a)?;
    check('B', b, pose_b)?;
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let far = distance_from_origin([(a, pose_a), (b, pose_b)]);
    let mut space = ContactSpace::new(a, b, a_to_b, far, max_iterations);
    space.source = FreeConfiguration::Given(*start);
    let optimum = space.walk(&(pose_b.rotation.inverse() * start), false);
    verified(&space, &optimum, pose_a, pose_b)
}
