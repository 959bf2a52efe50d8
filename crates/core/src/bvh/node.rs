//! The nodes of the tree: eight child boxes side by side, and leaves of four triangles side by side.

use super::packet::{Bounds, Layer, NONE};

/// Children of a node.
pub(crate) const WIDTH: usize = 8;
/// Set in a child's index when the child is a leaf.
const LEAF: u32 = 1 << 31;

/// The child in a lane of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    /// Index of an inner node.
    Inner(u32),
    /// Index of a packet.
    Leaf(u32),
}

/// Eight child boxes in single precision, rounded outwards; the box of an empty lane is a point at infinity, which
/// overlaps no finite box and which no ray enters.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Node {
    pub(crate) min: [[f32; WIDTH]; 3],
    pub(crate) max: [[f32; WIDTH]; 3],
    pub(crate) layers: Layers,
    children: [u32; WIDTH],
}

/// The layers of eight children; see [`Layer`].
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

/// The bounding volume of a subtree: the intersection of a box and a layer.
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

    /// The child in `lane`, if there is one.
    #[inline(always)]
    pub(crate) fn child(&self, lane: usize) -> Option<Child> {
        match self.children[lane] {
            NONE => None,
            leaf if leaf & LEAF != 0 => Some(Child::Leaf(leaf & !LEAF)),
            inner => Some(Child::Inner(inner)),
        }
    }

    pub(crate) fn set(&mut self, lane: usize, child: Child, bounds: &Bounds) {
        self.set_child(lane, child);
        self.set_bounds(lane, bounds);
    }

    /// Sets the child in `lane` without its box.
    pub(crate) fn set_child(&mut self, lane: usize, child: Child) {
        self.children[lane] = match child {
            Child::Inner(index) => index,
            Child::Leaf(index) => index | LEAF,
        };
    }

    /// Adds offsets to the indices of the inner children and of the leaves.
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

    /// The bounding volume of one lane.
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
