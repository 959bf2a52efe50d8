//! Patches: the triangles of every subtree with their boundary contour [TCYM08].
//!
//! A patch is a chain of triangles; its contour is the boundary of the chain, a cycle of directed edges. Patches whose
//! contour is one loop through distinct vertices are usable for [`super::culling`]. The cut between two subtrees leaves some
//! triangles that are attached by one corner only, where the contour touches itself: such a patch is extended by the
//! triangles around that corner. If the larger patch is free of self-collision, so is the smaller one that it contains.

use super::features::MeshFeatures;
use crate::bvh::packet::NONE;
use crate::bvh::swept::SweptBvh;
use crate::parallel;

/// Maximum number of attempts to find a single loop, each but the first after an extension of the patch. An extension adds
/// triangles around the pinched corners, which makes the cone test less likely to hold; with fewer attempts more nodes are
/// traversed. The result does not depend on it.
const MAX_ATTEMPTS: u32 = 4;

/// Patch of a subtree.
#[derive(Debug, Clone, Default)]
pub(super) struct Patch {
    /// Vertices of the contour in order, with the patch to the left; empty if it is not a single loop.
    pub(super) contour: Box<[u32]>,
    /// Triangles that were added to those of the subtree.
    pub(super) added: Box<[u32]>,
}

/// Patches of all nodes of a tree.
#[derive(Debug, Clone)]
pub(super) struct Patches(Vec<Patch>);

impl Patches {
    /// Computes the patches of the nodes of `tree` over `triangles`.
    pub(super) fn new(
        tree: &SweptBvh,
        triangles: &[[u32; 3]],
        features: &MeshFeatures,
        vertices: usize,
    ) -> Self {
        let topology = Topology::new(triangles, features, vertices);
        let ranges = tree.leaf_ranges();
        Self(parallel::map_init(
            ranges.len(),
            1,
            || Scratch::new(triangles.len(), vertices),
            |scratch, index| {
                let own =
                    ranges[index].clone().flat_map(|leaf| tree.leaf(leaf).triangles).filter(|&t| t != NONE);
                topology.patch(own.collect(), scratch).unwrap_or_default()
            },
        ))
    }

    pub(super) fn of_node(&self, node: usize) -> &Patch {
        &self.0[node]
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let of_one = |patch: &Patch| size_of_val(&*patch.contour) + size_of_val(&*patch.added);
        size_of_val(&*self.0) + self.0.iter().map(of_one).sum::<usize>()
    }
}

/// Incidence of triangles at edges and vertices.
struct Topology<'a> {
    triangles: &'a [[u32; 3]],
    sides: &'a [[u32; 3]],
    /// Triangles incident to each edge.
    at_edge: Lists,
    /// Triangles incident to each vertex.
    at_vertex: Lists,
}

/// Jagged array: list i is `items[starts[i]..starts[i + 1]]`.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Triangles incident to each of `count` elements (vertices or edges); `elements` are those of each triangle.
    fn of_triangles(count: usize, elements: &[[u32; 3]]) -> Self {
        let mut starts = vec![0; count + 1];
        for &element in elements.iter().flatten() {
            starts[element as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut items) = (starts.clone(), vec![0; 3 * elements.len()]);
        for (triangle, elements) in elements.iter().enumerate() {
            for &element in elements {
                items[next[element as usize] as usize] = triangle as u32;
                next[element as usize] += 1;
            }
        }
        Self { starts, items }
    }

    fn of(&self, element: u32) -> &[u32] {
        &self.items[self.starts[element as usize] as usize..self.starts[element as usize + 1] as usize]
    }
}

/// Scratch of a thread: marks that are valid where they equal the current round, so that they need no clearing.
struct Scratch {
    round: u32,
    member: Vec<u32>,
    /// Successor of each vertex on the contour, and the round in which it was set.
    next: Vec<(u32, u32)>,
}

impl Scratch {
    fn new(triangles: usize, vertices: usize) -> Self {
        Self { round: 0, member: vec![0; triangles], next: vec![(0, 0); vertices] }
    }
}

impl<'a> Topology<'a> {
    fn new(triangles: &'a [[u32; 3]], features: &'a MeshFeatures, vertices: usize) -> Self {
        Self {
            triangles,
            sides: &features.sides,
            at_edge: Lists::of_triangles(features.edges.len(), &features.sides),
            at_vertex: Lists::of_triangles(vertices, triangles),
        }
    }

    /// Patch of the given triangles, extended if necessary; `None` if its contour is not a single loop.
    fn patch(&self, mut members: Vec<u32>, scratch: &mut Scratch) -> Option<Patch> {
        let own = members.len();
        for _ in 0..MAX_ATTEMPTS {
            scratch.round += 1;
            for &triangle in &members {
                scratch.member[triangle as usize] = scratch.round;
            }
            let (starts, pinched) = self.link(&members, scratch)?;
            // Every vertex has one successor: the contour is a set of loops, of which there must be only one.
            if pinched.is_empty() {
                let contour = follow(&starts, scratch)?;
                return Some(Patch { contour, added: members[own..].into() });
            }
            for &triangle in pinched.iter().flat_map(|&vertex| self.at_vertex.of(vertex)) {
                if scratch.member[triangle as usize] != scratch.round {
                    scratch.member[triangle as usize] = scratch.round;
                    members.push(triangle);
                }
            }
        }
        None
    }

    /// Links the vertices of the contour to their successors; returns the vertices with a successor, and those with more
    /// than one. `None` if triangles are inconsistently oriented or more than two of the patch meet at an edge.
    fn link(&self, members: &[u32], scratch: &mut Scratch) -> Option<(Vec<u32>, Vec<u32>)> {
        let (mut starts, mut pinched) = (Vec::new(), Vec::new());
        for &triangle in members {
            let corners = self.triangles[triangle as usize];
            for side in 0..3 {
                let [from, to] = [corners[side], corners[(side + 1) % 3]];
                let edge = self.sides[triangle as usize][side];
                let mut neighbours =
                    self.at_edge.of(edge).iter().filter(|&&other| {
                        other != triangle && scratch.member[other as usize] == scratch.round
                    });
                match (neighbours.next(), neighbours.next()) {
                    // An inner edge cancels in the boundary of the chain if both triangles traverse it oppositely.
                    (Some(&other), None) => {
                        if !self.runs_along(other, to, from) {
                            return None;
                        }
                    }
                    // No other triangle of the patch: the side is part of the contour.
                    (None, _) => {
                        let slot = &mut scratch.next[from as usize];
                        if slot.1 == scratch.round {
                            pinched.push(from);
                        }
                        *slot = (to, scratch.round);
                        starts.push(from);
                    }
                    _ => return None,
                }
            }
        }
        Some((starts, pinched))
    }

    /// Whether a triangle has the directed side from `from` to `to`.
    fn runs_along(&self, triangle: u32, from: u32, to: u32) -> bool {
        let corners = self.triangles[triangle as usize];
        (0..3).any(|side| corners[side] == from && corners[(side + 1) % 3] == to)
    }
}

/// Loop through all vertices of the contour, if it is a single one.
fn follow(starts: &[u32], scratch: &Scratch) -> Option<Box<[u32]>> {
    let first = *starts.first()?;
    let (mut contour, mut at) = (Vec::with_capacity(starts.len()), first);
    loop {
        contour.push(at);
        let (next, round) = scratch.next[at as usize];
        // A dead end, or a loop that never returns to its start.
        if round != scratch.round || contour.len() > starts.len() {
            return None;
        }
        at = next;
        if at == first {
            break;
        }
    }
    (contour.len() == starts.len()).then(|| contour.into())
}
