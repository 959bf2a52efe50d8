//! How a tree is put together from subtrees that were built apart.
//!
//! Every subtree gets its layers while it is in the cache, and is moved once: when all have grown and their places are
//! known.

use std::ops::Range;

use rayon::prelude::*;

use super::layers;
use super::layers::Extent;
use super::node::{Child, Node};
use super::packet::{Bounds, Packet};

/// Nodes and leaves; the root is node 0.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) nodes: Vec<Node>,
    pub(super) packets: Vec<Packet>,
}

/// A tree in pieces, in the order in which they are to stand. Nothing is moved before all of it has grown.
pub(super) struct Grown {
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
    /// Of a node above others: what is in its lanes; its layers are yet to be set.
    lanes: Vec<Extent>,
}

impl Grown {
    /// A piece on its own, whose layers are set here if it has nodes.
    pub(super) fn piece(mut arrays: Arrays) -> Self {
        let extent = if arrays.nodes.is_empty() {
            Extent::of_packet(0, &arrays.packets[0])
        } else {
            layers::fill(&mut arrays.nodes, &arrays.packets)
        };
        let nodes = as_index(arrays.nodes.len());
        Self { pieces: vec![Piece { arrays, before: [0; 2], lanes: Vec::new() }], nodes, extent }
    }

    /// A node above these, with what is around them.
    pub(super) fn above(children: Vec<(Self, Bounds)>) -> Self {
        let (mut node, mut lanes) = (Node::EMPTY, Vec::new());
        let (mut nodes, mut pieces) = (1, Vec::new());
        let mut extent = Extent::default();
        for (lane, (child, bounds)) in children.into_iter().enumerate() {
            let packets = extent.packets.end;
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

    /// Puts the pieces one after another, with `top` behind them, which holds the root.
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
        let layers = unset.par_iter().map(|(_, _, extent)| extent.layer(&all.packets)).collect::<Vec<_>>();
        for ((node, lane, _), layer) in unset.iter().zip(layers) {
            all.nodes[*node as usize].set_layer(*lane, &layer);
        }
        top.set_layer(0, &self.extent.layer(&all.packets));
        all.nodes.push(top);
        all
    }
}

pub(super) fn as_index(count: usize) -> u32 {
    u32::try_from(count).expect("a mesh has fewer than 2³¹ triangles, and a tree fewer nodes than triangles")
}
