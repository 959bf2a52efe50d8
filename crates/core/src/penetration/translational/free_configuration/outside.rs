//! Configurations outside, reached along a direction.

use nalgebra::{Point3, Vector3};

use crate::penetration::translational::walk::ContactSpace;

/// The configuration outside in a direction, at which the bounding balls are separated.
pub(crate) fn from_outside(space: &ContactSpace, direction: &Vector3<f64>) -> Vector3<f64> {
    direction * space.outside(direction)
}

/// Centroids of the surfaces of A and B in the frame of B's tree.
pub(super) fn centroids(space: &ContactSpace) -> [Vector3<f64>; 2] {
    let (a, b) = (space.a, space.b);
    let of_a = space.a_to_b.point(&Point3::from(a.centroid() - a.center()));
    [of_a.coords, b.centroid() - b.center()]
}
