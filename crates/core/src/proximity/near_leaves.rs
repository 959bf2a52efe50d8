//! The pairs of leaves that are near each other at one pose: all that matter to queries at poses nearby.
//!
//! A traversal with a margin finds them once. Triangles that come together under a translation shorter than the margin are in
//! them, so that the casts of a short walk need no traversal of their own.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::leaf_pair::PreparedLeaf;
use super::model::Model;
use super::overlap::BoxOverlap;
use super::relative_pose::RelativePose;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, Volume};
use crate::bvh::packet::Packet;
use crate::bvh::tandem::{self, Costs, TreePairQuery};
use crate::bvh::tree::Subtree;

/// Maximum number of pairs: visiting more takes longer than a few traversals.
const MAX_PAIRS: usize = 4096;

/// The pairs of leaves within a distance of each other at one translation of A.
#[derive(Debug, Default)]
pub(crate) struct NearLeaves {
    pairs: Vec<[u32; 2]>,
    /// The translation [m, frame of B's tree].
    around: Vector3<f64>,
    /// Length of the translations from there that bring together no triangles of other pairs [m]; zero for none.
    reach: f64,
}

impl NearLeaves {
    /// No pairs.
    pub(crate) const EMPTY: Self =
        Self { pairs: Vec::new(), around: Vector3::new(0.0, 0.0, 0.0), reach: 0.0 };

    /// Forgets all pairs.
    pub(crate) fn clear(&mut self) {
        self.reach = 0.0;
    }

    /// Finds the pairs within `distance` [m] with A translated by `around`, for contacts of a gap of up to `margin` [m]; none if
    /// there are too many.
    pub(crate) fn find(
        &mut self,
        (a, b, a_to_b): (&Model, &Model, &RelativePose),
        around: &Vector3<f64>,
        (distance, margin): (f64, f64),
    ) {
        /// Gap on oblique axes of a contact, in margins, at most √3, and room for rounding.
        const MARGINS: f64 = 4.0;
        self.pairs.clear();
        let boxes = BoxOverlap::new(&a_to_b.shifted(around), distance);
        let prepared = PreparedLeaf::default();
        let mut query = NearQuery { boxes, prepared, pairs: std::mem::take(&mut self.pairs), is_full: false };
        tandem::descend(a.bvh(), b.bvh(), &mut query);
        let reach = if query.is_full { 0.0 } else { distance - MARGINS * margin };
        (self.pairs, self.around, self.reach) = (query.pairs, *around, reach);
    }

    /// The pairs, and the length from `from` along the unit vector `direction` on which no others matter [m]; none unless
    /// `from` is near.
    pub(crate) fn along(&self, from: &Vector3<f64>, direction: &Vector3<f64>) -> Option<(&[[u32; 2]], f64)> {
        let start = from - self.around;
        let inside = self.reach * self.reach - start.norm_squared();
        if !(self.reach > 0.0 && inside > 0.0) {
            return None;
        }
        // The positive root s of ‖start + s direction‖ = reach.
        let along = start.dot(direction);
        Some((&self.pairs, (along * along + inside).sqrt() - along))
    }
}

/// Query for the pairs of leaves within a margin.
struct NearQuery {
    boxes: BoxOverlap,
    prepared: PreparedLeaf,
    pairs: Vec<[u32; 2]>,
    is_full: bool,
}

impl TreePairQuery for NearQuery {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, (_, children): (u32, &Node), (_, volume): (Subtree, &Volume)) -> Costs {
        Costs::ZeroIn(self.boxes.overlapping_in_b::<I>(children, volume))
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, (_, children): (u32, &Node), (_, volume): (Subtree, &Volume)) -> Costs {
        Costs::ZeroIn(self.boxes.overlapping_in_a::<I>(children, volume))
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.prepared.load::<I>(a, &self.boxes.a_to_b);
        if !self.prepared.may_be_within::<I>(b.1, self.boxes.slack()) {
            return ControlFlow::Continue(());
        }
        if self.pairs.len() == MAX_PAIRS {
            self.is_full = true;
            return ControlFlow::Break(());
        }
        self.pairs.push([a.0, b.0]);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::collision::intersecting_pairs;
    use super::super::tests::Noise;
    use super::*;
    use crate::geometry::procedural::{BumpySphere, Procedural, Torus};
    use crate::geometry::triangle_mesh::Solidity;

    /// The leaf of a triangle.
    fn leaf(model: &Model, triangle: u32) -> u32 {
        let has = |packet: &Packet| packet.lanes().any(|(_, other)| other == triangle);
        model.bvh().packets().iter().position(has).unwrap() as u32
    }

    #[test]
    fn all_triangles_that_intersect_within_reach_are_in_them() {
        let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Surface);
        let ring = Model::new(Torus::default().mesh().unwrap(), Solidity::Surface);
        let (pose, here) = (Isometry3::translation(1.4, 0.3, 0.2), Isometry3::identity());
        let a_to_b = RelativePose::between(&ball, &pose, &ring, &here);
        let mut near = NearLeaves::EMPTY;
        let around = Vector3::new(0.05, 0.0, -0.02);
        assert!(near.along(&around, &Vector3::x()).is_none());
        near.find((&ball, &ring, &a_to_b), &around, (0.02, 1e-11));
        let mut noise = Noise(3);
        let mut count = 0;
        for _ in 0..20 {
            let direction = noise.vector().normalize();
            let (leaves, reach) = near.along(&around, &direction).unwrap();
            assert!(reach > 0.019 && reach < 0.02);
            let q = around + direction * reach;
            let mut pairs = Vec::new();
            let moved = Isometry3::from_parts((pose.translation.vector + q).into(), pose.rotation);
            intersecting_pairs(&ball, &moved, &ring, &here, &mut pairs);
            for [i, j] in &pairs {
                assert!(leaves.contains(&[leaf(&ball, *i), leaf(&ring, *j)]));
            }
            count += pairs.len();
            // Outwards from there nothing is known.
            assert!(near.along(&(q + direction * 1e-6), &direction).is_none());
        }
        assert!(count > 0);
    }
}
