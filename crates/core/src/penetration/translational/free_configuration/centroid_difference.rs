//! The direction of the centroid difference [Je12 §5.1].
//!
//! Costs nothing. Good for bodies that overlap at their rims, whose centroids tell which side is nearer; of little use
//! where a body lies in a hollow of the other one, for it leads out of it.

use nalgebra::Vector3;

use super::outside::centroids;
use super::spread::axes;
use crate::penetration::translational::walk::ContactSpace;

/// Length of the difference, relative to the size, below which the bodies count as concentric: rounding must not
/// choose the direction.
const CONCENTRIC: f64 = 1e-9;

/// The direction from B's centroid to A's.
///
/// Where they coincide, the shortest way out along the axes of either body is as good a guess as any.
pub(crate) fn centroid_difference(space: &ContactSpace) -> Vector3<f64> {
    let [of_a, of_b] = centroids(space);
    let difference = of_a - of_b;
    if difference.norm() > CONCENTRIC * (space.a.radius() + space.b.radius()) {
        return difference.normalize();
    }
    let shortest = axes(space).map(|direction| (space.outside(&direction), direction));
    shortest.min_by(|x, y| x.0.total_cmp(&y.0)).map_or(Vector3::x(), |(_, direction)| direction)
}
