//! Penetration depth among rigid motions.

use nalgebra::{Isometry3, Point3};

use super::cache::Cache;
use super::error::QueryError;
use super::posed::{Part, Posed};
use super::relative_world::RelativeWorld;
use super::shape::Triangles;
use crate::penetration::generalized::{GeneralizedPenetration, SearchEnd, penetration_rigid_coherent};

pub use crate::penetration::generalized::GeneralizedOptions as RigidPenetrationOptions;

/// The minimum rigid motion found that separates A from B.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidPenetration {
    /// σ \[m²\]: the mean squared displacement of the points of A, the object norm \[Tang14\].
    pub sigma: f64,
    /// √σ \[m\].
    pub depth: f64,
    /// Pose of A after the motion, body to world.
    pub pose: Isometry3<f64>,
    /// Distance of the shapes at that pose \[m\], as far as it was looked for.
    pub clearance: f64,
    /// Whether collision queries that are independent of the search found that pose free.
    pub verified_free: bool,
    /// Steps of all descents.
    pub iterations: u32,
    /// Reason for which the search ended: nearer poses may exist where that is a bound on work or time.
    pub ended_by: SearchEnd,
    /// Distance \[m\] by which the polyhedra that replaced round shapes extend beyond them; zero where none did.
    pub approximation: f64,
}

/// The minimum rigid motion of A, rotation included, that separates it from B; `None` where they are proved apart.
///
/// A is one shape; B may have several parts. Convex shapes, and meshes that are unions of convex components, are searched by
/// their certified signed distances. If only triangles are known of one of them, a round shape is replaced by a polyhedron
/// that contains it, so that the result is free for the shape as well; [`RigidPenetration::approximation`] is the excess of
/// the polyhedron.
///
/// # Errors
/// [`QueryError::Unsupported`] for an A without a finite extent or of several parts; [`QueryError::PenetrationRigid`] with the
/// best effort when no free pose was found.
pub fn penetration_rigid(
    a: &Posed,
    b: &Posed,
    options: &RigidPenetrationOptions,
) -> Result<Option<RigidPenetration>, QueryError> {
    penetration_rigid_with(a, b, options, &mut Cache::default())
}

/// As [`penetration_rigid`], starting also from the poses at which the shapes were apart in earlier queries.
///
/// # Errors
/// As [`penetration_rigid`].
pub fn penetration_rigid_with(
    a: &Posed,
    b: &Posed,
    options: &RigidPenetrationOptions,
    cache: &mut Cache,
) -> Result<Option<RigidPenetration>, QueryError> {
    a.check("A")?;
    b.check("B")?;
    let kinds = [a, b].map(|posed| posed.part(0).shape.kind());
    let refused = |reason| QueryError::Unsupported { query: "the rigid penetration", shapes: kinds, reason };
    let Some(moving) = a.single() else {
        return Err(refused("A has several parts: a robot moves by its joints, which a work cell repairs"));
    };
    if !moving.shape.bounding_sphere().1.is_finite() {
        return Err(refused("A has no finite extent to measure a motion by: exchange A and B"));
    }
    if let Some(other) = b.single()
        && let Some([first, second]) = triangles_where_needed(moving, other)
    {
        let approximation = first.excess.max(second.excess);
        let (first, second) = ((&*first.model, &moving.pose), (&*second.model, &other.pose));
        let found = penetration_rigid_coherent(first, second, options, &mut cache.rigid)?;
        return Ok(found.map(|found| answer(&found, found.poses[0].base, approximation)));
    }
    let known = cache.relative_world.take().filter(|world| world.are_of(moving, b));
    let world = cache.relative_world.insert(known.map_or_else(|| RelativeWorld::new(moving, b), Ok)?);
    let (frame, approximation) = (b.part(0).pose, world.approximation);
    let found = world.search(moving, b, options, &mut cache.rigid)?;
    Ok(found.map(|found| answer(&found, frame * found.poses[0].base, approximation)))
}

/// The triangles of two shapes, at least one of which has no convex decomposition, or which have too many pieces or too many near
/// each other; `None` where both are unions of convex pieces, or where one has no triangles.
fn triangles_where_needed<'a>(a: &'a Part, b: &'a Part) -> Option<[&'a Triangles; 2]> {
    /// Maximum number of pairs of convex pieces, at a microsecond each in every step of a descent; of more the triangles are
    /// searched.
    const MAX_PAIRS: usize = 1 << 16;
    /// Maximum number of pairs whose bounding spheres meet: each is a row of the quadratic program of a step.
    const MAX_NEAR: usize = 1 << 10;
    let [of_a, of_b] = [a, b].map(|part| part.shape.searchable().convex_pieces());
    if let (Some(of_a), Some(of_b)) = (of_a, of_b)
        && (of_a.saturating_mul(of_b) <= MAX_PAIRS && !are_more_near([a, b], MAX_NEAR)
            || [a, b].iter().any(|part| part.shape.triangles().is_none()))
    {
        return None;
    }
    Some([a.shape.triangles()?, b.shape.triangles()?])
}

/// Whether the bounding spheres of more than so many pairs of convex pieces meet.
fn are_more_near([a, b]: [&Part; 2], limit: usize) -> bool {
    let a_to_b = b.pose.inv_mul(&a.pose);
    let [of_a, of_b] = [a, b].map(|part| part.shape.searchable());
    let mut near = 0;
    for piece in of_a.pieces() {
        let (center, radius) = (a_to_b * piece.ball.0, piece.ball.1);
        let meets = |(other, other_radius): (Point3<f64>, f64)| {
            (center - other).norm_squared() <= (radius + other_radius) * (radius + other_radius)
        };
        near += of_b.pieces().iter().filter(|other| meets(other.ball)).count();
        if near > limit {
            return true;
        }
    }
    false
}

fn answer(found: &GeneralizedPenetration, pose: Isometry3<f64>, approximation: f64) -> RigidPenetration {
    RigidPenetration {
        sigma: found.sigma,
        depth: found.depth,
        pose,
        clearance: found.clearance,
        verified_free: found.verified_free,
        iterations: found.iterations,
        ended_by: found.summary.end,
        approximation,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::geometry::TriangleMesh;
    use crate::geometry::procedural::{Cuboid, Procedural};
    use crate::query::Shape;

    #[test]
    fn unions_of_hundreds_of_pieces_are_searched_by_their_triangles() {
        let row = |count: usize| {
            let cube = Cuboid::default().mesh().unwrap();
            let at = |i: usize| cube.transformed(&Isometry3::translation(2.0 * i as f64, 0.0, 0.0));
            Shape::mesh(TriangleMesh::joined((0..count).map(at)).unwrap())
        };
        let by_triangles = |count: usize| {
            let (shape, apart) = (row(count), Isometry3::from(Vector3::repeat(0.1)));
            let (a, b) = (Posed::at_origin(&shape), Posed::new(&shape, apart));
            triangles_where_needed(a.part(0), b.part(0)).is_some()
        };
        assert!(!by_triangles(3) && by_triangles(300));
        // Of hundreds in all, as many as are near each other count.
        assert!(!by_triangles(200));
        let cube = Cuboid::default().mesh().unwrap();
        let all = Shape::mesh(TriangleMesh::joined((0..40).map(|_| cube.clone())).unwrap());
        let (a, b) = (Posed::at_origin(&all), Posed::new(&all, Isometry3::from(Vector3::repeat(0.1))));
        assert!(triangles_where_needed(a.part(0), b.part(0)).is_some());
    }
}
