//! Pairs of leaves that blocked the lengths of an earlier march.
//!
//! After a small motion most of them block the next march along nearly the same direction: the lengths that they block are
//! evaluated at once, without a traversal of the trees, and passed over. Only where none of them blocks the trees are asked.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::leaf_pair::PreparedLeaf;
use super::obstacle_tree::{ObstacleTree, Probe, Record};
use super::relative_pose::RelativePose;
use super::triangle_pair::contact_interval;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::WIDTH;
use crate::bvh::packet::Packet;

/// Maximum number of pairs that are stored: a bound on the time of a march whose pairs no longer block anything. Marches
/// through meshes of 200k triangles have some tens.
const MAX_PAIRS: usize = 256;

/// Pairs of leaves that blocked the lengths of an earlier march.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct BlockingPairs {
    pairs: Vec<[u32; 2]>,
    /// Lengths that they block on the present ray.
    blocked: Vec<Blocked>,
}

/// Lengths along a ray at which two triangles are within a margin of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Blocked {
    /// First and last length [m].
    entry: f64,
    exit: f64,
    leaves: [u32; 2],
    /// Whether the march passed over them.
    is_used: bool,
}

impl BlockingPairs {
    /// Forgets all pairs.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Whether triangles of a stored pair of leaves intersect at the zero translation (touching counts).
    pub(crate) fn intersect(&mut self, obstacles: &ObstacleTree<'_>) -> bool {
        self.evaluate(obstacles, (&Vector3::x(), 0.0), 0.0)
    }

    /// Evaluates the lengths along the unit vector `direction`, up to `within` [m], at which triangles of the stored pairs are at
    /// most `margin` [m] apart.
    pub(crate) fn place(
        &mut self,
        obstacles: &ObstacleTree<'_>,
        (direction, margin): (&Vector3<f64>, f64),
        within: f64,
    ) {
        self.evaluate(obstacles, (direction, margin), within);
    }

    /// Evaluates the blocked lengths; with a maximum length of zero only until there is one. Returns whether there is one.
    fn evaluate(
        &mut self,
        obstacles: &ObstacleTree<'_>,
        (direction, margin): (&Vector3<f64>, f64),
        within: f64,
    ) -> bool {
        self.blocked.clear();
        let a_to_b = *obstacles.a_to_b();
        let prepared = PreparedLeaf::default();
        let direction = (*direction).into();
        let blocked = &mut self.blocked;
        let mut query = BlockedQuery { a_to_b, direction, margin, within, prepared, blocked };
        obstacles.visit(&self.pairs, &mut query);
        !self.blocked.is_empty()
    }

    /// The last length of those that a stored pair blocks together with `length` [m], if one does.
    pub(crate) fn exit_at(&mut self, length: f64) -> Option<f64> {
        let mut last: Option<&mut Blocked> = None;
        for blocked in &mut self.blocked {
            let is_in = blocked.entry <= length && length <= blocked.exit;
            if is_in && last.as_ref().is_none_or(|last| blocked.exit > last.exit) {
                last = Some(blocked);
            }
        }
        let last = last?;
        last.is_used = true;
        Some(last.exit)
    }

    /// Stores the pairs that the march has used, and those that it `met` in the trees.
    pub(crate) fn renew(&mut self, met: &[[u32; 2]]) {
        self.pairs.clear();
        let used = self.blocked.iter().filter(|blocked| blocked.is_used).map(|blocked| blocked.leaves);
        for leaves in used.chain(met.iter().copied()) {
            if self.pairs.len() < MAX_PAIRS && !self.pairs.contains(&leaves) {
                self.pairs.push(leaves);
            }
        }
    }
}

/// Query for the lengths along a ray that pairs of leaves block.
struct BlockedQuery<'a> {
    a_to_b: RelativePose,
    direction: [f64; 3],
    margin: f64,
    within: f64,
    prepared: PreparedLeaf,
    blocked: &'a mut Vec<Blocked>,
}

impl Probe for BlockedQuery<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, _: &Record) -> [f32; WIDTH] {
        [f32::INFINITY; WIDTH]
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.prepared.load::<I>(a, &self.a_to_b);
        for (lane_a, _) in a.1.lanes() {
            let p = &self.prepared.triangles[lane_a];
            let interval = contact_interval::<I::Double>(p, b.1, &self.direction, self.margin, self.within);
            for (lane_b, _) in b.1.lanes() {
                let (entry, exit) = (interval.entry[lane_b], interval.exit[lane_b]);
                if entry <= exit && entry <= self.within && exit >= 0.0 {
                    self.blocked.push(Blocked { entry, exit, leaves: [a.0, b.0], is_used: false });
                }
            }
        }
        // Without a length, one is enough.
        let is_over = !(self.within > 0.0) && !self.blocked.is_empty();
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::collision::surfaces_collide_at;
    use super::super::first_free::March;
    use super::super::model::Model;
    use super::*;
    use crate::geometry::procedural::{BumpySphere, Procedural, Torus};
    use crate::geometry::triangle_mesh::Solidity;

    #[test]
    fn the_models_collide_at_all_lengths_that_pairs_of_an_earlier_march_block() {
        let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Surface);
        let ring = Model::new(Torus::default().mesh().unwrap(), Solidity::Surface);
        let a_to_b = |step: f64| {
            let pose = Isometry3::new(Vector3::new(0.6, 0.2, 0.1), Vector3::new(0.3, 0.9, 0.01 * step));
            RelativePose::between(&ball, &pose, &ring, &Isometry3::identity())
        };
        let (direction, margin) = (Vector3::new(0.6, 0.0, 0.8), 1e-11);
        let mut blocking = BlockingPairs::default();
        let mut count = 0;
        for step in 0..4 {
            let a_to_b = a_to_b(f64::from(step));
            let mut obstacles = ObstacleTree::new(&ball, &ring, &a_to_b, margin);
            obstacles.left = Some(Vec::new());
            let march = March { direction, margin, within: 3.0, stride: 0.0 };
            let free = march.first_free(&mut obstacles, 0.0, |length| length).unwrap();
            // At first there are no pairs; later they are those of the last orientation.
            blocking.place(&obstacles, (&direction, 0.0), free);
            let lengths = (0..100).map(|i| f64::from(i) / 100.0 * free);
            let blocked = lengths.filter(|length| blocking.exit_at(*length).is_some()).collect::<Vec<_>>();
            for length in &blocked {
                assert!(
                    surfaces_collide_at(&ball, &ring, &a_to_b.shifted(&(direction * *length))),
                    "{length}"
                );
            }
            assert_eq!(blocking.intersect(&obstacles), step > 0);
            count += blocked.len();
            blocking.renew(&obstacles.left.take().unwrap());
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn pairs_that_the_trees_do_not_have_block_nothing() {
        let ring = Model::new(Torus::default().mesh().unwrap(), Solidity::Surface);
        let pose = Isometry3::translation(0.5, 0.0, 0.0);
        let a_to_b = RelativePose::between(&ring, &pose, &ring, &Isometry3::identity());
        let mut blocking = BlockingPairs::default();
        blocking.renew(&[[u32::MAX, 0], [0, 1 << 20]]);
        assert!(!blocking.intersect(&ObstacleTree::new(&ring, &ring, &a_to_b, 0.0)));
    }
}
