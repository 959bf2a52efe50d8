//! Self-collision of a static triangle mesh: pairs of its triangles that intersect beyond the corners that they share.
//!
//! Neighbours in a mesh always touch [Lin17 §40.3]: they share a corner or an edge, which does not count as a
//! collision. Corners are shared where their coordinates are equal, whatever their indices. Two triangles collide
//!
//! | shared corners | where touching counts                                  | where only crossing counts              |
//! |----------------|--------------------------------------------------------|-----------------------------------------|
//! | none           | they have a point in common                            | their interiors have a point in common  |
//! | one            | they have another point in common than that corner     | the same                                |
//! | two            | they have another point in common than on that edge: one is folded flat onto the other | the same |
//! | three          | always: one lies on the other                          | the same                                |
//!
//! where the interior of a triangle is the triangle without its edges. So a vertex that rests on a face or in the
//! middle of an edge (a T-junction) touches and does not cross, while an edge that pierces a face, and coplanar
//! triangles that overlap in an area, do both.
//!
//! Every decision about a pair is made by exact predicates on the coordinates as they are given: neighbours never
//! collide by rounding, and exact touching is found. The tree is traversed against itself, so that no pair is visited
//! twice. Triangles without an area are ignored.

mod descent;
mod options;
mod pair;
mod separation;

use self::descent::{Found, descend};
pub use self::options::SelfCollisionOptions;
use super::model::Model;

/// Whether any two triangles of `model` collide.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, SelfCollisionOptions, is_self_colliding};
///
/// let options = SelfCollisionOptions::default();
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// assert!(!is_self_colliding(&cube, &options));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_self_colliding(model: &Model, options: &SelfCollisionOptions) -> bool {
    matches!(descend(model, options, true), Found::Any)
}

/// All pairs of triangles of `model` that collide, the smaller index first, sorted.
///
/// ```
/// use extricate_core::geometry::{Solidity, TriangleMesh};
/// use extricate_core::proximity::{Model, SelfCollisionOptions, self_collisions};
/// use nalgebra::Point3;
///
/// // A square in two triangles, and a flap at one of its edges that is folded down through it.
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.5, 0.2], [0.5, 0.6, -0.3]];
/// let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 4, 5]];
/// let mesh = TriangleMesh::new(corners.map(Point3::from).to_vec(), triangles)?;
/// let flap = Model::new(mesh, Solidity::Surface);
/// assert_eq!(self_collisions(&flap, &SelfCollisionOptions::default()), [[1, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn self_collisions(model: &Model, options: &SelfCollisionOptions) -> Vec<[u32; 2]> {
    match descend(model, options, false) {
        Found::Pairs(pairs) => pairs,
        Found::Any => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
