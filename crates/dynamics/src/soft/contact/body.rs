//! A soft body preprocessed for contact: tetrahedra and their rest depths, the surface with areas, neighbourhoods at rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use nalgebra::{Point3, Vector3};

use super::cell::{Depths, MidpointDepths};
use super::groups::{EDGES_TOGETHER, Groups, NODES_TOGETHER};
use super::tree::BoxTree;
use crate::error::SoftError;
use extricate_core::geometry::tet_mesh::{Boundary, TET_EDGES, TET_FACES};
use extricate_core::geometry::{Solidity, TetMesh};
use extricate_core::proximity::{Model, closest_point};

/// Depths of a mesh's nodes below its surface \[m\], by closest points: exact, zero on the surface. The node values of the
/// distance field [Fisher01 §4].
#[must_use]
pub fn node_depths(mesh: &TetMesh) -> Vec<f64> {
    let surface = Model::new(mesh.surface(), Solidity::Solid);
    let mut depths: Vec<f64> =
        mesh.nodes().iter().map(|node| closest_point(&surface, node).distance).collect();
    mesh.boundary().nodes.iter().for_each(|&node| depths[node as usize] = 0.0);
    depths
}

/// A soft body preprocessed for contact.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// Range of its blocks: the first, and the end.
    pub(super) blocks: [u32; 2],
    /// Corners of the tetrahedra, as blocks of the system.
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) depths: Vec<Depths>,
    /// Twice the maximum depth at rest [m].
    pub(super) thickness: f64,
    /// The longest edge at rest [m].
    pub(super) longest: f64,
    /// Blocks of the surface's nodes.
    pub(super) nodes: Vec<u32>,
    /// Surface area attributed to each node at rest [m²].
    pub(super) areas: Vec<f64>,
    /// Edges of the surface, as places in `nodes`.
    pub(super) edges: Vec<[u32; 2]>,
    /// Surface area attributed to each edge at rest [m²]: those of a node's edges sum to the node's at most.
    pub(super) edge_areas: Vec<f64>,
    /// Faces of the surface, as blocks.
    pub(super) faces: Vec<[u32; 3]>,
    near: Near,
    /// Elements of each node, where self-contact excludes more than those.
    around: Around,
    /// Groups of neighbouring entries of `nodes`, and of `edges`.
    pub(super) node_groups: Groups,
    pub(super) edge_groups: Groups,
    pub(super) tree: BoxTree,
    pub(super) face_tree: BoxTree,
}

impl Body {
    /// The body of `mesh` at rest whose node i is block `first` + i, with the nodes' depths [m] and the distance `near` along
    /// the mesh's edges [m] within which nodes are excluded from self-contact.
    pub(super) fn new(mesh: &TetMesh, first: u32, depths: &[f64], near: f64) -> Result<Self, SoftError> {
        if depths.len() != mesh.nodes().len() {
            return Err(SoftError::Depths { depths: depths.len(), nodes: mesh.nodes().len() });
        }
        if let Some(node) = depths.iter().position(|d| !(*d >= 0.0 && d.is_finite())) {
            return Err(SoftError::Depth { node, depth: depths[node] });
        }
        let boundary = mesh.boundary();
        let areas = projected_areas(mesh.nodes(), &boundary.faces);
        let mut place = vec![u32::MAX; mesh.nodes().len()];
        (0_u32..).zip(&boundary.nodes).for_each(|(at, &node)| place[node as usize] = at);
        let edges = boundary.edges();
        let all = boundary.node_areas(mesh.nodes());
        // Edges shrink with the projected areas of their ends, so that they never take more than an end has (`detect.rs`).
        let shown = |i: u32| areas[i as usize] / all[i as usize];
        let mut edge_areas = edge_areas(&edges, &boundary.faces, mesh.nodes());
        edge_areas.iter_mut().zip(&edges).for_each(|(area, [a, b])| *area *= shown(*a).min(shown(*b)));
        let rest: Vec<Vector3<f64>> = mesh.nodes().iter().map(|node| node.coords).collect();
        let at_rest = |nodes: &[u32]| -> Vec<_> { nodes.iter().map(|&i| rest[i as usize]).collect() };
        let midpoints: Vec<_> =
            edges.iter().map(|edge| at_rest(edge).iter().sum::<Vector3<f64>>() / 2.0).collect();
        let shift = |i: u32| first + i;
        let count = u32::try_from(mesh.nodes().len()).expect("meshes have fewer than 2³² nodes");
        let depths = cell_depths(mesh, depths, &boundary, &edges);
        Ok(Self {
            blocks: [first, first + count],
            tets: mesh.tets().iter().map(|tet| tet.map(shift)).collect(),
            longest: longest_edge(mesh),
            thickness: 2.0 * depths.iter().map(Depths::max).fold(0.0, f64::max),
            depths,
            areas: boundary.nodes.iter().map(|&node| areas[node as usize]).collect(),
            edges: edges.iter().map(|edge| edge.map(|i| place[i as usize])).collect(),
            edge_areas,
            faces: boundary.faces.iter().map(|face| face.map(shift)).collect(),
            around: if near > 0.0 { Around::of(mesh) } else { Around::default() },
            near: Near::of(mesh, &boundary.nodes, near, first),
            node_groups: Groups::of_neighbours(&at_rest(&boundary.nodes), NODES_TOGETHER),
            edge_groups: Groups::of_neighbours(&midpoints, EDGES_TOGETHER),
            tree: BoxTree::new(mesh.tets(), &rest),
            face_tree: BoxTree::new(&boundary.faces, &rest),
            nodes: boundary.nodes.into_iter().map(shift).collect(),
        })
    }

