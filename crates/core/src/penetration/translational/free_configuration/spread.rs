//! Directions spread evenly over the sphere.
//!
//! One cast each, ten to a hundred microseconds together when each is cut short by the best before it. Good for
//! anything that is reachable from outside; it does not depend on the shapes.

use nalgebra::Vector3;

use crate::penetration::translational::walk::ContactSpace;

/// The six directions along the axes of B's frame, then those of A's.
pub(crate) fn axes(space: &ContactSpace) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let rotation = space.a_to_b.rotation;
    let of_b = [Vector3::x(), Vector3::y(), Vector3::z()];
    let of_a = of_b.map(|axis| rotation * axis);
    of_b.into_iter().chain(of_a).flat_map(|axis| [axis, -axis])
}

/// Point `i` of `n` on the unit sphere along a golden-angle spiral.
pub fn fibonacci(i: u32, n: u32) -> Vector3<f64> {
    let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
    let angle = std::f64::consts::PI * (3.0 - 5_f64.sqrt()) * f64::from(i);
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}
