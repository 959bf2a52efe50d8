//! The layers of all subtrees of a tree.

use std::ops::Range;

use rayon::prelude::*;

use super::node::{Child, Node, WIDTH};
use super::packet::{Areas, Layer, Packet};

/// A subtree's packets, which stand in a row, and their areas.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    pub(super) packets: Range<usize>,
    pub(super) areas: Areas,
}

impl Extent {
    /// A packet on its own.
    pub(super) fn of_packet(index: usize, packet: &Packet) -> Self {
        Self { packets: index..index + 1, areas: Areas::of(packet) }
    }

    /// One that begins where this one ends, or has more of the same packets.
    pub(super) fn plus(&self, next: &Self) -> Self {
        Self { packets: self.packets.start..next.packets.end, areas: self.areas.plus(&next.areas) }
    }

    /// The layer around the packets.
    pub(super) fn layer(&self, packets: &[Packet]) -> Layer {
        Layer::around(&packets[self.packets.clone()], &self.areas)
    }
}

/// Sets the layer of every lane of every node, from the packets' corners, and returns the extent of the first node,
/// which is the root. Children stand behind their parents, and packets in the order of the lanes.
pub(super) fn fill(nodes: &mut [Node], packets: &[Packet]) -> Extent {
    let areas = packets.par_iter().with_min_len(TASK).map(Areas::of).collect::<Vec<_>>();
    let mut extents = vec![Extent::default(); nodes.len()];
    for index in (0..nodes.len()).rev() {
        let mut lanes = (0..WIDTH).filter_map(|lane| extent(&nodes[index], lane, &extents, &areas));
        let first = lanes.next().expect("a node has at least one child");
        extents[index] = lanes.fold(first, |all, next| all.plus(&next));
    }
    nodes.par_iter_mut().with_min_len(TASK).for_each(|node| {
        for lane in 0..WIDTH {
            if let Some(extent) = extent(node, lane, &extents, &areas) {
                node.set_layer(lane, &extent.layer(packets));
            }
        }
    });
    extents.swap_remove(0)
}

fn extent(node: &Node, lane: usize, extents: &[Extent], areas: &[Areas]) -> Option<Extent> {
    Some(match node.child(lane)? {
        Child::Inner(child) => extents[child as usize].clone(),
        Child::Leaf(packet) => {
            let packet = packet as usize;
            Extent { packets: packet..packet + 1, areas: areas[packet] }
        }
    })
}

/// Nodes, leaves or triangles that are worth a task.
pub(super) const TASK: usize = 1 << 10;