    /// The blocks near the surface's node at place `at`, itself included, ascending.
    pub(super) fn near(&self, at: u32) -> &[u32] {
        self.near.of_place(at)
    }

    /// The elements of a block, where self-contact excludes more than those of the node.
    pub(super) fn tets_of(&self, block: u32) -> &[u32] {
        self.around.of_node(block - self.blocks[0])
    }

    /// Whether self-contact excludes more than the elements that have a node of the surface as a corner, for one of these.
    pub(super) fn excludes_others(&self) -> bool {
        self.near.nodes.len() > self.nodes.len()
    }

    /// Range of its blocks.
    pub(super) fn range(&self) -> Range<usize> {
        self.blocks[0] as usize..self.blocks[1] as usize
    }

    /// Depths of all nodes [m], those of no tetrahedron zero.
    pub(super) fn node_depths(&self) -> Vec<f64> {
        let [first, end] = self.blocks;
        let mut all = vec![0.0; (end - first) as usize];
        for (tet, depths) in self.tets.iter().zip(&self.depths) {
            tet.iter().zip(depths.nodes).for_each(|(&node, depth)| all[(node - first) as usize] = depth);
        }
        all
    }

    /// Takes new depths of the tetrahedra that have a node `changed`: of nodes inside the body and of midpoints, at the mean of some
    /// nodes, as `at` computes them; nodes on the surface stay at zero.
    pub(super) fn take_depths(&mut self, changed: &[bool], at: &dyn Fn(&[u32]) -> f64) {
        let first = self.blocks[0];
        let mut inner = vec![true; changed.len()];
        self.nodes.iter().for_each(|&node| inner[(node - first) as usize] = false);
        for (tet, depths) in self.tets.iter().zip(&mut self.depths) {
            if !tet.iter().any(|&node| changed[(node - first) as usize]) {
                continue;
            }
            let before = depths.nodes;
            let depth = |node: u32| match (inner[(node - first) as usize], changed[(node - first) as usize]) {
                (false, _) => 0.0,
                (true, true) => at(&[node]),
                (true, false) => {
                    let place = tet.iter().position(|&corner| corner == node);
                    place.map_or(0.0, |place| before[place])
                }
            };
            *depths = depths.anew(tet, depth, at);
        }
    }

    /// Refits the trees to the blocks.
    pub(super) fn refit(&mut self, x: &[Vector3<f64>]) {
        self.tree.refit(&self.tets, x);
        self.face_tree.refit(&self.faces, x);
    }
}

/// Length of the longest edge [m].
fn longest_edge(mesh: &TetMesh) -> f64 {
    edges_of(mesh)
        .map(|[a, b]| (mesh.nodes()[a as usize] - mesh.nodes()[b as usize]).norm())
        .fold(0.0, f64::max)
}

