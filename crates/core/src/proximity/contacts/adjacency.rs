//! Mesh adjacency for contact features: edges with their faces and convexity, the neighbours of every vertex, and the
//! owner triangle of every vertex and edge.
//!
//! Vertices with equal coordinates are welded, so that triangle soups (as in STL files) have edges too.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use super::edges::{Edge, EdgesOfFaces, sixfold_volume};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Sine of the dihedral angle below which an edge counts as flat. Flat edges and vertices within a plane region are
/// left out of contacts: the corners of the region represent them. A larger one merges gently curved surfaces into planes, a
/// smaller one splits planes whose coordinates are rounded.
const FLAT: f64 = 1e-4;

/// Cosine of the angle between the normals of the faces at a vertex and their mean up to which the vertex is blunt (60°). At one
/// that is nearly flat, the cone test accepts the outward normal and its opposite alike; normals of a blunt vertex are within 60°
/// and the tolerance of that test of the mean, so that one that is more than 90° from it enters the solid. At a sharper vertex
/// neighbours rise along the opposite of its normals, and no such test is needed.
const BLUNT: f64 = 0.5;

/// Edges, neighbours and plane regions of a mesh.
#[derive(Debug, Clone)]
pub struct Adjacency {
    /// Positions of the welded vertices [m, body frame].
    positions: Vec<Point3<f64>>,
    /// Corners of the triangles, as indices of welded vertices.
    corners: Vec<[u32; 3]>,
    /// Unit normals of the triangles, zero for a degenerate one.
    normals: Vec<Vector3<f64>>,
    /// Plane region of each triangle: triangles joined by flat edges have the same one.
    regions: Vec<u32>,
    /// Edges of each triangle: edge k connects corners k and k + 1.
    triangle_edges: Vec<[u32; 3]>,
    edges: Vec<Edge>,
    /// Per edge and incident face: unit vector within the face, perpendicular to the edge and pointing away from it.
    side_offsets: Vec<u32>,
    sides: Vec<Vector3<f64>>,
    /// Neighbours of each welded vertex along edges.
    neighbour_offsets: Vec<u32>,
    neighbours: Vec<u32>,
    /// Bits 0–2: the triangle owns that corner; bits 3–5: it owns that edge.
    owned: Vec<u8>,
    /// Bit k: edge k of the triangle is concave.
    valleys: Vec<u8>,
    /// Mean of the unit normals of the faces at each welded vertex; longer than 1 where it is blunt.
    mean_normals: Vec<Vector3<f64>>,
    oriented: bool,
}

impl Adjacency {
    /// Computes the adjacency of a mesh.
    #[must_use]
    pub fn new(mesh: &TriangleMesh) -> Self {
        let (positions, corners) = weld(mesh);
        let normal = |(index, corners)| {
            if mesh.is_degenerate(index) { Vector3::zeros() } else { unit_normal(&positions, corners) }
        };
        let normals: Vec<_> = corners.iter().enumerate().map(normal).collect();
        let EdgesOfFaces { edges, of_triangles: triangle_edges, entries } =
            EdgesOfFaces::new(&positions, &corners);
        let faces_of_edge = Lists::new(edges.len(), &entries);
        let (side_offsets, sides) = collect_sides(&positions, &corners, &edges, &faces_of_edge);
        let (neighbour_offsets, neighbours) = collect_neighbours(positions.len(), &edges);
        let mut adjacency = Self {
            positions,
            corners,
            normals,
            regions: Vec::new(),
            triangle_edges,
            edges,
            side_offsets,
            sides,
            neighbour_offsets,
            neighbours,
            owned: Vec::new(),
            valleys: Vec::new(),
            mean_normals: Vec::new(),
            oriented: false,
        };
        adjacency.oriented = adjacency.is_oriented(&faces_of_edge);
        // Before the shapes of edges: convex and concave depend on which side is outside.
        adjacency.orient_normals_outward();
        let shapes: Vec<_> =
            (0..adjacency.edges.len()).map(|edge| adjacency.edge_shape(edge, &faces_of_edge)).collect();
        adjacency.regions = plane_regions(adjacency.corners.len(), &shapes, &faces_of_edge);
        adjacency.owned = adjacency.owners(&shapes);
        adjacency.valleys = valleys(&adjacency.triangle_edges, &shapes);
        adjacency.mean_normals = adjacency.mean_normals();
        adjacency
    }

