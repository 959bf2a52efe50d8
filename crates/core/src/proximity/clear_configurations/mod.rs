//! Maximally clear configurations: places in the holes and hollows of a mesh, and in its flesh, that are as far from
//! the surface as any place around them [Je12 §5.2].
//!
//! The box of the mesh is cut into voxels; each knows how far its centre is from the surface. A voxel is on a ridge
//! of that distance when it is no lower than its neighbours along at least two axes, and a true peak along one of
//! them: the middle of a hole through which a bar passes is a peak across the hole and none along it. Around a
//! convex body there is no such voxel, because the distance from it is a convex function. Ridges are then thinned
//! out, widest places first, and what is left is refined below the size of a voxel.
//!
//! Departs from [Je12]: ridges are looked for along all three axes in the same way, and places beyond the hull of the
//! mesh are left out, which replaces the removal of places on the border of the box; a ridge keeps several places, because the nearest one is wanted; places within
//! the flesh of a solid are kept apart, for they tell which part of a body fits into which hole of another one.

mod file;
mod slabs;
mod voxels;

use self::slabs::Slabs;
use self::voxels::{Ridge, Voxels};
use super::clear_place::{ClearConfigurations, ClearPlace, PLACES, RESOLUTION, RESOLUTIONS};
use super::model::Model;
use crate::geometry::triangle_mesh::Solidity;

/// Clearance of a place, in voxels, below which it is noise of the grid.
const LEAST_CLEARANCE: f64 = 0.5;
/// Distance between places, in clearances of the narrower one. With 1 a ridge keeps places whose balls just reach
/// each other's centres; smaller values keep more places that say much the same.
const SPACING: f64 = 0.5;
/// Lengths that differ by less, in voxels, are equal: the unit of length must not decide.
const SAME: f64 = 1e-9;

impl ClearConfigurations {
    pub(super) fn new(model: &Model, resolution: u32) -> Self {
        let resolution = resolution.clamp(*RESOLUTIONS.start(), *RESOLUTIONS.end());
        let voxels = Voxels::new(model, resolution);
        let least = LEAST_CLEARANCE * voxels.size();
        let ridges = voxels.ridges().filter(|ridge| ridge.place.clearance >= least);
        let is_flesh =
            |ridge: &Ridge| model.solidity() == Solidity::Solid && model.contains(&ridge.place.point);
        let (flesh, mut free): (Vec<_>, Vec<_>) = ridges.partition(is_flesh);
        let slabs = Slabs::new(model.mesh());
        free.retain(|ridge| slabs.contain(&ridge.place.point));
        let places = |ridges| {
            let thin = thinned(ridges, voxels.size()).into_iter();
            thin.map(|ridge| voxels.refined(model, &ridge)).collect::<Vec<_>>()
        };
        Self { resolution, free: places(free), flesh: places(flesh) }
    }

    /// Voxels along the longest side of the box.
    #[must_use]
    pub fn resolution(&self) -> u32 {
        self.resolution
    }

    /// Places outside the flesh, in holes and hollows; widest first. A mesh without an inside has no flesh.
    #[must_use]
    pub fn free(&self) -> &[ClearPlace] {
        &self.free
    }

    /// Places in the flesh of a solid; thickest first.
    #[must_use]
    pub fn flesh(&self) -> &[ClearPlace] {
        &self.flesh
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.free) + size_of_val(&*self.flesh)
    }
}

/// The widest ridges, at most [`PLACES`] and spread by [`SPACING`] and by a voxel at least.
fn thinned(mut ridges: Vec<Ridge>, voxel: f64) -> Vec<Ridge> {
    /// How much farther apart they must be where there are too many.
    const WIDER: f64 = 1.25;
    // Whole numbers, so that ridges of equal clearance stay in the order of the voxels; the sort is stable.
    let rank = |ridge: &Ridge| -(ridge.place.clearance / (SAME * voxel)).round();
    ridges.sort_by(|x, y| rank(x).total_cmp(&rank(y)));
    let mut wider = 1.0 - SAME;
    loop {
        let mut kept: Vec<Ridge> = Vec::new();
        for ridge in &ridges {
            let ClearPlace { point, clearance } = ridge.place;
            let apart = (SPACING * clearance).max(voxel) * wider;
            if kept.iter().all(|other| nalgebra::distance(&other.place.point, &point) >= apart) {
                kept.push(*ridge);
            }
        }
        if kept.len() <= PLACES {
            return kept;
        }
        (ridges, wider) = (kept, wider * WIDER);
    }
}

impl Model {
    /// The maximally clear places of the mesh [Je12 §5.2], made when first asked for with a [`RESOLUTION`] of 33
    /// voxels: tens of milliseconds.
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

    /// Makes the maximally clear places with so many voxels along the longest side of the box, taken into
    /// [`RESOLUTIONS`]. Holes narrower than two voxels are missed.
    pub fn prepare_clear_configurations(&mut self, resolution: u32) {
        self.clear_configurations = ClearConfigurations::new(self, resolution).into();
    }
}

#[cfg(test)]
mod tests;
