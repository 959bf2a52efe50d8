//! The nodes of the tree: eight child boxes side by side, and leaves of four triangles side by side.

use nalgebra::Point3;

use super::layer::{Areas, Layer};

/// Children of a node.
pub(crate) const WIDTH: usize = 8;
/// Triangles of a leaf.
pub(crate) const PACKET: usize = 4;
/// Marks a packet lane without a triangle and a node lane without a child.
pub(crate) const NONE: u32 = u32::MAX;
/// Set in a child's index when the child is a leaf.
const LEAF: u32 = 1 << 31;

/// What a lane of a node leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    /// Index of an inner node.
    Inner(u32),
    /// Index of a packet.
    Leaf(u32),
}

/// Eight child boxes in single precision, rounded outwards; the box of an empty lane is a point at infinity, which
/// overlaps nothing and which no ray enters.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Node {
    pub(crate) min: [[f32; WIDTH]; 3],
    pub(crate) max: [[f32; WIDTH]; 3],
    pub(crate) layers: Layers,
    children: [u32; WIDTH],
}

/// Eight layers side by side, one around each child; see [`Layer`].
#[derive(Debug, Clone, PartialEq)]
#[repr(C)]
pub(crate) struct Layers {
    pub(crate) normal: [[f32; WIDTH]; 3],
    pub(crate) low: [f32; WIDTH],
    pub(crate) high: [f32; WIDTH],
}

impl Layers {
    const EVERYWHERE: Self = Self {
        normal: [
            [Layer::EVERYWHERE.normal[0]; WIDTH],
            [Layer::EVERYWHERE.normal[1]; WIDTH],
            [Layer::EVERYWHERE.normal[2]; WIDTH],
        ],
        low: [Layer::EVERYWHERE.low; WIDTH],
        high: [Layer::EVERYWHERE.high; WIDTH],
    };

    fn set(&mut self, lane: usize, layer: &Layer) {
        for axis in 0..3 {
            self.normal[axis][lane] = layer.normal[axis];
        }
        (self.low[lane], self.high[lane]) = (layer.low, layer.high);
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Layer {
        Layer {
            normal: [self.normal[0][lane], self.normal[1][lane], self.normal[2][lane]],
            low: self.low[lane],
            high: self.high[lane],
        }
    }
}

/// What is around a subtree: a box and a layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Volume {
    pub(crate) bounds: Bounds,
    pub(crate) layer: Layer,
}

impl Node {
    pub(crate) const EMPTY: Self = Self {
        min: [[f32::INFINITY; WIDTH]; 3],
        max: [[f32::INFINITY; WIDTH]; 3],
        layers: Layers::EVERYWHERE,
        children: [NONE; WIDTH],
    };

    /// Where `lane` leads, if anywhere.
    #[inline(always)]
    pub(crate) fn child(&self, lane: usize) -> Option<Child> {
        match self.children[lane] {
            NONE => None,
            leaf if leaf & LEAF != 0 => Some(Child::Leaf(leaf & !LEAF)),
            inner => Some(Child::Inner(inner)),
        }
    }

    pub(crate) fn set(&mut self, lane: usize, child: Child, bounds: &Bounds) {
        self.hang(lane, child);
        self.set_bounds(lane, bounds);
    }

    /// Sets where `lane` leads; its box is to be set yet.
    pub(crate) fn hang(&mut self, lane: usize, child: Child) {
        self.children[lane] = match child {
            Child::Inner(index) => index,
            Child::Leaf(index) => index | LEAF,
        };
    }

    /// Adds to the indices of the children.
    pub(crate) fn shift(&mut self, nodes: u32, packets: u32) {
        for child in self.children.iter_mut().filter(|child| **child != NONE) {
            *child += if *child & LEAF == 0 { nodes } else { packets };
        }
    }

    pub(crate) fn set_bounds(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    pub(crate) fn set_layer(&mut self, lane: usize, layer: &Layer) {
        self.layers.set(lane, layer);
    }

    /// What is around one lane.
    #[inline(always)]
    pub(crate) fn volume(&self, lane: usize) -> Volume {
        Volume { bounds: self.bounds(lane), layer: self.layers.get(lane) }
    }

    /// The box of one lane.
    #[inline(always)]
    pub(crate) fn bounds(&self, lane: usize) -> Bounds {
        Bounds {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    /// The box around all lanes.
    pub(crate) fn hull(&self) -> Bounds {
        let used = (0..WIDTH).filter(|&lane| self.children[lane] != NONE);
        used.fold(Bounds::EMPTY, |hull, lane| hull.union(&self.bounds(lane)))
    }
}

/// A box in single precision that is never smaller than what it bounds.
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

/// The greatest `f32` that is not above `x`.
#[inline(always)]
pub(crate) fn below(x: f64) -> f32 {
    let rounded = x as f32;
    // One step down lessens the bits of a positive number and increases those of a negative one; −0 is one, and +0
    // is never above x. No branch: half of all numbers are rounded up.
    let step = u32::from(f64::from(rounded) > x);
    let sign = (rounded.to_bits().cast_signed() >> 31).cast_unsigned();
    f32::from_bits(rounded.to_bits().wrapping_sub((step ^ sign).wrapping_sub(sign)))
}

/// The least `f32` that is not below `x`.
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

    /// Copies the corners of the packet's triangles from `corners`.
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
