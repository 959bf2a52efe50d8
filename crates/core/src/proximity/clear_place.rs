//! Places far from the surface.

use nalgebra::Point3;

/// Voxels along the longest side of the box unless told otherwise. An odd number has a voxel in the middle. Holes
/// down to a twentieth of the size are seen; twice as many voxels cost eight times as much.
pub const RESOLUTION: u32 = 33;

/// Resolutions that are possible: the finest one takes 128 MiB while it is worked on.
pub const RESOLUTIONS: std::ops::RangeInclusive<u32> = 4..=256;

/// Places of either sort that are kept.
pub(super) const PLACES: usize = 64;

/// A place far from the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClearPlace {
    /// Where it is [m, body frame].
    pub point: Point3<f64>,
    /// Its distance from the surface [m].
    pub clearance: f64,
}

/// The maximally clear places of a mesh, and the same within its flesh.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearConfigurations {
    pub(super) resolution: u32,
    pub(super) free: Vec<ClearPlace>,
    pub(super) flesh: Vec<ClearPlace>,
}
