//! The Hausdorff distance.

use super::error::QueryError;
use super::options::HausdorffOptions;
use super::posed::Posed;
use crate::proximity::{Hausdorff, hausdorff_distance};

/// The Hausdorff distance of the surfaces of two shapes: the maximum distance of a point of one surface from the other.
///
/// Meshes, boxes and hulls are exact to the tolerance. For a round shape the surface of a circumscribed polyhedron is
/// measured, and the bounds are widened by its excess over the shape
/// ([`Triangles::excess`](super::Triangles::excess)): the value lies within them.
///
/// # Errors
/// [`QueryError::Unsupported`] for a half-space, a hull without area, and several parts; [`QueryError`] when a pose, a
/// size or an option is invalid.
pub fn hausdorff(a: &Posed, b: &Posed, options: &HausdorffOptions) -> Result<Hausdorff, QueryError> {
    a.check("A")?;
    b.check("B")?;
    let shapes = [a, b].map(|posed| posed.part(0).shape.kind());
    let refused = |reason| QueryError::Unsupported { query: "the Hausdorff distance", shapes, reason };
    let (Some(first), Some(second)) = (a.single(), b.single()) else {
        return Err(refused("it compares two surfaces, not several parts"));
    };
    if first.shape.is_half_space() || second.shape.is_half_space() {
        return Err(refused("a half-space is farther from every bounded shape than any length"));
    }
    let (Some(triangles_a), Some(triangles_b)) = (first.shape.triangles(), second.shape.triangles()) else {
        return Err(refused("a hull without area has no surface"));
    };
    let found =
        hausdorff_distance(&triangles_a.model, &first.pose, &triangles_b.model, &second.pose, options)?;
    let excess = triangles_a.excess + triangles_b.excess;
    if !(excess > 0.0) {
        return Ok(found);
    }
    Ok(Hausdorff {
        lower_bound: (found.lower_bound - excess).max(0.0),
        upper_bound: found.upper_bound + excess,
        ..found
    })
}
