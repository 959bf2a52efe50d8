//! Patches: the triangles of every subtree with the contour that bounds them.
//!
//! A patch is a chain of triangles; its contour is the boundary of the chain, a cycle of directed edges. Patches whose
//! contour is one loop through distinct vertices are of use to [`super::culling`]. The cut between two subtrees leaves
//! triangles here and there that hang on by one corner, where the contour meets itself: such a patch grows by the
//! triangles around that corner. A larger patch that cannot reach itself says as much of the smaller one in it.

use rayon::prelude::*;

use super::features::MeshFeatures;
use crate::bvh::packet::NONE;
use crate::bvh::swept::SweptBvh;

/// Times that a patch grows before it is given up.
const GROWTHS: u32 = 4;

/// The patch of a subtree.
#[derive(Debug, Clone, Default)]
pub(super) struct Patch {
    /// Vertices of the contour in their order, the patch to the left; empty where it is not one loop.
    pub(super) contour: Box<[u32]>,
    /// Triangles that are not of the subtree.
    pub(super) grown: Box<[u32]>,
}

/// The patches of all nodes of a tree.
#[derive(Debug, Clone)]
pub(super) struct Patches(Vec<Patch>);

impl Patches {
    /// The patches of the nodes of `tree` over `triangles`.
    pub(super) fn new(
        tree: &SweptBvh,
        triangles: &[[u32; 3]],
        features: &MeshFeatures,
        vertices: usize,
    ) -> Self {
        let topology = Topology::new(triangles, features, vertices);
        let ranges = tree.leaf_ranges();
        let patches = ranges.into_par_iter().map_init(
            || Scratch::new(triangles.len(), vertices),
            |scratch, range| {
                let own = range.flat_map(|leaf| tree.leaf(leaf).triangles).filter(|&t| t != NONE);
                topology.patch(own.collect(), scratch).unwrap_or_default()
            },
        );
        Self(patches.collect())
    }

    pub(super) fn of_node(&self, node: usize) -> &Patch {
        &self.0[node]
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let of_one = |patch: &Patch| size_of_val(&*patch.contour) + size_of_val(&*patch.grown);
        size_of_val(&*self.0) + self.0.iter().map(of_one).sum::<usize>()
    }
}

/// How the triangles hang together.
struct Topology<'a> {
    triangles: &'a [[u32; 3]],
    sides: &'a [[u32; 3]],
    /// Triangles at each edge.
    at_edge: Lists,
    /// Triangles at each vertex.
    at_vertex: Lists,
}

/// Lists side by side: list i is `items[starts[i]..starts[i + 1]]`.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The triangles at each of `count` places; `places` are those of each triangle.
    fn of_triangles(count: usize, places: &[[u32; 3]]) -> Self {
        let mut starts = vec![0; count + 1];
        for &place in places.iter().flatten() {
            starts[place as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut items) = (starts.clone(), vec![0; 3 * places.len()]);
        for (triangle, places) in places.iter().enumerate() {
            for &place in places {
                items[next[place as usize] as usize] = triangle as u32;
                next[place as usize] += 1;
            }
        }
        Self { starts, items }
    }

    fn of(&self, place: u32) -> &[u32] {
        &self.items[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

/// What a thread keeps between patches: marks that are valid where they equal the number of the patch.
struct Scratch {
    round: u32,
    member: Vec<u32>,
    /// The vertex that the contour leads to from each vertex, and when it was set.
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

    /// The patch of some triangles; `None` where its contour is not one loop.
    fn patch(&self, mut members: Vec<u32>, scratch: &mut Scratch) -> Option<Patch> {
        let own = members.len();
        for _ in 0..GROWTHS {
            scratch.round += 1;
            for &triangle in &members {
                scratch.member[triangle as usize] = scratch.round;
            }
            let (starts, pinched) = self.link(&members, scratch)?;
            if pinched.is_empty() {
                let contour = follow(&starts, scratch)?;
                return Some(Patch { contour, grown: members[own..].into() });
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

    /// Links the vertices of the contour; returns those that it leaves from, and those that it leaves twice. `None`
    /// where triangles do not agree on their sides or more than two of the patch meet at an edge.
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
                    (Some(&other), None) => {
                        if !self.runs_along(other, to, from) {
                            return None;
                        }
                    }
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

    /// Whether a triangle has the directed side.
    fn runs_along(&self, triangle: u32, from: u32, to: u32) -> bool {
        let corners = self.triangles[triangle as usize];
        (0..3).any(|side| corners[side] == from && corners[(side + 1) % 3] == to)
    }
}

/// The loop through all the starts, if there is one through all of them.
fn follow(starts: &[u32], scratch: &Scratch) -> Option<Box<[u32]>> {
    let first = *starts.first()?;
    let (mut contour, mut at) = (Vec::with_capacity(starts.len()), first);
    loop {
        contour.push(at);
        let (next, round) = scratch.next[at as usize];
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
