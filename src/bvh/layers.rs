//! The layers of all subtrees of a tree.

use std::ops::Range;

use rayon::prelude::*;

use super::layer::{Areas, Layer};
use super::node::{Child, Node, Packet, WIDTH};

/// Nodes that are worth a task of their own.
const TASK: usize = 256;

/// A subtree's packets, which stand in a row, and their areas.
#[derive(Clone)]
struct Extent {
    packets: Range<usize>,
    areas: Areas,
}

/// Sets the layer of every lane of every node, from the packets' corners. The last node holds the root.
pub(super) fn fill(nodes: &mut [Node], packets: &[Packet]) {
    let mut extents: Vec<Extent> = vec![Extent { packets: 0..0, areas: Areas::default() }; nodes.len()];
    // Children stand behind their parents, except that the last node holds the root.
    for index in (0..nodes.len() - 1).rev() {
        let mut lanes = (0..WIDTH).filter_map(|lane| extent(&nodes[index], lane, &extents, packets));
        let first = lanes.next().expect("a node has at least one child");
        extents[index] = lanes.fold(first, |all, next| Extent {
            packets: all.packets.start.min(next.packets.start)..all.packets.end.max(next.packets.end),
            areas: all.areas.plus(&next.areas),
        });
    }
    nodes.par_iter_mut().with_min_len(TASK).for_each(|node| {
        for lane in 0..WIDTH {
            if let Some(extent) = extent(node, lane, &extents, packets) {
                node.set_layer(lane, &Layer::around(&packets[extent.packets], &extent.areas));
            }
        }
    });
}

fn extent(node: &Node, lane: usize, extents: &[Extent], packets: &[Packet]) -> Option<Extent> {
    Some(match node.child(lane)? {
        Child::Inner(child) => extents[child as usize].clone(),
        Child::Leaf(packet) => {
            let packet = packet as usize;
            Extent { packets: packet..packet + 1, areas: Areas::of(&packets[packet]) }
        }
    })
}
