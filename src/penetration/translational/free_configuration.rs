//! Free configurations from which a walk can start [Je12 §5].

use nalgebra::{Isometry3, Vector3};

use super::walk::ContactSpace;

/// The direction of the centroid difference [Je12 §5.1], from B to A in the frame of B's tree.
pub(crate) fn centroid_difference(space: &ContactSpace) -> Vector3<f64> {
    let (a, b) = (space.a, space.b);
    let in_b = space.a_to_b.point(&(a.centroid() - a.center().coords));
    let difference = in_b - (b.centroid() - b.center().coords);
    let size = a.radius() + b.radius();
    if difference.norm() > 1e-9 * size {
        return difference.normalize();
    }
    // Concentric: the shortest way out along the axes of either body is as good a guess as any.
    let shortest = axes(space).map(|direction| (space.outside(&direction), direction));
    shortest.min_by(|x, y| x.0.total_cmp(&y.0)).map_or(Vector3::x(), |(_, direction)| direction)
}

/// The six directions along the axes of B, then those of A.
pub(super) fn axes(space: &ContactSpace) -> impl Iterator<Item = Vector3<f64>> + use<> {
    let rotation = space.a_to_b.rotation;
    let of_b = [Vector3::x(), Vector3::y(), Vector3::z()];
    let of_a = of_b.map(|axis| rotation * axis);
    of_b.into_iter().chain(of_a).flat_map(|axis| [axis, -axis])
}

/// Point `i` of `n` on the unit sphere along a golden-angle spiral.
pub(super) fn fibonacci(i: u32, n: u32) -> Vector3<f64> {
    let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
    let angle = std::f64::consts::PI * (3.0 - 5_f64.sqrt()) * f64::from(i);
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

/// Where the last free placement of A lies for the orientation that A has now [Je12 §5.3], pushed on outwards until
/// it is free there.
pub(crate) fn motion_coherence(space: &ContactSpace, last_free: &Isometry3<f64>) -> Option<Vector3<f64>> {
    /// Doublings of the way back before giving up.
    const PUSHES: u32 = 24;
    /// First step where the way back has no length, relative to the size.
    const STEP: f64 = 1e-3;
    let center = last_free * space.a.center() - space.b.center().coords;
    let back = center.coords - space.a_to_b.translation;
    let step = STEP * (space.a.radius() + space.b.radius());
    let direction = if back.norm() > 1e-3 * step { back.normalize() } else { centroid_difference(space) };
    let pushes = (0..PUSHES).map(|i| if i == 0 { 0.0 } else { step * f64::from(1 << (i - 1)) });
    pushes.map(|push| back + direction * push).find(|q| q.norm() > 0.0 && space.is_apart(q))
}
