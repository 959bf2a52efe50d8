//! Components of rotations in JSON: w, x, y, z.

use nalgebra::{Quaternion, UnitQuaternion};

/// The components w, x, y, z of a rotation.
pub(crate) fn quaternion(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    let q = rotation.quaternion();
    [q.w, q.i, q.j, q.k]
}

/// The rotation of components w, x, y, z, with the same bits. The reader of a file checks that they are those of a unit
/// quaternion, to a tolerance that depends on the file.
pub(crate) fn rotation([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
}
