//! Computation of the layers of all subtrees of a tree.

use std::ops::Range;

use super::node::{Child, Node, WIDTH};
use super::packet::{Areas, Layer, Packet};
use crate::parallel;

/// The packets of a subtree, which are consecutive, and their areas.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    pub(super) packets: Range<usize>,
    pub(super) areas: Areas,
}

impl Extent {
    /// The extent of one packet.
    pub(super) fn of_packet(index: usize, packet: &Packet) -> Self {
        Self { packets: index..index + 1, areas: Areas::of(packet) }
    }

    /// Union with an extent that follows this one.
    pub(super) fn plus(&self, next: &Self) -> Self {
        Self { packets: self.packets.start..next.packets.end, areas: self.areas.plus(&next.areas) }
    }

    /// The layer that bounds the packets.
    pub(super) fn layer(&self, packets: &[Packet]) -> Layer {
        Layer::around(&packets[self.packets.clone()], &self.areas)
    }
}

/// Sets the layer of every lane of every node from the packets' corners, and returns the extent of the first node, the
/// root. Children must follow their parents, and packets the order of the lanes.
pub(super) fn fill(nodes: &mut [Node], packets: &[Packet]) -> Extent {
    let areas = parallel::map_slice(packets, TASK, Areas::of);
    let mut extents = vec![Extent::default(); nodes.len()];
    // In reverse, so that the extents of the children are known.
    for index in (0..nodes.len()).rev() {
        let mut lanes = (0..WIDTH).filter_map(|lane| extent(&nodes[index], lane, &extents, &areas));
        let first = lanes.next().expect("a node has at least one child");
        extents[index] = lanes.fold(first, |all, next| all.plus(&next));
    }
    parallel::for_each_mut(nodes, TASK, |_, node| {
        for lane in 0..WIDTH {
            if let Some(extent) = extent(node, lane, &extents, &areas) {
                node.set_layer(lane, &extent.layer(packets));
            }
        }
    });
    extents.swap_remove(0)
}

/// The extent of a lane; `None` where it is empty.
fn extent(node: &Node, lane: usize, extents: &[Extent], areas: &[Areas]) -> Option<Extent> {
    Some(match node.child(lane)? {
        Child::Inner(child) => extents[child as usize].clone(),
        Child::Leaf(packet) => {
            let packet = packet as usize;
            Extent { packets: packet..packet + 1, areas: areas[packet] }
        }
    })
}

/// Minimum number of nodes, leaves or triangles per parallel task: fewer cost more scheduling than they save.
pub(super) const TASK: usize = 1 << 10;
