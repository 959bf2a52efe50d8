//! Distances without a grid: exact ones at given points.

use nalgebra::Point3;

use crate::parallel;
use crate::proximity::closest_point::signed_distance;
use crate::proximity::model::Model;

/// Signed distances \[m\] at `points` [m, body frame of `model`], each from its closest point, with all threads of the
/// current pool: exact, and cheaper than a field when a grid would have more than about ten nodes per point.
///
/// The model should be a closed solid; distances from an open surface are all positive.
///
/// ```
/// use extricate_core::field::sample_nodes;
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::Model;
/// use nalgebra::Point3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let found = sample_nodes(&cube, &[Point3::origin(), Point3::new(1.0, 0.0, 0.0)]);
/// assert!((found[0] + 0.5).abs() < 1e-12 && (found[1] - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sample_nodes(model: &Model, points: &[Point3<f64>]) -> Vec<f64> {
    parallel::map_slice(points, 1, |point| signed_distance(model, point))
}
