//! Contact rows: linearised contacts of pairs near contact.

use nalgebra::{Point3, Unit, Vector3};

/// A separating plane of two bodies with a contact point of each, linearised: the gap changes by n·(v_A(p_A) − v_B(p_B))
/// [Tang14 eq. 22].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactRow {
    /// Indices of the bodies A and B in the collision world.
    pub(crate) bodies: [u32; 2],
    /// Signed distance along the normal [m]; negative where they overlap.
    pub(crate) gap: f64,
    /// Unit direction in which A moves away from B, world.
    pub(crate) normal: Unit<Vector3<f64>>,
    /// A point fixed to A and one fixed to B [m, world].
    pub(crate) points: [Point3<f64>; 2],
}
