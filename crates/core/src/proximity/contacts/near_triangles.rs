//! Triangles of a tree whose boxes meet a region.

use std::ops::ControlFlow;

use crate::bvh::TriangleBvh;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::Packet;
use crate::bvh::single::{TreeQuery, descend};

/// A region of space, relative to the centre of a tree.
pub(super) trait Region {
    /// Whether the box in a lane of a node meets the region.
    fn meets(&self, children: &Node, lane: usize) -> bool;
}

/// Replaces `triangles` by those in leaves whose boxes meet a region, in the order of the mesh, whatever the order in which the tree is
/// traversed.
pub(super) fn find_near<R: Region>(bvh: &TriangleBvh, region: &R, triangles: &mut Vec<u32>) {
    triangles.clear();
    descend(bvh, &mut Near { region, triangles });
    triangles.sort_unstable();
}

struct Near<'a, R> {
    region: &'a R,
    triangles: &'a mut Vec<u32>,
}

impl<R: Region> TreeQuery for Near<'_, R> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        std::array::from_fn(|lane| if self.region.meets(children, lane) { 0.0 } else { f32::INFINITY })
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.triangles.extend(packet.lanes().map(|(_, triangle)| triangle));
        ControlFlow::Continue(())
    }
}