/// The edges of all tetrahedra, shared ones repeated.
fn edges_of(mesh: &TetMesh) -> impl Iterator<Item = [u32; 2]> + '_ {
    mesh.tets().iter().flat_map(|tet| TET_EDGES.map(|[i, j]| [tet[i], tet[j]]))
}

/// Depths of all tetrahedra, with midpoints where an edge, a face or the element lies inside between nodes on the surface.
fn cell_depths(mesh: &TetMesh, depths: &[f64], boundary: &Boundary, edges: &[[u32; 2]]) -> Vec<Depths> {
    let model = Model::new(mesh.surface(), Solidity::Solid);
    let mut node_depths = depths.to_vec();
    boundary.nodes.iter().for_each(|&node| node_depths[node as usize] = 0.0);
    let mut on_surface = vec![false; mesh.nodes().len()];
    boundary.nodes.iter().for_each(|&node| on_surface[node as usize] = true);
    let mut faces: Vec<[u32; 3]> = boundary.faces.iter().map(|&face| sorted(face)).collect();
    faces.sort_unstable();
    let all_on = |nodes: &[u32]| nodes.iter().all(|&i| on_surface[i as usize]);
    // An edge or a face between surface nodes that is not itself on the surface: there the linear field is zero, the depth not.
    let is_inner = |edge: [u32; 2]| all_on(&edge) && edges.binary_search(&edge).is_err();
    let at_rest = |nodes: &[u32]| {
        let sum: Vector3<f64> = nodes.iter().map(|&i| mesh.nodes()[i as usize].coords).sum();
        closest_point(&model, &(sum / nodes.len() as f64).into()).distance
    };
    // Corners are sorted, so that elements sharing an edge or a face compute the same bits and the field is continuous.
    let linear =
        |nodes: &[u32]| nodes.iter().map(|&i| node_depths[i as usize]).sum::<f64>() / nodes.len() as f64;
    let depth = |nodes: &[u32], fails: bool| if fails { at_rest(nodes) } else { linear(nodes) };
    let of_tet = |corners: &[u32; 4]| {
        let nodes = corners.map(|i| node_depths[i as usize]);
        let edge_fails = TET_EDGES.map(|edge| is_inner(sorted(edge.map(|i| corners[i]))));
        let face_fails = TET_FACES.map(|face| {
            let key = sorted(face.map(|i| corners[i]));
            let by_edge = TET_EDGES
                .iter()
                .zip(edge_fails)
                .any(|(e, fails)| fails && e.iter().all(|i| face.contains(i)));
            by_edge || (all_on(&key) && faces.binary_search(&key).is_err())
        });
        let fails = face_fails.contains(&true) || edge_fails.contains(&true) || all_on(corners);
        let own = edge_fails.iter().chain(&face_fails).rev().fold(0, |bits, &own| bits << 1 | u16::from(own));
        let midpoints = fails.then(|| MidpointDepths {
            own,
            edges: [0, 1, 2, 3, 4, 5]
                .map(|e: usize| depth(&sorted(TET_EDGES[e].map(|i| corners[i])), edge_fails[e])),
            faces: [0, 1, 2, 3]
                .map(|f: usize| depth(&sorted(TET_FACES[f].map(|i| corners[i])), face_fails[f])),
            inside: at_rest(&sorted(*corners)),
        });
        Depths { nodes, midpoints: midpoints.map(Box::new) }
    };
    mesh.tets().iter().map(of_tet).collect()
}

fn sorted<const N: usize>(mut nodes: [u32; N]) -> [u32; N] {
    nodes.sort_unstable();
    nodes
}

/// Area attributed to each vertex of triangles [m²]: a third of the area of its triangles projected onto a plane, that of the
/// triangle for which the sum is maximum. On the rim of a block that counts one face, not both: only one of them presses.
pub(super) fn projected_areas(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut corners: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
    (0_u32..).zip(triangles).for_each(|(at, triangle)| corners.extend(triangle.map(|vertex| (vertex, at))));
    corners.sort_unstable();
    let third = |at: u32| {
        let [a, b, c] = triangles[at as usize].map(|i| vertices[i as usize]);
        (b - a).cross(&(c - a)) / 6.0
    };
    let mut areas = vec![0.0; vertices.len()];
    for around in corners.chunk_by(|a, b| a.0 == b.0) {
        let shown = |direction: Vector3<f64>| {
            let parts = around.iter().map(|&(_, at)| third(at).dot(&direction).max(0.0));
            parts.sum::<f64>()
        };
        let directions = around.iter().filter_map(|&(_, at)| third(at).try_normalize(0.0));
        areas[around[0].0 as usize] = directions.map(shown).fold(0.0, f64::max);
    }
    areas
}

