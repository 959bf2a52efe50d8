//! Assembly of a tree from subtrees that were built in parallel.
//!
//! Every subtree gets its layers while it is in the cache and is moved once, when all are built and their positions are
//! known.

use std::ops::Range;

use super::layers;
use super::layers::Extent;
use super::node::{Child, Node};
use super::packet::{Bounds, Packet};
use crate::parallel;

/// Nodes and leaves; the root is node 0.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) nodes: Vec<Node>,
    pub(super) packets: Vec<Packet>,
}

/// A tree in pieces, in their final order. Nothing is moved before all of it has been built.
pub(super) struct PartialTree {
    pieces: Vec<Piece>,
    nodes: u32,
    extent: Extent,
}

/// A subtree that was built on its own, a node above such subtrees, or a leaf beside them.
pub(super) struct Piece {
    /// Children's indices are relative to the piece.
    arrays: Arrays,
    /// Nodes and packets before this piece.
    before: [u32; 2],
    /// Extents of the lanes of a node above other pieces, whose layers are not set yet; empty for other pieces.
    lanes: Vec<Extent>,
}

impl PartialTree {
    /// A tree of one piece, whose layers are set here if it has nodes.
    pub(super) fn piece(mut arrays: Arrays) -> Self {
        let extent = if arrays.nodes.is_empty() {
            Extent::of_packet(0, &arrays.packets[0])
        } else {
            layers::fill(&mut arrays.nodes, &arrays.packets)
        };
        let nodes = as_index(arrays.nodes.len());
        Self { pieces: vec![Piece { arrays, before: [0; 2], lanes: Vec::new() }], nodes, extent }
    }

    /// A node whose children are these trees with their boxes.
    pub(super) fn above(children: Vec<(Self, Bounds)>) -> Self {
        let (mut node, mut lanes) = (Node::EMPTY, Vec::new());
        let (mut nodes, mut pieces) = (1, Vec::new());
        let mut extent = Extent::default();
        for (lane, (child, bounds)) in children.into_iter().enumerate() {
            let packets = extent.packets.end;
            // A tree without nodes is a single leaf.
            let index = if child.nodes == 0 { Child::Leaf(as_index(packets)) } else { Child::Inner(nodes) };
            node.set(lane, index, &bounds);
            for mut piece in child.pieces {
                piece.before[0] += nodes;
                piece.before[1] += as_index(packets);
                pieces.push(piece);
            }
            let moved = packets..packets + child.extent.packets.end;
            lanes.push(Extent { packets: moved, areas: child.extent.areas });
            extent = extent.plus(&lanes[lane]);
            nodes += child.nodes;
        }
        let arrays = Arrays { nodes: vec![node], packets: Vec::new() };
        pieces.insert(0, Piece { arrays, before: [0; 2], lanes });
        Self { pieces, nodes, extent }
    }

    /// Concatenates the pieces and appends `top`, the node that holds the root.
    pub(super) fn into_arrays(self, mut top: Node) -> Arrays {
        let mut all = Arrays {
            nodes: Vec::with_capacity(self.nodes as usize + 1),
            packets: Vec::with_capacity(self.extent.packets.end),
        };
        let mut unset = Vec::new();
        for piece in self.pieces {
            let [nodes, packets] = piece.before;
            let moved = |extent: Extent| {
                let Range { start, end } = extent.packets;
                Extent { packets: start + packets as usize..end + packets as usize, ..extent }
            };
            unset.extend(
                piece.lanes.into_iter().enumerate().map(|(lane, extent)| (nodes, lane, moved(extent))),
            );
            all.nodes.extend(piece.arrays.nodes.into_iter().map(|mut node| {
                node.shift(nodes, packets);
                node
            }));
            all.packets.extend(piece.arrays.packets);
        }
        // A layer reads all packets below its lane, so these wait until every packet is in place.
        let layers = parallel::map_slice(&unset, 1, |(_, _, extent)| extent.layer(&all.packets));
        for ((node, lane, _), layer) in unset.iter().zip(layers) {
            all.nodes[*node as usize].set_layer(*lane, &layer);
        }
        top.set_layer(0, &self.extent.layer(&all.packets));
        all.nodes.push(top);
        all
    }
}

/// A count as an index of 32 bits.
pub(super) fn as_index(count: usize) -> u32 {
    u32::try_from(count).expect("a mesh has fewer than 2³¹ triangles, and a tree fewer nodes than triangles")
}
