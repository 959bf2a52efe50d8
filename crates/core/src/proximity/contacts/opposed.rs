//! Filter of pairs of triangles by their normals: those that can touch have opposite ones.

use nalgebra::Matrix3;

use super::cone_tree::{AxisRotation, ConeTree};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::packet::PACKET;
use crate::bvh::tree::Subtree;
use crate::proximity::collision::PairFilter;

/// Admits pairs of triangles, one of A and one of B, whose normal cones have opposite directions.
#[derive(Clone, Copy)]
pub(super) struct Opposed<'a> {
    cones: [&'a ConeTree; 2],
    a_to_b: AxisRotation,
    b_to_a: AxisRotation,
}

impl<'a> Opposed<'a> {
    /// The filter for a rotation of B into the frame of A that may change by an angle \[rad\].
    pub(super) fn new(cones: [&'a ConeTree; 2], b_to_a: &Matrix3<f64>, angle: f64) -> Self {
        Self {
            cones,
            a_to_b: AxisRotation::new(&b_to_a.transpose(), angle),
            b_to_a: AxisRotation::new(b_to_a, angle),
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
    fn triangles(&self, leaf_of_a: u32, leaf_of_b: u32) -> [u32; PACKET] {
        std::array::from_fn(|lane| {
            let of_a = self.cones[0].opposite_of_triangle(leaf_of_a, lane, &self.a_to_b);
            self.cones[1].triangles_meeting(leaf_of_b, &of_a)
        })
    }
}