    /// Whether every edge joins exactly two faces of consistent orientation: normals then point outwards. Where shells of a mesh meet
    /// at an edge, it counts as one edge of each.
    #[must_use]
    pub fn oriented(&self) -> bool {
        self.oriented
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Plane region of a triangle: triangles joined by flat edges have the same one.
    #[must_use]
    pub fn region(&self, triangle: u32) -> u32 {
        self.regions[triangle as usize]
    }

    /// Unit normal of a triangle, body frame; zero for a degenerate one. It points outwards if the mesh is
    /// [`oriented`](Self::oriented), even if the triangles are wound inside out.
    #[must_use]
    pub fn normal(&self, triangle: u32) -> Vector3<f64> {
        self.normals[triangle as usize]
    }

    /// Corners of a triangle \[m\], body frame.
    #[must_use]
    pub fn triangle(&self, triangle: u32) -> [Point3<f64>; 3] {
        let [a, b, c] = self.corners[triangle as usize];
        [self.position(a), self.position(b), self.position(c)]
    }

    /// Sharp vertices, those that can be contact features: index and position [m, body frame].
    pub fn sharp_vertices(&self) -> impl Iterator<Item = (u32, Point3<f64>)> {
        (0..).take(self.corners.len()).flat_map(|triangle| self.sharp_corners(triangle))
    }

    /// The sharp vertices that a triangle represents: each is a corner of one.
    pub(super) fn sharp_corners(&self, triangle: u32) -> impl Iterator<Item = (u32, Point3<f64>)> {
        let (owned, corners) = (self.owned[triangle as usize], self.corners[triangle as usize]);
        (0..3).filter(move |k| owned & (1 << k) != 0).map(move |k| (corners[k], self.position(corners[k])))
    }

    pub(super) fn position(&self, vertex: u32) -> Point3<f64> {
        self.positions[vertex as usize]
    }

    pub(super) fn corners(&self, triangle: u32) -> [u32; 3] {
        self.corners[triangle as usize]
    }

    pub(super) fn edges_of(&self, triangle: u32) -> [u32; 3] {
        self.triangle_edges[triangle as usize]
    }

    pub(super) fn ends(&self, edge: u32) -> [Point3<f64>; 2] {
        self.edges[edge as usize].ends.map(|vertex| self.position(vertex))
    }

    pub(super) fn edge_vertices(&self, edge: u32) -> [u32; 2] {
        self.edges[edge as usize].ends
    }

    pub(super) fn owned(&self, triangle: u32) -> u8 {
        self.owned[triangle as usize]
    }

    /// Whether edge k of the triangle is concave (in a valley).
    pub(super) fn is_valley(&self, triangle: u32, k: usize) -> bool {
        self.valleys[triangle as usize] & (1 << k) != 0
    }

    pub(super) fn sides(&self, edge: u32) -> &[Vector3<f64>] {
        &self.sides[span(&self.side_offsets, edge as usize)]
    }

    pub(super) fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[span(&self.neighbour_offsets, vertex as usize)]
    }

    /// Unit vector along the mean of the outward normals of the faces at a vertex, body frame; `None` where they cancel, or the
    /// mesh has no outside.
    pub(super) fn mean_normal(&self, vertex: u32) -> Option<Vector3<f64>> {
        self.mean_normals[vertex as usize].try_normalize(0.0)
    }

    /// Whether a direction, body frame, enters the solid at a vertex that is nearly flat, see [`BLUNT`].
    pub(super) fn enters(&self, vertex: u32, direction: &Vector3<f64>) -> bool {
        self.is_blunt(vertex) && self.mean_normals[vertex as usize].dot(direction) < 0.0
    }

    /// Whether the normals of all faces at a vertex are within 60° of their mean, see [`BLUNT`].
    pub(super) fn is_blunt(&self, vertex: u32) -> bool {
        self.mean_normals[vertex as usize].norm_squared() > 2.0
    }

