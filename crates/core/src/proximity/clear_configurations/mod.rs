//! Maximally clear configurations: places in the holes and concavities of a mesh, and in its interior, at which the
//! distance to the surface is locally maximal [Je12 §5.2].
//!
//! The bounding box of the mesh is voxelized, and the distance from each voxel's centre to the surface is computed. A
//! voxel is on a ridge of the distance field when its distance is not less than that of its neighbours along at least two
//! axes, and a strict maximum along one of them: the middle of a hole through which a bar passes is a maximum across the
//! hole but not along it. Outside a convex body there is no such voxel, because the distance from it is a convex function.
//! Ridges are then thinned out, places of the largest clearance first, and the remaining ones are refined below the size
//! of a voxel.
//!
//! Departs from [Je12]: ridges are detected along all three axes alike, and places beyond the hull of the mesh are
//! discarded, which replaces the removal of places on the boundary of the box; a ridge keeps several places, because the
//! nearest one is needed; places in the interior of a solid are listed separately, because they show which part of a body
//! fits into which hole of another one.

mod file;
mod slabs;
mod voxels;

use self::slabs::Slabs;
use self::voxels::{Ridge, Voxels};
use super::clear_place::{ClearConfigurations, ClearPlace, PLACES, RESOLUTION, RESOLUTIONS};
use super::model::Model;
use crate::geometry::triangle_mesh::Solidity;

/// Minimum clearance of a place, in voxels: a smaller one is discretisation noise of the grid (step 3 of [Je12 §5.2]).
const MIN_CLEARANCE: f64 = 0.5;
/// Minimum distance between two places, relative to the clearance of the narrower one. With 1, the clearance balls of
/// two places just reach each other's centres; smaller values keep more, nearly redundant places.
const SPACING: f64 = 0.5;
/// Lengths that differ by less, in voxels, are considered equal: results must not depend on the unit of length.
const SAME: f64 = 1e-9;

impl ClearConfigurations {
    pub(super) fn new(model: &Model, resolution: u32) -> Self {
        let resolution = resolution.clamp(*RESOLUTIONS.start(), *RESOLUTIONS.end());
        let slabs = Slabs::new(model.mesh());
        let voxels = Voxels::new(model, &slabs, resolution);
        let min = MIN_CLEARANCE * voxels.size();
        let ridges = voxels.ridges().filter(|ridge| ridge.place.clearance >= min);
        let is_interior =
            |ridge: &Ridge| model.solidity() == Solidity::Solid && model.contains(&ridge.place.point);
        let (interior, mut free): (Vec<_>, Vec<_>) = ridges.partition(is_interior);
        // Beyond the hull there are ridges too, equally far from several parts of the mesh, but no holes.
        free.retain(|ridge| slabs.contain(&ridge.place.point));
        let places = |ridges| {
            let thin = thinned(ridges, voxels.size()).into_iter();
            thin.map(|ridge| voxels.refined(model, &ridge)).collect::<Vec<_>>()
        };
        Self { resolution, free: places(free), interior: places(interior) }
    }

    /// Number of voxels along the longest side of the bounding box.
    #[must_use]
    pub fn resolution(&self) -> u32 {
        self.resolution
    }

    /// Places outside the interior, in holes and concavities; largest clearance first. A surface has no interior.
    #[must_use]
    pub fn free(&self) -> &[ClearPlace] {
        &self.free
    }

    /// Places in the interior of a solid; largest clearance first.
    #[must_use]
    pub fn interior(&self) -> &[ClearPlace] {
        &self.interior
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.free) + size_of_val(&*self.interior)
    }
}

/// Ridges of the largest clearance, at most [`PLACES`], at least [`SPACING`] and one voxel apart.
fn thinned(mut ridges: Vec<Ridge>, voxel: f64) -> Vec<Ridge> {
    /// Growth of the spacing while there are too many places.
    const WIDER: f64 = 1.25;
    // Rounded to whole numbers, so that ridges of equal clearance stay in the order of the voxels; the sort is stable.
    let rank = |ridge: &Ridge| -(ridge.place.clearance / (SAME * voxel)).round();
    ridges.sort_by(|x, y| rank(x).total_cmp(&rank(y)));
    let mut wider = 1.0 - SAME;
    loop {
        let mut spread: Vec<Ridge> = Vec::new();
        for ridge in &ridges {
            let ClearPlace { point, clearance } = ridge.place;
            let apart = (SPACING * clearance).max(voxel) * wider;
            if spread.iter().all(|other| nalgebra::distance(&other.place.point, &point) >= apart) {
                spread.push(*ridge);
            }
        }
        if spread.len() <= PLACES {
            return spread;
        }
        (ridges, wider) = (spread, wider * WIDER);
    }
}

impl Model {
    /// Maximally clear places of the mesh [Je12 §5.2], computed on first use with a [`RESOLUTION`] of 33 voxels in tens
    /// of milliseconds.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    /// use extricate_core::proximity::Model;
    ///
    /// let ring = Torus { major_radius: 1.0, minor_radius: 0.25, ..Torus::default() };
    /// let ring = Model::new(ring.mesh()?, Solidity::Solid);
    /// let hole = ring.clear_configurations().free()[0];
    /// assert!(hole.point.x.hypot(hole.point.y) < 0.01 && hole.clearance > 0.74);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clear_configurations(&self) -> &ClearConfigurations {
        self.clear_configurations.get_or_init(|| ClearConfigurations::new(self, RESOLUTION))
    }

    /// Computes the maximally clear places with `resolution` voxels along the longest side of the bounding box, clamped
    /// to [`RESOLUTIONS`]. Holes narrower than two voxels are missed.
    pub fn prepare_clear_configurations(&mut self, resolution: u32) {
        self.clear_configurations = ClearConfigurations::new(self, resolution).into();
    }
}

#[cfg(test)]
mod tests;
