//! Contact rows: what a contact source tells a descent about a pair near contact.

use nalgebra::{Point3, Unit, Vector3};

/// A plane between two bodies with a point of each, linearised: the gap changes by n·(v_A(p_A) − v_B(p_B)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactRow {
    /// The bodies A and B, as the arrangement numbers them.
    pub(crate) bodies: [u32; 2],
    /// How far they are apart along the normal [m]; negative where they overlap.
    pub(crate) gap: f64,
    /// Unit direction in which A moves away from B, world.
    pub(crate) normal: Unit<Vector3<f64>>,
    /// A point that moves with A and one that moves with B [m, world].
    pub(crate) points: [Point3<f64>; 2],
}
