//! Filter of pairs of triangles by their normals: those that can touch have opposite ones, along the line between them.

use nalgebra::Point3;

use super::approach::ApproachField;
use super::cone_tree::{ConeTree, ContactRange, Placement};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::packet::PACKET;
use crate::bvh::tree::Subtree;
use crate::proximity::collision::PairFilter;
use crate::proximity::relative_pose::RelativePose;

/// Bits of all lanes of a packet.
const LANES: u32 = (1 << PACKET) - 1;

/// Admits pairs of triangles, one of A and one of B, whose normal cones have opposite directions that the line between them
/// can have, too.
#[derive(Clone, Copy)]
pub(super) struct Opposed<'a> {
    cones: [&'a ConeTree; 2],
    a_to_b: Placement,
    b_to_a: Placement,
}

impl<'a> Opposed<'a> {
    /// The filter for a pose of the tree of A, which has a centre in its frame, in the frame of that of B.
    pub(super) fn new(
        cones: [&'a ConeTree; 2],
        a_to_b: &RelativePose,
        center_of_a: &Point3<f64>,
        range: &ContactRange,
    ) -> Self {
        let in_a = range.approach.map(|approach| ApproachField::in_tree_of_a(&approach, center_of_a));
        // Seen from B, it is A that moves, along the same line.
        let in_b = in_a.map(|field| field.placed(a_to_b)).map(|field| field.reversed());
        // Contacts are at points of B, which are a gap away from those of A.
        Self {
            cones,
            a_to_b: Placement::new(a_to_b, cones, range, in_b.map(|field| (field, range.reach))),
            b_to_a: Placement::new(&a_to_b.inverse(), cones, range, in_a.map(|field| (field, 0.0))),
        }
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
    fn triangles<I: Isa>(&self, leaf_of_a: u32, leaf_of_b: u32) -> [u32; PACKET] {
        let mut admitted = [0; PACKET];
        // Not a closure, which would not be compiled for the instruction set of the caller.
        for pair in 0..PACKET / 2 {
            let (low, high) = (2 * pair, 2 * pair + 1);
            let of_a = [
                self.cones[0].opposite_of_triangle(leaf_of_a, low, &self.a_to_b),
                self.cones[0].opposite_of_triangle(leaf_of_a, high, &self.a_to_b),
            ];
            let bits = self.cones[1].triangles_meeting::<I>(leaf_of_b, &of_a);
            (admitted[low], admitted[high]) = (bits & LANES, bits >> PACKET);
        }
        admitted
    }
}
