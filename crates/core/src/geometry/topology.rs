//! Topology of a triangle mesh: edges, closedness, manifoldness, orientation, components.
//!
//! Vertices are welded by exact position first, so the result is the same whether a file shares its vertices or not.
//! A triangle whose corners are fewer than three distinct points bounds nothing and is skipped.
//!
//! An edge is used *forwards* or *backwards* by each triangle at it. A mesh is **closed** when every edge is used
//! as often forwards as backwards: then its winding number is an integer everywhere off the surface, even where
//! more than two triangles meet at an edge.

use rayon::prelude::*;

use super::triangle_mesh::TriangleMesh;
use super::weld::Welder;
use crate::parallel;

/// Counts that describe the connectivity of the triangles of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topology {
    /// Distinct positions that triangles use.
    pub vertices: usize,
    /// Edges between distinct positions.
    pub edges: usize,
    /// Triangles with three distinct corners.
    pub faces: usize,
    /// Edges used by one triangle only.
    pub boundary_edges: usize,
    /// Edges not used equally often in both directions; none in a closed mesh.
    pub unbalanced_edges: usize,
    /// Edges used by more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges at which neighbours disagree on which side is out.
    pub misoriented_edges: usize,
    /// Vertices whose triangles form more than one fan.
    pub non_manifold_vertices: usize,
    /// Triangles whose three corners are those of an earlier triangle, in any orientation.
    pub duplicate_triangles: usize,
    /// Sets of triangles connected through edges.
    pub components: usize,
}

impl Topology {
    /// Topology of a mesh. Takes O(n log n) for n triangles.
    #[must_use]
    pub fn of(mesh: &TriangleMesh) -> Self {
        let (faces, vertices) = welded_faces(mesh);
        let uses = edge_uses(&faces);
        let mut topology = Self {
            vertices,
            edges: 0,
            faces: faces.len(),
            boundary_edges: 0,
            unbalanced_edges: 0,
            non_manifold_edges: 0,
            misoriented_edges: 0,
            non_manifold_vertices: 0,
            duplicate_triangles: duplicates(&faces),
            components: 0,
        };
        let mut corners = DisjointSets::new(3 * faces.len());
        let mut components = DisjointSets::new(faces.len());
        for edge in uses.chunk_by(|a, b| a.ends == b.ends) {
            topology.count_edge(edge);
            // All triangles at an edge belong to one component, and their corners at either end to one fan.
            for pair in edge.windows(2) {
                components.unite(pair[0].face(), pair[1].face());
                for (here, there) in pair[0].corners().into_iter().zip(pair[1].corners()) {
                    corners.unite(here, there);
                }
            }
        }
        topology.components = components.count();
        topology.non_manifold_vertices = count_pinched(&faces, vertices, &mut corners);
        topology
    }

    fn count_edge(&mut self, uses: &[EdgeUse]) {
        let forwards = uses.iter().filter(|side| side.forwards).count();
        let backwards = uses.len() - forwards;
        self.edges += 1;
        self.boundary_edges += usize::from(uses.len() == 1);
        self.non_manifold_edges += usize::from(uses.len() > 2);
        self.unbalanced_edges += usize::from(forwards != backwards);
        // With an odd number of triangles one is always unpaired; a larger difference is an inconsistent orientation.
        self.misoriented_edges += usize::from(forwards.abs_diff(backwards) > 1);
    }

    /// Whether every edge is used equally often in both directions.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.faces > 0 && self.unbalanced_edges == 0
    }

    /// Whether the triangles form a surface (with or without a border) at every edge and vertex.
    #[must_use]
    pub fn is_manifold(&self) -> bool {
        self.faces > 0 && self.non_manifold_edges == 0 && self.non_manifold_vertices == 0
    }

    /// Whether neighbouring triangles agree everywhere on which side is out.
    #[must_use]
    pub fn is_consistently_oriented(&self) -> bool {
        self.misoriented_edges == 0
    }

    /// Vertices − edges + faces.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        // Counts are below 2³³, so the conversion is exact.
        self.vertices as i64 - self.edges as i64 + self.faces as i64
    }

    /// Number of handles over all components: `None` unless the mesh is a closed, oriented manifold.
    #[must_use]
    pub fn genus(&self) -> Option<i64> {
        let surface = self.is_closed() && self.is_manifold() && self.is_consistently_oriented();
        // Euler–Poincaré: V − E + F = 2 (components − genus).
        surface.then(|| self.components as i64 - self.euler_characteristic() / 2)
    }
}

/// One triangle's use of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeUse {
    /// Lower vertex in the upper half, higher vertex in the lower half.
    ends: u64,
    /// Index of the corner that the edge leaves: 3 · face + 0, 1 or 2.
    corner: usize,
    /// Whether the triangle runs from the lower to the higher vertex.
    forwards: bool,
}

impl EdgeUse {
    fn face(&self) -> usize {
        self.corner / 3
    }

    /// The triangle's corners at the lower and at the higher vertex.
    fn corners(&self) -> [usize; 2] {
        let next = 3 * self.face() + (self.corner + 1) % 3;
        if self.forwards { [self.corner, next] } else { [next, self.corner] }
    }
}

/// Triangles over welded vertices, without those of fewer than three distinct corners, and the number of vertices.
fn welded_faces(mesh: &TriangleMesh) -> (Vec<[u32; 3]>, usize) {
    let mut welder = Welder::default();
    let mut welded = vec![u32::MAX; mesh.vertices().len()];
    let mut weld = |index: u32| {
        let slot = &mut welded[index as usize];
        if *slot == u32::MAX {
            *slot = welder.add(mesh.vertices()[index as usize]);
        }
        *slot
    };
    let faces: Vec<_> = (mesh.triangles().iter())
        .map(|triangle| triangle.map(&mut weld))
        .filter(|&[a, b, c]| a != b && b != c && c != a)
        .collect();
    (faces, welder.into_points().len())
}

