//! Support functions: the point of a core that is extreme in a direction.

use nalgebra::Vector3;

use super::Core;

/// A point of a core that is extreme in a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Support {
    /// The point [m], frame of the core.
    pub(crate) point: Vector3<f64>,
    /// Which vertex it is, where the core has vertices; where to start the search for the next support.
    pub(crate) vertex: u32,
}

/// Start of a search for a support of which nothing is known.
pub(crate) const START_ANYWHERE: u32 = u32::MAX;

impl Core {
    /// A point extreme in `direction`, which needs no unit length and must not be zero; frame of the core.
    ///
    /// `start` is the `vertex` of a support nearby, or [`START_ANYWHERE`]. It never changes the support value.
    ///
    /// # Panics
    /// For a half-space, which has no extreme points.
    #[inline]
    pub(crate) fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        match self {
            Self::Point => Support { point: Vector3::zeros(), vertex: 0 },
            Self::Segment { half_length } => {
                let z = half_length.copysign(direction.z);
                Support { point: Vector3::new(0.0, 0.0, z), vertex: u32::from(z > 0.0) }
            }
            Self::Cuboid { half_extents } => {
                let point = half_extents.zip_map(direction, f64::copysign);
                let bit = |i: usize| u32::from(direction[i].is_sign_positive()) << i;
                Support { point, vertex: bit(0) | bit(1) | bit(2) }
            }
            Self::Cylinder { radius, half_height } => {
                let z = half_height.copysign(direction.z);
                Support { point: rim(*radius, direction, z), vertex: 0 }
            }
            Self::Cone { radius, half_height } => {
                // The apex is extreme where 2h·dz ≥ r·|d_xy|.
                let horizontal = direction.x.hypot(direction.y);
                if 2.0 * half_height * direction.z >= radius * horizontal {
                    Support { point: Vector3::new(0.0, 0.0, *half_height), vertex: 0 }
                } else {
                    Support { point: rim(*radius, direction, -half_height), vertex: 0 }
                }
            }
            Self::Hull(hull) => hull.support(direction, start),
            Self::HalfSpace => unreachable!("a half-space has no extreme points"),
        }
    }
}

/// The point of a circle at height `z` that is extreme in a direction.
fn rim(radius: f64, direction: &Vector3<f64>, z: f64) -> Vector3<f64> {
    let length = (direction.x * direction.x + direction.y * direction.y).sqrt();
    if length > 0.0 {
        let scale = radius / length;
        Vector3::new(direction.x * scale, direction.y * scale, z)
    } else {
        Vector3::new(radius, 0.0, z)
    }
}
