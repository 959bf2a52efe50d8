//! Local penetrations: one depth for each region in which two models overlap [Je12 §6.3].
//!
//! A region is a connected piece of the curve in which the surfaces intersect, with the patches of both surfaces
//! that it bounds inside the other model. Its depth is the length of a translation that separates its patches,
//! regardless of the other regions.
//!
//! Departs from [Je12], which projects the global depth on every contact normal, dᵢ = (d·nᵢ) nᵢ: there, a shallow
//! region beside a deep one of the same normal gets the depth of the deep one. The normal of a region is that of the
//! vector area ½∮ r × dr of its curve, which does not depend on how the patches are triangulated.

mod curve;
mod regions;

use std::time::Instant;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use self::regions::Region;
use super::translational::answer::Penetration;
use super::translational::walk::ContactSpace;
use crate::proximity::collision::intersecting_pairs_until;
use crate::proximity::model::Model;
use crate::proximity::patch::Patch;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::time_of_contact::{Cast, Hit};
use crate::proximity::work_limit::WorkLimit;

/// Work for the regions of a pair relative to that of a search: the densest overlaps of meshes of other people take a quarter of it.
const EFFORT: u64 = 4;

/// The overlap of two models in one region; world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalPenetration {
    /// Centroid of the intersection curve of the surfaces \[m\].
    pub point: Point3<f64>,
    /// Direction in which A must move to separate the region.
    pub normal: Unit<Vector3<f64>>,
    /// Distance that A must move along the normal until the region's patches are separated \[m\].
    pub depth: f64,
    /// Triangles of A and of B that intersect in the region or lie inside the other solid there, in order.
    pub patches: [Vec<u32>; 2],
    /// Whether normal and depth are those of the region. False where a bound on work or time was met first: then they are those of
    /// the global penetration, which separate the region as well, and `patches` may be incomplete.
    pub is_measured: bool,
}

/// The local penetrations [Je12 §6.3] of two models whose global penetration is `global`, deepest first.
///
/// Where one model is inside the other without intersecting surfaces there is one region, and its depth is the
/// global one. A surface has no inside: its patches are the triangles that intersect. Poses map body to world
/// coordinates.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{TranslationalOptions, local_penetrations, penetration};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.6, 0.1, 0.2));
/// let global = penetration(&cube, &here, &cube, &there, &TranslationalOptions::default())?.expect("an overlap");
/// let regions = local_penetrations(&cube, &here, &cube, &there, &global);
/// assert_eq!(regions.len(), 1);
/// assert!((regions[0].depth - 0.4).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn local_penetrations(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    global: &Penetration,
) -> Vec<LocalPenetration> {
    local_penetrations_until((a, pose_a), (b, pose_b), global, None)
}

/// As [`local_penetrations`], with a deadline. Regions that have not been measured by then, or by the bound on work, have the
/// global direction and depth ([`LocalPenetration::is_measured`]). Where the regions themselves are not known by then, all
/// intersecting triangles are one; half of the time is for listing those, and they are the ones listed by then.
pub(crate) fn local_penetrations_until(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    global: &Penetration,
    deadline: Option<Instant>,
) -> Vec<LocalPenetration> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let to_world = |point: &Point3<f64>| pose_b * (b.center() + point.coords);
    let mut pairs = Vec::new();
    let half = deadline.map(|deadline| {
        let now = Instant::now();
        now + deadline.saturating_duration_since(now) / 2
    });
    let mut listing = WorkLimit::new(EFFORT * WorkLimit::between(a, b, None).left(), half);
    let complete = intersecting_pairs_until(a, b, &a_to_b, &mut listing, &mut pairs);
    if pairs.is_empty() {
        let smaller = if a.radius() < b.radius() { pose_a * a.center() } else { pose_b * b.center() };
        // One model inside the other, or a limit that was spent before any pair was found.
        let of_region = |model: &Model| if complete { model.mesh().triangles().len() as u32 } else { 0 };
        return vec![LocalPenetration {
            point: smaller,
            normal: global.direction,
            depth: global.length(),
            patches: [a, b].map(|model| (0..of_region(model)).collect()),
            is_measured: complete,
        }];
    }
    let along_global = pose_b.rotation.inverse() * global.direction.into_inner();
    let mut limit = WorkLimit::new(if complete { listing.left() } else { 0 }, deadline);
    let found = complete.then(|| regions::regions((a, b), &a_to_b, &pairs, &mut limit)).flatten();
    let regions = found.unwrap_or_else(|| vec![Region::of_all(pairs)]);
    let mut depths = RegionDepths::new((a, b), &a_to_b, limit);
    let mut local = regions
        .into_iter()
        .map(|region| {
            let curve = curve::measure([a, b], &a_to_b, &region.pairs, depths.limit());
            let measured = depths.separate(&region, [curve.vector_area, along_global]);
            let (normal, depth) = measured.unwrap_or((along_global, global.length()));
            LocalPenetration {
                point: to_world(&curve.centroid),
                normal: Unit::new_normalize(pose_b.rotation * normal),
                depth,
                patches: region.patches,
                is_measured: measured.is_some(),
            }
        })
        .collect::<Vec<_>>();
    local.sort_by(|x, y| y.depth.total_cmp(&x.depth));
    local
}

