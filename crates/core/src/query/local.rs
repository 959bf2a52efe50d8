//! One penetration depth for every region of an overlap.

use std::time::Instant;

use nalgebra::{Isometry3, Translation3, Vector3, center};

use super::error::QueryError;
use super::options::PenetrationOptions;
use super::pair::{ConvexMeshPair, ShapePair};
use super::penetration::penetration;
use super::posed::Posed;
use super::shape::used_vertices;
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::geometry::{Aabb, Solidity};
use crate::penetration::translational::options::deadline;
use crate::penetration::{self, LocalPenetration, Penetration};
use crate::proximity::Model;

/// The overlap of two shapes region by region, deepest first; empty where they are proved apart. Depths of regions are Euclidean
/// lengths, whatever the norm of the options.
///
/// Regions of two meshes that have not been measured when the time budget is spent have the direction and the depth of the
/// global penetration, which separate them, too, but need not be their shortest translation; if it is spent before the regions
/// are known, all intersecting triangles are one region.
///
/// # Errors
/// As [`penetration`](super::penetration).
pub fn local_penetrations(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
) -> Result<Vec<LocalPenetration>, QueryError> {
    // What is listed by then has to be sorted into regions.
    let until = deadline(options.time_budget);
    // One half is for the regions.
    let options =
        PenetrationOptions { time_budget: options.time_budget.map(|budget| budget / 2), ..*options };
    match penetration(a, b, &options)? {
        None => Ok(Vec::new()),
        Some(global) => local_penetrations_until(a, b, &global, until),
    }
}

/// The regions of an overlap whose global penetration is known.
///
/// Two convex shapes overlap in one region. A half-space and a mesh overlap in as many as its plane cuts off, and meshes in as
/// many as their intersection curve has components; the regions of a round shape are those of the polyhedron around
/// it ([`Penetration::approximation`]).
///
/// # Errors
/// [`QueryError::Shape`] when a half-space cannot be cut to the size of the mesh.
pub fn local_penetrations_of(
    a: &Posed,
    b: &Posed,
    global: &Penetration,
) -> Result<Vec<LocalPenetration>, QueryError> {
    local_penetrations_until(a, b, global, None)
}

/// As [`local_penetrations_of`], with a deadline: regions that have not been measured by then have the direction and the depth of
/// the global penetration, and if they are not known by then, the intersecting triangles found are one region.
///
/// # Errors
/// As [`local_penetrations_of`].
pub fn local_penetrations_until(
    a: &Posed,
    b: &Posed,
    global: &Penetration,
    deadline: Option<Instant>,
) -> Result<Vec<LocalPenetration>, QueryError> {
    let (first, second) = (a.part(global.parts[0]), b.part(global.parts[1]));
    if global.start.is_some()
        && let (Some(triangles_a), Some(triangles_b)) = (first.shape.triangles(), second.shape.triangles())
    {
        let (a, b) = (&triangles_a.model, &triangles_b.model);
        let global = global.polyhedron.as_deref().unwrap_or(global);
        let (a, b) = ((&**a, &first.pose), (&**b, &second.pose));
        return Ok(penetration::local_penetrations_until(a, b, global, deadline));
    }
    match ShapePair::new(first, second) {
        ShapePair::Mixed(mixed) if mixed.is_half_space() => of_half_space(&mixed, global),
        _ => Ok(vec![LocalPenetration {
            point: center(&global.witnesses[0], &global.witnesses[1]),
            normal: global.direction,
            depth: global.length(),
            patches: [Vec::new(), Vec::new()],
            is_measured: true,
        }]),
    }
}

/// The regions that a half-space cuts off a mesh: those of a box below its plane that contains all of the mesh there.
fn of_half_space(mixed: &ConvexMeshPair, global: &Penetration) -> Result<Vec<LocalPenetration>, QueryError> {
    /// Margin around the mesh, relative to its size: any positive one keeps the sides of the box out of the regions.
    const ROOM: f64 = 0.5;
    let ((shape, pose), (model, pose_of_model)) = (mixed.convex, mixed.mesh);
    let local = pose.inv_mul(pose_of_model);
    let vertices: Vec<_> = used_vertices(model).map(|vertex| local * vertex).collect();
    let bounds = Aabb::of_points(&vertices);
    let room = ROOM * bounds.extents().norm();
    let size = bounds.extents() + Vector3::repeat(2.0 * room);
    let depth = shape.radius() - bounds.min.z + room;
    let cut = Cuboid { x: size.x, y: size.y, z: depth, ..Cuboid::default() }.mesh();
    let cut = cut.map_err(|_| QueryError::OutOfRange { value: size.norm(), range: "sizes of a mesh" })?;
    let middle = Vector3::new(bounds.center().x, bounds.center().y, shape.radius() - 0.5 * depth);
    let pose_of_cut: Isometry3<f64> = pose * Translation3::from(middle);
    let cut = Model::new(cut, Solidity::Solid);
    let (mesh, below) = ((model, pose_of_model), (&cut, &pose_of_cut));
    let [(a, pose_a), (b, pose_b)] = if mixed.mesh_first { [mesh, below] } else { [below, mesh] };
    Ok(penetration::local_penetrations(a, pose_a, b, pose_b, global))
}
