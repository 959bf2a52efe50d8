//! Hausdorff distance of two surfaces with proved bounds.
//!
//! The directed distance from a set A to a set B is the supremum over the points a of A of the distance from a to B;
//! the symmetric one is the larger of the two [Lin17 §40, §40.5]. Surfaces are the sets of points of their triangles
//! that have an area; the interior of a solid is not part of it, so the distance of two solids is that of their
//! boundaries, and one solid deep inside another one is not near it. For the maximum deviation *outside* a solid, use
//! the signed distance.
//!
//! No finite sampling bounds a supremum from above. The method is a branch and bound in the spirit of [TLK09]: parts of
//! A, at first the subtrees of its tree, then triangles, then convex pieces of triangles, each have an upper bound of
//! the distance from B, and the part with the largest one is divided next. The bound of a part is the maximum distance
//! of its corners from *one* triangle of B: the distance to a convex set is a convex function, so no point of the part
//! is farther away. Exact distances of the corners from all of B raise the lower bound. The search ends when both are
//! close enough.
//!
//! Departs from [TLK09]: a piece is not halved but cut where the triangles nearest to its corners are equally far
//! away, along the Voronoi diagram of B. Where B's triangles meet at an angle the distance has a crease there, and
//! halving would have to shrink the pieces along it to the size of the error.

mod answer;
mod nearest;
mod piece;
mod pruning_bound;
mod search;
mod side;
mod triangle;

pub use self::answer::{Hausdorff, HausdorffOptions, Side};
use crate::proximity::error::ProximityError;
use nalgebra::Isometry3;

use self::search::BranchAndBound;
use super::model::Model;

/// Hausdorff distance of the surfaces of `a` and `b`, symmetric unless the options request the directed one; poses map
/// body to world coordinates.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{HausdorffOptions, Model, hausdorff_distance};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.3, 0.0, 0.4));
/// let found = hausdorff_distance(&cube, &here, &cube, &there, &HausdorffOptions::default())?;
/// assert!(found.lower_bound <= 0.5 && 0.5 <= found.upper_bound);
/// assert!(found.upper_bound - found.lower_bound <= 1e-3);
/// // The directed distance ignores the parts of the second surface that are far from the first.
/// let long = Model::new(cube.mesh().scaled(&Vector3::new(3.0, 1.0, 1.0))?, Solidity::Solid);
/// let options = HausdorffOptions { one_sided: true, ..HausdorffOptions::default() };
/// let short_from_long = hausdorff_distance(&cube, &here, &long, &here, &options)?;
/// let long_from_short = hausdorff_distance(&long, &here, &cube, &here, &options)?;
/// assert!((short_from_long.value - 0.5).abs() < 1e-3);
/// assert!((long_from_short.value - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when a pose is not finite, a tolerance is negative or not a number, or the distance overflows.
pub fn hausdorff_distance(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &HausdorffOptions,
) -> Result<Hausdorff, ProximityError> {
    let sides: &[Side] = if options.one_sided { &[Side::A] } else { &[Side::A, Side::B] };
    search::run(&BranchAndBound::new([a, b], [pose_a, pose_b], sides, options)?)
}

#[cfg(test)]
mod tests;