    /// Mean normal of every vertex: of length 2 where it is blunt, else 1; zero where the mesh has no outside.
    fn mean_normals(&self) -> Vec<Vector3<f64>> {
        let mut means = vec![Vector3::zeros(); self.positions.len()];
        if !self.oriented {
            return means;
        }
        let faces = || self.corners.iter().zip(&self.normals);
        for (corners, normal) in faces() {
            corners.iter().for_each(|&vertex| means[vertex as usize] += normal);
        }
        means.iter_mut().for_each(|mean| *mean = mean.try_normalize(0.0).unwrap_or_default());
        let mut blunt = vec![true; means.len()];
        for (corners, normal) in faces().filter(|(_, normal)| **normal != Vector3::zeros()) {
            for &vertex in corners {
                blunt[vertex as usize] &= means[vertex as usize].dot(normal) > BLUNT;
            }
        }
        means.iter_mut().zip(blunt).filter(|(_, blunt)| *blunt).for_each(|(mean, _)| *mean *= 2.0);
        means
    }

    fn edge_shape(&self, edge: usize, faces_of_edge: &Lists) -> EdgeShape {
        let &[first, second] = &faces_of_edge.values[span(&faces_of_edge.offsets, edge)] else {
            return EdgeShape::Convex;
        };
        let [n, m] = [first, second].map(|face| self.normals[face as usize]);
        // Next to a degenerate triangle the angle is unknown, and a convex edge can only add candidates.
        if n == Vector3::zeros() || m == Vector3::zeros() {
            return EdgeShape::Convex;
        }
        // The far side of the second face relative to the plane of the first one.
        let sides = self.sides(u32::try_from(edge).expect("edges are numbered in 32 bits"));
        let rise = sides[1].dot(&n);
        // The scalar product rules out faces that are folded back onto each other, whose sine is zero too.
        if n.dot(&m) > 0.0 && rise.abs() <= FLAT {
            EdgeShape::Flat
        // Without a consistent outside no edge is known to be concave.
        } else if rise > 0.0 && self.oriented {
            EdgeShape::Concave
        } else {
            EdgeShape::Convex
        }
    }

    /// Whether two faces traverse their common edge in opposite directions.
    fn agree(&self, edge: usize, first: u32, second: u32) -> bool {
        let [from, to] = self.edges[edge].ends;
        let forward = |face: u32| {
            let [a, b, c] = self.corners[face as usize];
            [[a, b], [b, c], [c, a]].contains(&[from, to])
        };
        forward(first) != forward(second)
    }

    fn is_oriented(&self, faces_of_edge: &Lists) -> bool {
        (0..self.edges.len()).all(|edge| match faces_of_edge.values[span(&faces_of_edge.offsets, edge)] {
            [first, second] => self.agree(edge, first, second),
            _ => false,
        })
    }

    /// Reverses the normals of a mesh that is inside out, that is, of negative volume.
    fn orient_normals_outward(&mut self) {
        if self.oriented && sixfold_volume(&self.positions, &self.corners) < 0.0 {
            self.normals.iter_mut().for_each(|normal| *normal = -*normal);
        }
    }