/// Area attributed to each edge [m²]: a sixth of each adjacent face. Two edges of a face meet at each of its nodes, so that the
/// edges of a node sum to its thirds of the faces.
fn edge_areas(edges: &[[u32; 2]], faces: &[[u32; 3]], nodes: &[Point3<f64>]) -> Vec<f64> {
    let mut areas = vec![0.0; edges.len()];
    for face in faces {
        let [a, b, c] = face.map(|i| nodes[i as usize]);
        let sixth = (b - a).cross(&(c - a)).norm() / 12.0;
        for [i, j] in [[0, 1], [1, 2], [2, 0]] {
            let edge = [face[i].min(face[j]), face[i].max(face[j])];
            let at = edges.binary_search(&edge).expect("the edges are those of the faces");
            areas[at] += sixth;
        }
    }
    areas
}

/// The nodes within a distance of each surface node along the edges at rest (Dijkstra), itself included, ascending.
///
/// Along the edges instead of straight, so that the two sides of a narrow slit are not neighbours.
#[derive(Debug, Clone)]
struct Near {
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Near {
    /// Neighbourhoods of the nodes `surface` within `reach` [m], as blocks from `first` on.
    fn of(mesh: &TetMesh, surface: &[u32], reach: f64, first: u32) -> Self {
        let mut pairs: Vec<[u32; 2]> = edges_of(mesh).flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0_usize; mesh.nodes().len() + 1];
        pairs.iter().for_each(|pair| starts[pair[0] as usize + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut distance = vec![f64::INFINITY; mesh.nodes().len()];
        let mut near = Self { ends: Vec::with_capacity(surface.len()), nodes: Vec::new() };
        let mut found = Vec::new();
        for &from in surface {
            let mut queue = BinaryHeap::from([(Reverse(Ordered(0.0)), from)]);
            distance[from as usize] = 0.0;
            found.push(from);
            while let Some((Reverse(Ordered(length)), node)) = queue.pop() {
                for &[_, to] in &pairs[starts[node as usize]..starts[node as usize + 1]] {
                    let edge = mesh.nodes()[to as usize] - mesh.nodes()[node as usize];
                    let through = length + edge.norm();
                    if through <= reach && through < distance[to as usize] {
                        if distance[to as usize].is_infinite() {
                            found.push(to);
                        }
                        distance[to as usize] = through;
                        queue.push((Reverse(Ordered(through)), to));
                    }
                }
            }
            // Only the touched entries are reset: the cost is that of the neighbourhoods, not of the mesh.
            found.iter().for_each(|&node| distance[node as usize] = f64::INFINITY);
            found.sort_unstable();
            near.nodes.extend(found.drain(..).map(|node| first + node));
            near.ends.push(u32::try_from(near.nodes.len()).expect("lists of near nodes fit 32 bits"));
        }
        near
    }

    fn of_place(&self, at: u32) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at as usize - 1] };
        &self.nodes[start as usize..self.ends[at as usize] as usize]
    }
}

/// The elements of each node, ascending.
#[derive(Debug, Clone, Default)]
struct Around {
    ends: Vec<u32>,
    tets: Vec<u32>,
}

impl Around {
    fn of(mesh: &TetMesh) -> Self {
        let mut pairs: Vec<(u32, u32)> =
            (0_u32..).zip(mesh.tets()).flat_map(|(at, tet)| tet.map(|node| (node, at))).collect();
        pairs.sort_unstable();
        let count = u32::try_from(mesh.nodes().len()).expect("meshes have fewer than 2³² nodes");
        let end = |node| pairs.partition_point(|pair| pair.0 <= node);
        let ends = (0..count).map(|node| u32::try_from(end(node)).expect("lists of elements fit 32 bits"));
        Self { ends: ends.collect(), tets: pairs.iter().map(|pair| pair.1).collect() }
    }

    fn of_node(&self, node: u32) -> &[u32] {
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.tets[start as usize..self.ends[node as usize] as usize]
    }
}

/// A length with a total order, for the priority queue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
