//! Maximally clear points of a mesh: local maxima of the distance from its surface.

use nalgebra::Point3;

/// Default number of voxels along the longest side of the box. An odd number puts a voxel in the middle. Holes down to
/// a twentieth of the size are resolved; twice the resolution costs eight times as much.
pub const RESOLUTION: u32 = 33;

/// Accepted resolutions: the finest one takes 128 MiB during the computation.
pub const RESOLUTIONS: std::ops::RangeInclusive<u32> = 4..=256;

/// Maximum number of stored points of either kind: more offer a search for free configurations more starts and cost it
/// time.
pub(super) const PLACES: usize = 64;

/// A local maximum of the distance from the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClearPlace {
    /// Position [m, body frame].
    pub point: Point3<f64>,
    /// Distance from the surface \[m\].
    pub clearance: f64,
}

/// The maximally clear points of a mesh, outside and inside of the solid that it bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearConfigurations {
    pub(super) resolution: u32,
    pub(super) free: Vec<ClearPlace>,
    pub(super) interior: Vec<ClearPlace>,
}