/// Depths of the regions of a pair, which share its obstacles.
struct RegionDepths<'a> {
    space: ContactSpace<'a>,
    patches: [Patch; 2],
    hits: Vec<Hit>,
}

impl<'a> RegionDepths<'a> {
    fn new((a, b): (&'a Model, &'a Model), a_to_b: &RelativePose, limit: WorkLimit) -> Self {
        let patches = [a, b].map(|model| Patch::new(model.bvh(), model.mesh().triangles().len()));
        let mut space = ContactSpace::new(a, b, *a_to_b, 0.0, 0);
        space.obstacles.limit = limit;
        Self { space, patches, hits: Vec::new() }
    }

    /// The limit from which all measurements spend.
    fn limit(&mut self) -> &mut WorkLimit {
        &mut self.space.obstacles.limit
    }

    /// The shorter of the separating translations along the curve's normal and along the global direction: unit direction in
    /// the frame of B's tree, and length [m]; `None` if the limit is spent before they are known.
    fn separate(
        &mut self,
        region: &Region,
        [vector_area, global]: [Vector3<f64>; 2],
    ) -> Option<(Vector3<f64>, f64)> {
        /// Cosine between normal and global direction beyond which the global direction decides the sign of the normal, so
        /// that inside-out meshes do no harm; nearer to perpendicular the orientation of the meshes decides. No effect on
        /// the sets of docs/sensitivity.md.
        const DECISIVE: f64 = 0.1;
        if self.limit().spend() {
            return None;
        }
        self.patches.iter_mut().zip(&region.patches).for_each(|(patch, triangles)| patch.set(triangles));
        let along_global = (global, self.depth_along(&global)?);
        let Some(normal) = vector_area.try_normalize(0.0) else { return Some(along_global) };
        let outwards = if normal.dot(&global) < -DECISIVE { -normal } else { normal };
        let along_normal = (outwards, self.depth_along(&outwards)?);
        // Both separate the region; the shorter one is its depth.
        Some(if along_normal.1 <= along_global.1 { along_normal } else { along_global })
    }

    /// Depth of the current patches along a unit direction [m]; `None` if the limit is spent before it is known.
    fn depth_along(&mut self, direction: &Vector3<f64>) -> Option<f64> {
        let length = self.space.outside(direction);
        let (from, inwards) = (direction * length, -direction);
        // From outside inwards, between the patches alone: the other regions do not count.
        let cast = Cast { from, direction: inwards, length, margin: 0.0, window: 0.0, worse_than: 0.0 };
        let met = cast.run_between(&mut self.space.obstacles, Some(&self.patches), &mut self.hits);
        (!self.space.obstacles.limit.is_spent()).then(|| met.map_or(0.0, |met| length - met))
    }
}

#[cfg(test)]
mod tests;
