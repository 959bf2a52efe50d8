//! Filter of pairs of triangles by their normals: those that can touch have opposite ones, along the line between them.

use super::cone_tree::{ConeTree, Placement, Range};
use super::leaf_features::LeafFeatures;
use super::normal_cone::Sides;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::Child;
use crate::bvh::packet::PACKET;
use crate::bvh::tree::Subtree;
use crate::proximity::overlap::PairFilter;
use crate::proximity::relative_pose::RelativePose;

/// Admits pairs of triangles, one of A and one of B, whose normal cones have opposite directions that the line between them
/// can have, too.
#[derive(Clone, Copy)]
pub(super) struct Opposed<'a> {
    cones: [&'a ConeTree; 2],
    a_to_b: Placement,
    b_to_a: Placement,
}

impl<'a> Opposed<'a> {
    /// The filter for a pose of the tree of A in the frame of that of B.
    pub(super) fn new(cones: [&'a ConeTree; 2], a_to_b: &RelativePose, range: &Range) -> Self {
        Self {
            cones,
            a_to_b: Placement::new(a_to_b, cones, range),
            b_to_a: Placement::new(&a_to_b.inverse(), cones, range),
        }
    }

    /// The pose of A in the frame of B.
    pub(super) fn a_to_b(&self) -> Placement {
        self.a_to_b
    }

    /// Sides of A and of B of which normals are bounded.
    pub(super) fn sides(&self) -> [Sides; 2] {
        self.cones.map(ConeTree::sides)
    }

    /// Features of the leaves of A and of B.
    pub(super) fn features(&self) -> [&'a LeafFeatures; 2] {
        self.cones.map(ConeTree::features)
    }

    /// Begins to load the cones of a node, or the features of a leaf, of A (`side` 0) or B.
    #[inline(always)]
    pub(super) fn prefetch(&self, side: usize, child: Child) {
        self.cones[side].prefetch(child);
    }

    /// Bits of the triangles of a leaf of B that are admitted with a triangle of a leaf of A.
    #[inline(always)]
    pub(super) fn triangles_of(&self, leaf_of_a: u32, lane: usize, leaf_of_b: u32) -> u32 {
        let of_a = self.cones[0].opposite_of_triangle(leaf_of_a, lane, &self.a_to_b);
        self.cones[1].triangles_meeting(leaf_of_b, &of_a)
    }
}

impl PairFilter for Opposed<'_> {
    #[inline(always)]
    fn children_of_a<I: Isa>(&self, node: u32, of_b: Subtree) -> u32 {
        self.cones[0].children_meeting::<I>(node, &self.cones[1].opposite(of_b, &self.b_to_a))
    }

    #[inline(always)]
    fn children_of_b<I: Isa>(&self, node: u32, of_a: Subtree) -> u32 {
        self.cones[1].children_meeting::<I>(node, &self.cones[0].opposite(of_a, &self.a_to_b))
    }

    #[inline(always)]
    fn triangles<I: Isa>(&mut self, leaf_of_a: u32, leaf_of_b: u32) -> [u32; PACKET] {
        let mut admitted = [0; PACKET];
        for lane in 0..PACKET {
            admitted[lane] = self.triangles_of(leaf_of_a, lane, leaf_of_b);
        }
        admitted
    }
}
