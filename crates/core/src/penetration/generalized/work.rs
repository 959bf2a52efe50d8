//! Work of a search, counted rather than timed, so that a bound of work ends a search at the same point on every machine and
//! for every number of threads.
//!
//! The unit is a signed distance of two convex pieces, about a microsecond. Other queries are charged by what they take on
//! average: what one of them takes in a particular case is not counted.

/// Pairs of bodies whose bounding spheres are compared for one unit.
pub(super) const SPHERES: u64 = 32;
/// Pairs of boxes of pieces that prove them apart for one unit.
pub(super) const BOXES: u64 = 16;
/// Units of the rows of a pair of triangle models near each other, beyond [`TRIANGLES`].
pub(super) const MODELS: u64 = 30;
/// Pairs of triangles near each other for one unit.
pub(super) const TRIANGLES: u64 = 12;
/// Products in the quadratic programs for one unit.
pub(super) const PRODUCTS: u64 = 4096;
/// Units of the first contact of an articulated model by continuous collision detection.
pub(super) const FIRST_CONTACT: u64 = 1000;
/// Units of a pair of triangle models tested for a collision.
pub(super) const COLLISION: u64 = 10;
