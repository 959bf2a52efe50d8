//! The direction of the centroid difference [Je12 §5.1].
//!
//! Costs nothing. Good for bodies that overlap at their rims, whose centroids indicate the nearer side; of little use
//! if a body lies in a hollow of the other one, because the direction leads out of the hollow.

use nalgebra::Vector3;

use super::outside::centroids;
use super::spread::axes;
use crate::penetration::translational::walk::ContactSpace;

/// Length of the difference, relative to the size, below which the bodies count as concentric: rounding must not choose
/// the direction. A safeguard, without effect on the sets of docs/sensitivity.md.
const CONCENTRIC: f64 = 1e-9;

/// The direction from B's centroid to A's [Je12 §5.1]; if they coincide, the axis of either body along which the bounding balls
/// separate soonest.
pub(crate) fn centroid_difference(space: &ContactSpace) -> Vector3<f64> {
    let [of_a, of_b] = centroids(space);
    let difference = of_a - of_b;
    if difference.norm() > CONCENTRIC * (space.a.radius() + space.b.radius()) {
        return difference.normalize();
    }
    let shortest = axes(space).map(|direction| (space.outside(&direction), direction));
    shortest.min_by(|x, y| x.0.total_cmp(&y.0)).map_or(Vector3::x(), |(_, direction)| direction)
}
