//! Packets of triangles, their boxes and layers, in single precision and rounded outwards.
//!
//! A layer (a slab) is the space between two parallel planes that bound a patch of surface. A patch of a finely meshed
//! surface is nearly flat, while an axis-aligned box around it may be as thick as the patch is wide. The layer along
//! its mean normal is as thin as its curvature allows, and separates surfaces that nearly touch [Gottschalk et al.,
//! SIGGRAPH 1996, on tight volumes at parallel close proximity].

use nalgebra::{Point3, Vector3};

/// Triangles of a leaf.
pub(crate) const PACKET: usize = 4;

/// Marks a packet lane without a triangle and a node lane without a child.
pub(crate) const NONE: u32 = u32::MAX;

/// A conservative axis-aligned box in single precision, rounded outwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// The smallest such box around three points.
    pub(crate) fn of_triangle(corners: &[Point3<f64>; 3]) -> Self {
        let mut bounds = Self::EMPTY;
        for k in 0..3 {
            let [a, b, c] = [corners[0][k], corners[1][k], corners[2][k]];
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            bounds.min[k] = below(if c < low { c } else { low });
            bounds.max[k] = above(if c > high { c } else { high });
        }
        bounds
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    #[inline(always)]
    pub(crate) fn center(&self) -> [f64; 3] {
        let (min, max) = (&self.min, &self.max);
        let middle = [
            f64::from(min[0]) + f64::from(max[0]),
            f64::from(min[1]) + f64::from(max[1]),
            f64::from(min[2]) + f64::from(max[2]),
        ];
        [0.5 * middle[0], 0.5 * middle[1], 0.5 * middle[2]]
    }

    #[inline(always)]
    pub(crate) fn half_extents(&self) -> [f64; 3] {
        let (min, max) = (&self.min, &self.max);
        let full = [
            f64::from(max[0]) - f64::from(min[0]),
            f64::from(max[1]) - f64::from(min[1]),
            f64::from(max[2]) - f64::from(min[2]),
        ];
        [0.5 * full[0], 0.5 * full[1], 0.5 * full[2]]
    }

    /// Half the surface area.
    #[inline(always)]
    pub(crate) fn half_area(&self) -> f32 {
        let (x, y, z) = (self.max[0] - self.min[0], self.max[1] - self.min[1], self.max[2] - self.min[2]);
        x * y + y * z + z * x
    }
}

/// The maximum `f32` that is not above `x`.
#[inline(always)]
pub(crate) fn below(x: f64) -> f32 {
    let rounded = x as f32;
    // One step down lessens the bits of a positive number and increases those of a negative one; −0 is one, and +0
    // is never above x. No branch: half of all numbers are rounded up.
    let step = u32::from(f64::from(rounded) > x);
    let sign = (rounded.to_bits().cast_signed() >> 31).cast_unsigned();
    f32::from_bits(rounded.to_bits().wrapping_sub((step ^ sign).wrapping_sub(sign)))
}

/// The minimum `f32` that is not below `x`.
#[inline(always)]
pub(crate) fn above(x: f64) -> f32 {
    -below(-x)
}

/// Four triangles side by side: `corners[corner][axis][lane]` [m], in the frame of the tree.
#[derive(Debug, Clone, PartialEq)]
#[repr(C)]
pub(crate) struct Packet {
    pub(crate) corners: [[[f64; PACKET]; 3]; 3],
    /// Triangle of each lane, or [`NONE`]; a lane without a triangle repeats the first one's corners.
    pub(crate) triangles: [u32; PACKET],
    /// The layer around the triangles.
    pub(crate) layer: Layer,
}

impl Packet {
    pub(crate) fn new(triangles: &[u32], corners: impl Fn(u32) -> [Point3<f64>; 3]) -> Self {
        let mut packet =
            Self { corners: [[[0.0; PACKET]; 3]; 3], triangles: [NONE; PACKET], layer: Layer::EVERYWHERE };
        packet.triangles[..triangles.len()].copy_from_slice(triangles);
        packet.fill(corners);
        packet
    }

    /// Sets the corners of the packet's triangles from `corners`, and its layer.
    pub(crate) fn fill(&mut self, corners: impl Fn(u32) -> [Point3<f64>; 3]) {
        for lane in 0..PACKET {
            let triangle =
                if self.triangles[lane] == NONE { self.triangles[0] } else { self.triangles[lane] };
            for (slot, point) in self.corners.iter_mut().zip(corners(triangle)) {
                for axis in 0..3 {
                    slot[axis][lane] = point[axis];
                }
            }
        }
        let areas = Areas::of(self);
        self.layer = Layer::around(std::slice::from_ref(self), &areas);
    }

    /// Triangles of the packet with their lanes.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.triangles.iter().copied().enumerate().take_while(|&(_, triangle)| triangle != NONE)
    }

    /// Corners of one lane's triangle.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> [[f64; 3]; 3] {
        let mut corners = [[0.0; 3]; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                corners[corner][axis] = self.corners[corner][axis][lane];
            }
        }
        corners
    }

    /// The box around the packet's triangles.
    pub(crate) fn bounds(&self) -> Bounds {
        self.lanes().fold(Bounds::EMPTY, |hull, (lane, _)| {
            let corners = self.triangle(lane).map(Point3::from);
            hull.union(&Bounds::of_triangle(&corners))
        })
    }
}

/// Minimum ratio of the vector area of a patch to its area for a layer: 1 is flat, 0 closed. Below it a layer excludes
/// hardly anything that the box does not, and costs a test of every pair. Chosen, not tuned.
const FLAT: f64 = 0.5;

/// Replaces infinity: far beyond any coordinate, and finite, so that no product with it is NaN.
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

/// The area of a patch and its vector area ½ ∮ r × dr, the sum of its unit normals times their areas [m²].
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

    /// The layer that bounds some packets of these areas along their mean normal; all of space where they are far from
    /// flat.
    pub(crate) fn around(packets: &[Packet], areas: &Areas) -> Self {
        let length = areas.vector.norm();
        // NaN fails, and so does a patch that folds back on itself: its mean normal bounds nothing tightly.
        if !(length > FLAT * areas.scalar) {
            return Self::EVERYWHERE;
        }
        // Heights are taken along the rounded normal, so that the layer bounds exactly along what is stored.
        let normal: [f32; 3] = (areas.vector / length).map(|x| x as f32).into();
        let exact = normal.map(f64::from);
        // One accumulator per lane, which vectorises; the minimum does not depend on the order.
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
