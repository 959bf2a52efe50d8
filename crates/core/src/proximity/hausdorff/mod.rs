//! Hausdorff distance of two surfaces: how far one deviates from the other, with bounds that are proved.
//!
//! Of a set A from a set B it is the supremum over the points a of A of the distance from a to B; of both, the greater
//! one of the two [Lin17 §40, §40.5]. Surfaces count as the sets of points of their triangles that have an area: a
//! solid's inside takes no part, so that two solids are as far apart as their boundaries deviate, and one solid deep
//! inside another one is not near it. For what deviates most from a solid *outside* it, look at the signed distance.
//!
//! No finite sampling bounds a supremum from above. The method is a branch and bound in the spirit of [TLK09]: parts
//! of A, at first the subtrees of its tree, then triangles, then convex pieces of triangles, each have an upper bound
//! of the distance from B, and the part with the greatest one is divided next. The bound of a part is the greatest
//! distance of its corners from *one* triangle of B: the distance to a convex set is convex, so no point in between
//! is farther away. Exact distances of the corners from all of B raise the lower bound. The search ends when both
//! are close enough.
//!
//! Departs from [TLK09]: a piece is not halved but cut where the triangles nearest to its corners are equally far
//! away, along the Voronoi diagram of B. Where B's triangles meet at an angle the distance has a crease there, and
//! halving would have to shrink the pieces along it to the size of the error.

mod bar;
mod nearest;
mod piece;
mod search;
mod side;
mod triangle;

use nalgebra::{Isometry3, Point3};
use thiserror::Error;

use super::Model;
use search::Search;

/// How exactly a Hausdorff distance is found, and with how much work.
///
/// The search ends as soon as the bounds differ by no more than the greatest of the three errors allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HausdorffOptions {
    /// Difference of the bounds that is allowed, relative to the lower one.
    pub relative_error: f64,
    /// Difference of the bounds that is allowed, relative to [`Model::radius`] of the greater model: what ends the
    /// search where the distance itself is zero, or tiny. Less than the rounding of coordinates is never reached.
    pub error_per_size: f64,
    /// Difference of the bounds that is allowed [m].
    pub absolute_error: f64,
    /// Distances of points from a model after which the search gives what it has.
    pub max_evaluations: u64,
    /// Whether to work with all threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for HausdorffOptions {
    /// One part in a thousand of the distance or one in a million of the size, whichever is greater; a hundred
    /// million distances; in parallel.
    fn default() -> Self {
        Self {
            relative_error: 1e-3,
            error_per_size: 1e-6,
            absolute_error: 0.0,
            max_evaluations: 100_000_000,
            parallel: true,
        }
    }
}

/// One of the two models of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first model.
    A,
    /// The second model.
    B,
}

/// A Hausdorff distance: it is at least `lower_bound` and at most `upper_bound`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hausdorff {
    /// How far the witnesses are apart [m]: the greatest deviation found.
    pub value: f64,
    /// Proved lower bound [m]: the value less what rounding may amount to.
    pub lower_bound: f64,
    /// Proved upper bound [m].
    pub upper_bound: f64,
    /// A point of A and one of B [m, world]: the one of [`Hausdorff::farthest_on`] is as far from the other model as the
    /// value says, and the other one is the closest point there.
    pub witnesses: [Point3<f64>; 2],
    /// The triangles of A and of B that hold the witnesses.
    pub triangles: [u32; 2],
    /// The model that holds the point which is far from the other model.
    pub farthest_on: Side,
    /// Whether the bounds are as close as was asked for, or as rounding allows; if not, the search ended at its bound on
    /// work.
    pub converged: bool,
    /// Distances of points from a model that were computed.
    pub evaluations: u64,
}

/// Why a Hausdorff distance could not be bounded.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum HausdorffError {
    /// A pose has a component that is not finite.
    #[error("the pose of {body} is not finite: {pose}")]
    PoseNotFinite {
        /// `A` or `B`.
        body: char,
        /// The pose.
        pose: Isometry3<f64>,
    },
    /// An error that is allowed is negative or not a number.
    #[error("the error that is allowed is negative or not a number: {name} is {value}")]
    ErrorNotPositive {
        /// The option.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The models are so far apart that squared distances overflow.
    #[error("the distance overflows: the models are {apart} m apart")]
    Overflow {
        /// Distance between the centres of the models [m].
        apart: f64,
    },
}

/// The Hausdorff distance of the surfaces of `a` and `b`; poses map body to world coordinates.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{HausdorffOptions, Model, hausdorff_distance};
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.3, 0.0, 0.4));
/// let found = hausdorff_distance(&cube, &here, &cube, &there, &HausdorffOptions::default())?;
/// assert!(found.lower_bound <= 0.5 && 0.5 <= found.upper_bound);
/// assert!(found.upper_bound - found.lower_bound <= 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`HausdorffError`] when a pose is not finite, an error that is allowed is not a positive number, or the distance
/// overflows.
pub fn hausdorff_distance(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &HausdorffOptions,
) -> Result<Hausdorff, HausdorffError> {
    search::run(&Search::new([a, b], [pose_a, pose_b], &[Side::A, Side::B], options)?)
}

/// How far the surface of `a` deviates from that of `b`: the greatest distance from a point of `a` to `b`. Points of
/// `b` may be farther from `a`. Poses map body to world coordinates.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{HausdorffOptions, Model, one_sided_hausdorff_distance};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Cuboid::default().mesh()?;
/// let long = Model::new(cube.scaled(&Vector3::new(3.0, 1.0, 1.0))?, Solidity::Solid);
/// let cube = Model::new(cube, Solidity::Solid);
/// let (pose, options) = (Isometry3::identity(), HausdorffOptions::default());
/// let short_from_long = one_sided_hausdorff_distance(&cube, &pose, &long, &pose, &options)?;
/// let long_from_short = one_sided_hausdorff_distance(&long, &pose, &cube, &pose, &options)?;
/// assert!((short_from_long.value - 0.5).abs() < 1e-3);
/// assert!((long_from_short.value - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`hausdorff_distance`].
pub fn one_sided_hausdorff_distance(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &HausdorffOptions,
) -> Result<Hausdorff, HausdorffError> {
    search::run(&Search::new([a, b], [pose_a, pose_b], &[Side::A], options)?)
}

#[cfg(test)]
mod tests;