fn edge_uses(faces: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses: Vec<_> = (faces.iter().enumerate())
        .flat_map(|(face, &[a, b, c])| {
            [(a, b), (b, c), (c, a)].into_iter().enumerate().map(move |(side, (from, to))| EdgeUse {
                ends: u64::from(from.min(to)) << 32 | u64::from(from.max(to)),
                corner: 3 * face + side,
                forwards: from < to,
            })
        })
        .collect();
    uses.par_sort_unstable();
    uses
}

fn duplicates(faces: &[[u32; 3]]) -> usize {
    let mut sorted: Vec<_> = faces.to_vec();
    parallel::for_each_mut(&mut sorted, 1, |_, face| face.sort_unstable());
    sorted.par_sort_unstable();
    sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Vertices at which more than one fan of edge-connected corners meets.
fn count_pinched(faces: &[[u32; 3]], vertices: usize, corners: &mut DisjointSets) -> usize {
    let mut fan_of_vertex = vec![usize::MAX; vertices];
    let mut pinched = vec![false; vertices];
    for (corner, &vertex) in faces.iter().flatten().enumerate() {
        let fan = corners.find(corner);
        let known = &mut fan_of_vertex[vertex as usize];
        if *known == usize::MAX {
            *known = fan;
        }
        // A vertex with corners in two fans.
        pinched[vertex as usize] |= *known != fan;
    }
    pinched.into_iter().filter(|&is_pinched| is_pinched).count()
}

/// Union–find with path halving; the root of a set is its minimum member.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    fn find(&mut self, mut member: usize) -> usize {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn count(&self) -> usize {
        self.parent.iter().enumerate().filter(|&(member, &parent)| member == parent).count()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    fn points(count: usize) -> Vec<Point3<f64>> {
        // On a moment curve: no four of them in a plane.
        (0..count).map(|i| i as f64).map(|t| Point3::new(t, t * t, t * t * t)).collect()
    }

    fn topology(count: usize, triangles: &[[u32; 3]]) -> Topology {
        Topology::of(&TriangleMesh::new(points(count), triangles.to_vec()).unwrap())
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];

    #[test]
    fn a_tetrahedron_is_a_closed_oriented_sphere() {
        let found = topology(4, &TETRAHEDRON);
        assert!(found.is_closed() && found.is_manifold() && found.is_consistently_oriented());
        assert_eq!((found.vertices, found.edges, found.faces), (4, 6, 4));
        assert_eq!((found.components, found.euler_characteristic(), found.genus()), (1, 2, Some(0)));
    }

    #[test]
    fn a_missing_triangle_leaves_three_boundary_edges() {
        let found = topology(4, &TETRAHEDRON[..3]);
        assert_eq!((found.boundary_edges, found.unbalanced_edges), (3, 3));
        assert!(!found.is_closed() && found.is_manifold() && found.is_consistently_oriented());
        assert_eq!(found.genus(), None);
    }

    #[test]
    fn a_flipped_triangle_is_neither_closed_nor_oriented_but_manifold() {
        let mut triangles = TETRAHEDRON;
        triangles[0].swap(0, 1);
        let found = topology(4, &triangles);
        assert_eq!((found.misoriented_edges, found.boundary_edges), (3, 0));
        assert!(!found.is_closed() && found.is_manifold() && !found.is_consistently_oriented());
    }

    #[test]
    fn two_tetrahedra_at_an_edge_are_closed_but_not_manifold() {
        // The second tetrahedron shares the edge 0–1 and has vertices 4, 5 of its own.
        let second = TETRAHEDRON.map(|triangle| triangle.map(|i| if i < 2 { i } else { i + 2 }));
        let found = topology(6, &[TETRAHEDRON, second].concat());
        assert_eq!((found.non_manifold_edges, found.unbalanced_edges), (1, 0));
        assert!(found.is_closed() && !found.is_manifold());
    }

    #[test]
    fn two_tetrahedra_at_a_vertex_are_two_components_pinched_there() {
        let second = TETRAHEDRON.map(|triangle| triangle.map(|i| if i == 0 { 0 } else { i + 3 }));
        let found = topology(7, &[TETRAHEDRON, second].concat());
        assert_eq!((found.non_manifold_vertices, found.components), (1, 2));
        assert!(found.is_closed() && !found.is_manifold());
    }

    #[test]
    fn unshared_vertices_are_welded_by_position() {
        let shared = TriangleMesh::new(points(4), TETRAHEDRON.to_vec()).unwrap();
        let corners: Vec<_> = (0..4).flat_map(|i| shared.triangle(i)).collect();
        let soup =
            TriangleMesh::new(corners, (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
        assert_eq!(Topology::of(&soup), Topology::of(&shared));
    }

    #[test]
    fn duplicates_are_found_in_any_orientation() {
        assert_eq!(topology(4, &[[0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 1, 3]]).duplicate_triangles, 2);
    }

    #[test]
    fn collapsed_triangles_do_not_open_a_closed_mesh() {
        let found = topology(4, &[TETRAHEDRON.to_vec(), vec![[0, 0, 1], [2, 2, 2]]].concat());
        assert!(found.is_closed() && found.is_manifold());
        assert_eq!(found.faces, 4);
    }
}
