//! Penetration depth among rigid motions.

use nalgebra::Isometry3;

use super::cache::Cache;
use super::error::QueryError;
use super::posed::{Part, Posed};
use super::shape::Triangles;
use crate::kinematics::Articulation;
use crate::penetration::generalized::{
    Arrangement, Base, GeneralizedCoherence, GeneralizedPenetration, Mover, Obstacle, Shape, rigid_coherent,
};
use crate::penetration::object_norm::{Extent, ObjectNorm};
use crate::proximity::AllowedCollisions;

pub use crate::penetration::generalized::GeneralizedOptions as RigidPenetrationOptions;

/// The least rigid motion of A found after which it is apart from B.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidPenetration {
    /// σ [m²]: the mean squared displacement of the points of A, the object norm [Tang14].
    pub sigma: f64,
    /// √σ [m].
    pub depth: f64,
    /// Pose of A after the motion, body to world.
    pub pose: Isometry3<f64>,
    /// Distance of the shapes there [m], as far as it was looked for.
    pub clearance: f64,
    /// Whether collision queries that know nothing of the search found that pose free.
    pub verified_free: bool,
    /// Steps of all descents.
    pub iterations: u32,
    /// Distance [m] by which the polyhedra that stood for round shapes extend beyond them; zero where none did.
    pub approximation: f64,
}

/// The least rigid motion of A, rotation included, that separates it from B; `None` where they are proved apart.
///
/// A is one shape; B may have several parts. Convex shapes, and meshes that are unions of convex components, are searched by
/// their certified signed distances. Where only triangles are known of one of them, a round shape is replaced by a polyhedron
/// that contains it, so that the answer is free for the shape as well; [`RigidPenetration::approximation`] is how far it
/// extends.
///
/// # Errors
/// [`QueryError::Unsupported`] of an A without a finite extent or of several parts; [`QueryError::PenetrationRigid`] with the
/// best effort when no free pose was found.
pub fn penetration_rigid(
    a: &Posed,
    b: &Posed,
    options: &RigidPenetrationOptions,
) -> Result<Option<RigidPenetration>, QueryError> {
    search(a, b, options, None)
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
    search(a, b, options, Some(&mut cache.rigid))
}

fn search(
    a: &Posed,
    b: &Posed,
    options: &RigidPenetrationOptions,
    coherence: Option<&mut GeneralizedCoherence>,
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
    if let Some(resting) = b.single()
        && let Some([first, second]) = triangles_where_needed(moving, resting)
    {
        let fresh = &mut GeneralizedCoherence::default();
        let approximation = first.excess.max(second.excess);
        let (first, second) = ((&*first.model, &moving.pose), (&*second.model, &resting.pose));
        let found = rigid_coherent(first, second, options, coherence.unwrap_or(fresh))?;
        return Ok(found.map(|found| answer(&found, found.poses[0].base, approximation)));
    }
    Pieces::new(moving, b)?.search(options, coherence)
}

/// The triangles of two shapes, at least one of which is known by its triangles alone; `None` where both are unions of
/// convex pieces, or where one has no triangles.
fn triangles_where_needed<'a>(a: &'a Part, b: &'a Part) -> Option<[&'a Triangles; 2]> {
    let is_union = |part: &Part| part.shape.searchable().convex_pieces().is_some();
    if is_union(a) && is_union(b) {
        return None;
    }
    Some([a.shape.triangles()?, b.shape.triangles()?])
}

/// A mover and obstacles in the frame of B's first part, which makes the answer independent of where both are.
struct Pieces {
    arrangement: Arrangement,
    frame: Isometry3<f64>,
    start: Isometry3<f64>,
    approximation: f64,
}

impl Pieces {
    fn new(a: &Part, b: &Posed) -> Result<Self, QueryError> {
        let frame = b.part(0).pose;
        let mut approximation = 0.0_f64;
        let shapes: Vec<_> = std::iter::once(a).chain(b.parts()).map(|part| part.shape).collect();
        let all_pieces = shapes.iter().all(|shape| shape.searchable().convex_pieces().is_some());
        let mut shapes = shapes.into_iter().map(|shape| match shape.triangles().filter(|_| !all_pieces) {
            Some(triangles) => {
                approximation = approximation.max(triangles.excess);
                Shape::of_model(std::sync::Arc::clone(&triangles.model))
            }
            None => shape.searchable(),
        });
        let mover = mover(a, shapes.next().expect("the first shape is that of A"))?;
        let obstacles = shapes.zip(b.parts());
        let obstacles = obstacles.map(|(shape, part)| Obstacle { shape, pose: frame.inv_mul(&part.pose) });
        let arrangement = Arrangement::new(vec![mover], obstacles.collect())?;
        let start = frame.inverse() * a.pose;
        Ok(Self { arrangement, frame, start, approximation })
    }

    fn search(
        &self,
        options: &RigidPenetrationOptions,
        coherence: Option<&mut GeneralizedCoherence>,
    ) -> Result<Option<RigidPenetration>, QueryError> {
        let poses = [self.start.into()];
        let found = match coherence {
            Some(coherence) => self.arrangement.penetration_coherent(&poses, options, coherence),
            None => self.arrangement.penetration(&poses, options),
        }?;
        Ok(found.map(|found| answer(&found, self.frame * found.poses[0].base, self.approximation)))
    }
}

/// A rigid body; the motion of a rounded shape without a closed form is measured by the polyhedron around it.
fn mover(a: &Part, shape: Shape) -> Result<Mover, QueryError> {
    let articulation = Articulation::new(vec![String::from("A")], Vec::new())?;
    let allowed = AllowedCollisions::default();
    let made = Mover::new(articulation.clone(), vec![Some(shape.clone())], allowed.clone(), Base::Floating);
    let Some(triangles) = a.shape.triangles().filter(|_| made.is_err()) else { return Ok(made?) };
    let extent = Extent::of_mesh(triangles.model.mesh(), triangles.model.solidity());
    let norm = extent.and_then(|extent| ObjectNorm::new(&articulation, vec![Some(extent)]));
    Ok(Mover::with_norm(norm?, vec![Some(shape)], allowed, Base::Floating))
}

fn answer(found: &GeneralizedPenetration, pose: Isometry3<f64>, approximation: f64) -> RigidPenetration {
    RigidPenetration {
        sigma: found.sigma,
        depth: found.depth,
        pose,
        clearance: found.clearance,
        verified_free: found.verified_free,
        iterations: found.iterations,
        approximation,
    }
}