    /// Assigns an owner triangle to each vertex that is not interior to a plane region, and to each convex edge.
    fn owners(&self, shapes: &[EdgeShape]) -> Vec<u8> {
        let mut sharp = vec![false; self.positions.len()];
        for (edge, shape) in self.edges.iter().zip(shapes) {
            // Also at concave edges: the corner of a notch may be convex along another direction.
            if *shape != EdgeShape::Flat {
                edge.ends.iter().for_each(|&vertex| sharp[vertex as usize] = true);
            }
        }
        let mut edge_free: Vec<_> = shapes.iter().map(|shape| *shape == EdgeShape::Convex).collect();
        let claim = |flag: &mut bool| std::mem::replace(flag, false);
        let mut owned = vec![0; self.corners.len()];
        for (index, bits) in owned.iter_mut().enumerate() {
            // Trees omit triangles without an area, so that such an owner would never be visited.
            if self.normals[index] == Vector3::zeros() {
                continue;
            }
            let (corners, edges) = (self.corners[index], self.triangle_edges[index]);
            for k in 0..3 {
                *bits |= u8::from(claim(&mut sharp[corners[k] as usize])) << k;
                *bits |= u8::from(claim(&mut edge_free[edges[k] as usize])) << (k + 3);
            }
        }
        owned
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeShape {
    /// Can touch another edge; boundary edges and edges of more than two faces count as such.
    Convex,
    /// Between faces that form a valley: whatever touches it has touched the faces before.
    Concave,
    /// Between coplanar faces.
    Flat,
}

/// Jagged array: list i is `values[offsets[i]..offsets[i + 1]]`.
struct Lists {
    offsets: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    fn new(count: usize, entries: &[(u32, u32)]) -> Self {
        let mut offsets = vec![0_u32; count + 1];
        entries.iter().for_each(|&(list, _)| offsets[list as usize + 1] += 1);
        (0..count).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut next = offsets.clone();
        let mut values = vec![0; entries.len()];
        for &(list, value) in entries {
            values[next[list as usize] as usize] = value;
            next[list as usize] += 1;
        }
        Self { offsets, values }
    }
}

fn span(offsets: &[u32], index: usize) -> Range<usize> {
    offsets[index] as usize..offsets[index + 1] as usize
}

/// Welds vertices of equal coordinates; returns their positions and the corners of the triangles as indices of these.
fn weld(mesh: &TriangleMesh) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mut welder = Welder::default();
    let welded: Vec<_> = mesh.vertices().iter().map(|&vertex| welder.add(vertex)).collect();
    let corners = mesh.triangles().iter().map(|corners| corners.map(|i| welded[i as usize])).collect();
    (welder.into_points(), corners)
}

fn unit_normal(positions: &[Point3<f64>], corners: &[u32; 3]) -> Vector3<f64> {
    let [a, b, c] = corners.map(|vertex| positions[vertex as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
}

/// For every edge and incident face, the unit vector within the face that is perpendicular to the edge and points away
/// from it.
fn collect_sides(
    positions: &[Point3<f64>],
    corners: &[[u32; 3]],
    edges: &[Edge],
    faces_of_edge: &Lists,
) -> (Vec<u32>, Vec<Vector3<f64>>) {
    let mut sides = Vec::with_capacity(faces_of_edge.values.len());
    for (index, edge) in edges.iter().enumerate() {
        let [from, to] = edge.ends.map(|vertex| positions[vertex as usize]);
        let along = (to - from).try_normalize(0.0).unwrap_or_default();
        for &face in &faces_of_edge.values[span(&faces_of_edge.offsets, index)] {
            let apex = corners[face as usize].iter().find(|vertex| !edge.ends.contains(vertex));
            let away = apex.map_or(Vector3::zeros(), |&apex| positions[apex as usize] - from);
            sides.push((away - along * along.dot(&away)).try_normalize(0.0).unwrap_or_default());
        }
    }
    (faces_of_edge.offsets.clone(), sides)
}

fn valleys(triangle_edges: &[[u32; 3]], shapes: &[EdgeShape]) -> Vec<u8> {
    let bit = |edge: u32, k: usize| u8::from(shapes[edge as usize] == EdgeShape::Concave) << k;
    triangle_edges.iter().map(|&[a, b, c]| bit(a, 0) | bit(b, 1) | bit(c, 2)).collect()
}

fn collect_neighbours(vertices: usize, edges: &[Edge]) -> (Vec<u32>, Vec<u32>) {
    let entries: Vec<_> = edges
        .iter()
        .filter(|edge| edge.ends[0] != edge.ends[1])
        .flat_map(|&Edge { ends: [from, to] }| [(from, to), (to, from)])
        .collect();
    let lists = Lists::new(vertices, &entries);
    (lists.offsets, lists.values)
}

/// Plane regions: connected components of the triangles over flat edges, each named by its lowest triangle (union-find).
fn plane_regions(triangles: usize, shapes: &[EdgeShape], faces_of_edge: &Lists) -> Vec<u32> {
    let count = u32::try_from(triangles).expect("triangles of a mesh are numbered in 32 bits");
    let mut parents: Vec<u32> = (0..count).collect();
    let root = |parents: &mut Vec<u32>, mut face: u32| {
        while parents[face as usize] != face {
            parents[face as usize] = parents[parents[face as usize] as usize];
            face = parents[face as usize];
        }
        face
    };
    for (edge, shape) in shapes.iter().enumerate() {
        if let (EdgeShape::Flat, &[a, b]) = (shape, &faces_of_edge.values[span(&faces_of_edge.offsets, edge)])
        {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            // The lower root wins, so that the number of a region does not depend on the order of the edges.
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    (0..count).map(|face| root(&mut parents, face)).collect()
}
