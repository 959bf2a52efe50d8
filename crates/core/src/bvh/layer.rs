//! Layers: the space between two parallel planes around a patch of surface.
//!
//! A patch of a finely meshed surface is nearly flat, and an axis-aligned box around it is as thick as the patch is
//! wide. The layer along its mean normal is as thin as its curvature allows; where two surfaces nearly touch it is
//! what tells them apart [Gottschalk et al., SIGGRAPH 1996, on tight volumes at parallel close proximity].

use nalgebra::Vector3;

use super::node::{Packet, above, below};

/// Share of the area that the vector area of a patch must have for its layer to tell anything that its box does not.
const FLAT: f64 = 0.5;
/// Stands for infinity: far beyond any coordinate, and its products with reciprocals are never NaN.
const FAR: f32 = 1e30;

/// All points p with `low` ≤ `normal`·p ≤ `high` [m], in the frame of the tree; in single precision, rounded outwards.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct Layer {
    /// Direction across the layer; a unit vector up to rounding.
    pub(crate) normal: [f32; 3],
    pub(crate) low: f32,
    pub(crate) high: f32,
}

/// The area of a patch, and its vector area ½ ∮ r × dr: the sum of its normals times their areas [m²].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Areas {
    vector: Vector3<f64>,
    scalar: f64,
}

impl Areas {
    pub(crate) fn of(packet: &Packet) -> Self {
        packet.lanes().fold(Self::default(), |sums, (lane, _)| {
            let [a, b, c] = packet.triangle(lane).map(Vector3::from);
            let vector = 0.5 * (b - a).cross(&(c - a));
            sums.plus(&Self { vector, scalar: vector.norm() })
        })
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self { vector: self.vector + other.vector, scalar: self.scalar + other.scalar }
    }
}

impl Layer {
    /// All of space.
    pub(crate) const EVERYWHERE: Self = Self { normal: [1.0, 0.0, 0.0], low: -FAR, high: FAR };

    /// The layer around some packets of these areas along their mean normal; all of space where they are far from flat.
    pub(crate) fn around(packets: &[Packet], areas: &Areas) -> Self {
        let length = areas.vector.norm();
        if !(length > FLAT * areas.scalar) {
            return Self::EVERYWHERE;
        }
        let normal: [f32; 3] = (areas.vector / length).map(|x| x as f32).into();
        let exact = normal.map(f64::from);
        let mut low = [f64::INFINITY; 4];
        let mut high = [f64::NEG_INFINITY; 4];
        for corner in packets.iter().flat_map(|packet| &packet.corners) {
            for lane in 0..4 {
                let height =
                    exact[0] * corner[0][lane] + exact[1] * corner[1][lane] + exact[2] * corner[2][lane];
                low[lane] = if height < low[lane] { height } else { low[lane] };
                high[lane] = if height > high[lane] { height } else { high[lane] };
            }
        }
        let low = low.into_iter().fold(f64::INFINITY, f64::min);
        let high = high.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self { normal, low: below(low), high: above(high) }
    }
}
